// The extension module `torchfl._core`: what the Python side calls. Thin: parse, call, convert.
#include <torch/csrc/utils/pybind.h>

#include <string>
#include <vector>

#include "device/activity.h"
#include "device/chip.h"
#include "device/generator.h"
#include "device/registry.h"
#include "dispatch/dispatch.h"
#include "identity/bind.h"
#include "memory/access.h"
#include "memory/adopt.h"
#include "memory/box.h"
#include "memory/counters.h"
#include "memory/evict.h"
#include "memory/pointers.h"
#include "memory/pool.h"

namespace py = pybind11;

namespace torchfl {
namespace {

using NoGil = py::call_guard<py::gil_scoped_release>;

py::dict chip_info(const Chip& chip) {
  py::list kernels;
  for (const tfl_kernel& kernel : chip.kernels()) {
    py::dict row;
    row["name"] = kernel.name;
    row["op"] = kernel.op;
    row["flags"] = kernel.flags;
    py::list symbols;
    for (uint32_t i = 0; i < kernel.num_symbols; ++i) symbols.append(chip.symbol(kernel.symbols[i])->name);
    row["symbols"] = symbols;
    kernels.append(row);
  }
  py::dict info;
  info["selector"] = chip.selector();
  info["library"] = chip.library();
  info["name"] = chip.abi()->name;
  info["abi"] = py::make_tuple(chip.abi()->abi_major, chip.abi()->abi_minor);
  info["header_hash"] = chip.abi()->header_hash == nullptr ? "" : chip.abi()->header_hash;
  info["kernels"] = kernels;
  info["mapped"] = chip.mapped();
  info["first_device"] = chip.first_device();
  info["num_devices"] = chip.device_count();
  info["error"] = chip.init_error();
  py::list functions;
#define TFL_ENTRY(need, name, params, doc) \
  if (chip.api().name != nullptr) functions.append(#name);
#include "torchfl/entry_points.def"
#undef TFL_ENTRY
  info["device_functions"] = functions;
  return info;
}

Chip& chip_named(const std::string& selector) {
  Chip* chip = find_chip(selector);
  if (chip == nullptr) throw py::key_error(selector);
  return *chip;
}

py::dict symbol_calls(const std::string& selector) {
  const Chip& chip = chip_named(selector);
  py::dict calls;
  for (uint32_t i = 0; i < chip.num_symbols(); ++i) {
    const tfl_symbol* symbol = chip.symbol(i);
    calls[symbol->name] = __atomic_load_n(&symbol->calls, __ATOMIC_RELAXED);
  }
  return calls;
}

py::list missing_symbols(const std::string& selector) {
  const Chip& chip = chip_named(selector);
  py::list names;
  for (uint32_t i = 0; i < chip.num_symbols(); ++i)
    if (chip.symbol(i)->address == nullptr) names.append(chip.symbol(i)->name);
  return names;
}

void set_symbol_mode(const std::string& selector, const std::string& name, uint32_t mode) {
  const Chip& chip = chip_named(selector);
  for (uint32_t i = 0; i < chip.num_symbols(); ++i)
    if (name == chip.symbol(i)->name) {
      __atomic_store_n(&chip.symbol(i)->mode, mode, __ATOMIC_RELAXED);
      return;
    }
  throw py::key_error(name);
}

py::dict copies() {
  const CopyCounters& c = copy_counters();
  py::dict result;
  const auto put = [&](const char* name, const std::atomic<uint64_t>& value) {
    result[name] = value.load(std::memory_order_relaxed);
  };
  put("h2d", c.h2d);
  put("h2d_bytes", c.h2d_bytes);
  put("d2h", c.d2h);
  put("d2h_bytes", c.d2h_bytes);
  put("d2d", c.d2d);
  put("d2d_bytes", c.d2d_bytes);
  put("host", c.host);
  put("host_bytes", c.host_bytes);
  return result;
}

py::dict stats(int index) {
  const MemoryStats s = memory_stats(resolve_index(static_cast<c10::DeviceIndex>(index)));
  py::dict result;
  const auto put = [&](const char* name, const Counted& counted) {
    py::dict one;
    one["current"] = counted.current;
    one["peak"] = counted.peak;
    one["allocated"] = counted.added;
    one["freed"] = counted.removed();
    result[name] = one;
  };
  put("allocated_bytes", s.allocated);
  put("allocation", s.blocks);
  put("reserved_bytes", s.reserved);
  put("segment", s.segments);
  result["retries"] = s.retries;
  result["failures"] = s.failures;
  result["evictions"] = s.evictions;
  result["evicted_bytes"] = s.evicted_bytes;
  result["rescues"] = s.rescues;
  result["rescued_bytes"] = s.rescued_bytes;
  return result;
}

// The host side of a device tensor as a CPU tensor, valid. Sees what is written until the tensor is written elsewhere.
at::Tensor host_view(const at::Tensor& tensor) {
  OpScope scope;
  Access access;
  access.read(tensor);
  access.to_host();
  return access.host_view(tensor);
}

void move_to(const at::Tensor& tensor, bool device) {
  OpScope scope;
  Access access;
  access.read(tensor);
  if (device)
    access.to_device();
  else
    access.to_host();
}

// A CPU tensor over the memory of a device tensor, on a chip that maps host memory: there is one side.
at::Tensor host_alias(const at::Tensor& tensor) {
  OpScope scope;
  TORCH_CHECK(chip_of(tensor.device().index()).mapped(), "the chip does not map host memory");
  move_to(tensor, /*device=*/true);  // from here on the bytes stay where they are
  Access access(/*windows=*/false);
  access.read(tensor);
  access.to_host();
  return access.host_view(tensor);
}

// Waits without the GIL, which the op that a thread waits for may want.
void without_gil(void (*wait)()) {
  if (Py_IsInitialized() != 0 && PyGILState_Check() != 0) {
    py::gil_scoped_release released;
    wait();
  } else {
    wait();
  }
}

// With ops stopped.
void release_devices() {
  if (devices_started()) {
    move_all_to_host();
    empty_cache();
  }
  remove_chips();
}

void bind_chips(py::module_& m) {
  m.def("load_chip", [](const std::string& selector, const std::string& library, const std::string& runtime_so,
                        const std::string& runtime_so_error, bool mapped) {
    return chip_info(add_chip(selector, library, runtime_so, runtime_so_error, mapped));
  }, py::arg("selector"), py::arg("library"), py::arg("runtime_so"), py::arg("runtime_so_error"),
     py::arg("mapped") = false);
  m.def("chips", [] {
    py::list list;
    for (const Chip* chip : chips()) list.append(chip_info(*chip));
    return list;
  });
  m.def("start_devices", [] { ensure_devices(); }, NoGil());
  m.def("release_devices", &release_devices, NoGil());
  m.def("devices_ever_started", [] { return devices_ever_started(); });
  set_gil_yield(&without_gil);
  m.def("pause_ops", [] {
    const bool shut = gate_state() == Gate::shut;
    stop_ops(Gate::paused);
    return shut;
  }, NoGil());
  m.def("shut_ops", [] { stop_ops(Gate::shut); }, NoGil());
  m.def("let_ops_go", [](bool shut) { let_ops_go(shut ? Gate::shut : Gate::open); }, py::arg("shut") = false);
  m.def("symbol_calls", &symbol_calls);
  m.def("missing_symbols", &missing_symbols);
  m.def("set_symbol_mode", &set_symbol_mode);
}

void bind_device(py::module_& m) {
  m.def("device_count", [] { return static_cast<int>(device_count()); }, NoGil());
  m.def("current_device", [] { return static_cast<int>(current_device()); });
  m.def("set_device", [](int index) { set_current_device(static_cast<c10::DeviceIndex>(index)); }, NoGil());
  m.def("synchronize", [](int index) { synchronize(resolve_index(static_cast<c10::DeviceIndex>(index))); }, NoGil());
  m.def("device_name", [](int index) { return device_name(resolve_index(static_cast<c10::DeviceIndex>(index))); });
  m.def("memory_info", [](int index) { return memory_info(resolve_index(static_cast<c10::DeviceIndex>(index))); });
  m.def("default_generator", [](int index) { return default_generator(static_cast<c10::DeviceIndex>(index)); });
  m.def("seed_all", &seed_all);
  m.def("devices_started", [] { return devices_started(); });
  m.def("in_bad_fork", [] { return in_bad_fork(); });
  m.def("begin_exit", [] { begin_exit(); });
}

void bind_memory(py::module_& m) {
  m.def("empty_cache", &empty_cache, NoGil());
  m.def("memory_stats", &stats);
  m.def("reset_peak_stats",
        [](int index) { reset_peak_stats(resolve_index(static_cast<c10::DeviceIndex>(index))); });
  m.def("reset_accumulated_stats",
        [](int index) { reset_accumulated_stats(resolve_index(static_cast<c10::DeviceIndex>(index))); });
  m.def("set_memory_limit",
        [](int index, uint64_t bytes) { set_memory_limit(static_cast<c10::DeviceIndex>(index), bytes); });
  m.def("memory_limit", [](int index) { return memory_limit(static_cast<c10::DeviceIndex>(index)); });
  m.def("copy_counters", &copies);
  m.def("reset_copy_counters", [] { reset_copy_counters(); });
  m.def("side_names", &side_names);
  m.def("set_host_budget", &set_host_budget);
  m.def("host_budget", &host_budget);
  m.def("two_sided_bytes", &two_sided_bytes);
  m.def("moved_out_bytes", &moved_out_bytes);
  m.def("mark_device_written", &mark_device_written, NoGil());
  m.def("move_to", &move_to, NoGil());
  m.def("host_alias", &host_alias, NoGil());
  m.def("host_view", &host_view, NoGil());
  m.def("adopt", [](const at::Tensor& cpu, int device) { return adopt(cpu, static_cast<c10::DeviceIndex>(device)); },
        NoGil());
}

}  // namespace
}  // namespace torchfl

PYBIND11_MODULE(_core, m) {
  using namespace torchfl;
  m.doc() = "The torchfl core; use the torchfl package.";
  bind_chips(m);
  bind_device(m);
  bind_memory(m);
  bind_identity(m);
  bind_dispatch(m);
}
