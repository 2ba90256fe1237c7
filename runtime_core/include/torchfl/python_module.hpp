// The Python module of a chip library: lists what it has, and tries its kernels on numpy arrays without torch.
//
//     import x1_wrapper as x1
//     x1.open("/opt/x1/libx1.so")
//     x1.run("x1_add", [a, b], out=numpy.empty_like(a), attrs=[1])
//
// Every run() is a round trip: alloc, host to device, kernel, device to host, free. Meant for trying, not for speed.
#ifndef TORCHFL_PYTHON_MODULE_HPP
#define TORCHFL_PYTHON_MODULE_HPP

#include <pybind11/pybind11.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "torchfl/chip.h"

namespace torchfl {
namespace python {

namespace py = pybind11;

inline const char* status_text(tfl_status status) {
  constexpr const char* names[] = {"OK",           "UNSUPPORTED", "OUT_OF_MEMORY",  "NOT_READY", "INVALID_ARGUMENT",
                                   "DEVICE_ERROR", "NO_DRIVER",   "MISSING_SYMBOL", "INTERNAL"};
  return status >= 0 && status < 9 ? names[status] : "unknown status";
}

// What went wrong: "x1_add: UNSUPPORTED: more elements than int".
inline std::string error(const tfl_chip& chip, tfl_status status, const std::string& what) {
  char text[512] = "";
  if (chip.device->last_error != nullptr) chip.device->last_error(text, sizeof text);
  return what + ": " + status_text(status) + (text[0] != '\0' ? std::string(": ") + text : "");
}

// Raises RuntimeError for any status but OK.
inline void check(const tfl_chip& chip, tfl_status status, const std::string& what) {
  if (status != TFL_OK) throw std::runtime_error(error(chip, status, what));
}

inline tfl_dtype dtype_of(const std::string& format, py::ssize_t itemsize) {
  // One letter of Python's struct module, perhaps after a byte order.
  const bool prefixed = format.size() == 2 && std::string("@=<").find(format[0]) != std::string::npos;
  switch (format.size() == 1 || prefixed ? format.back() : 0) {
    case '?': return TFL_BOOL;
    case 'e': return TFL_F16;
    case 'f': return TFL_F32;
    case 'd': return TFL_F64;
    case 'B': return TFL_U8;
    case 'b': case 'c': return TFL_I8;
    case 'h': case 'i': case 'l': case 'q':
      return itemsize == 2 ? TFL_I16 : itemsize == 4 ? TFL_I32 : TFL_I64;
    default: throw std::invalid_argument("no torchfl dtype for the buffer format '" + format + "'");
  }
}

// One array on the device, with its sizes and strides; the memory between its elements travels along.
class DeviceArray {
 public:
  DeviceArray(const tfl_chip& chip, int32_t device, py::handle object) : chip_(chip), device_(device) {
    view_.struct_size = sizeof(tfl_tensor);
    view_.rank = -1;
    if (object.is_none()) return;
    info_ = py::reinterpret_borrow<py::buffer>(object).request();
    view_.dtype = dtype_of(info_.format, info_.itemsize);
    uint64_t span = info_.size > 0 ? static_cast<uint64_t>(info_.itemsize) : 0;
    for (py::ssize_t i = 0; i < info_.ndim; ++i) {
      const py::ssize_t step = info_.strides[i];
      if (step < 0 || step % info_.itemsize != 0) throw std::invalid_argument("an array with negative or odd strides");
      if (info_.size > 0) span += static_cast<uint64_t>((info_.shape[i] - 1) * step);
      sizes_.push_back(info_.shape[i]);
      strides_.push_back(step / info_.itemsize);
    }
    bytes_ = span;
    view_.rank = static_cast<int32_t>(info_.ndim);
    view_.device = device;
    view_.numel = info_.size;
    view_.sizes = sizes_.data();
    view_.strides = strides_.data();
    if (bytes_ == 0) return;
    check(chip_, chip_.device->alloc(device_, bytes_, &view_.handle), "alloc");
    const tfl_status copied = chip_.device->copy_h2d(device_, view_.handle, 0, info_.ptr, bytes_, nullptr);
    if (copied == TFL_OK) return;
    const std::string text = error(chip_, copied, "copy_h2d");  // before the vendor's next call
    release();  // a constructor that throws has no destructor
    throw std::runtime_error(text);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { release(); }

  void download() {
    if (info_.readonly) throw std::invalid_argument("the output array is read-only");
    if (bytes_ == 0) return;
    if (chip_.device->synchronize != nullptr) check(chip_, chip_.device->synchronize(device_), "synchronize");
    check(chip_, chip_.device->copy_d2h(device_, info_.ptr, view_.handle, 0, bytes_, nullptr), "copy_d2h");
  }

  const tfl_tensor& view() const { return view_; }

 private:
  void release() {
    if (view_.handle != nullptr) chip_.device->free(device_, view_.handle);
  }

  const tfl_chip& chip_;
  int32_t device_;
  py::buffer_info info_;
  std::vector<int64_t> sizes_, strides_;
  uint64_t bytes_ = 0;
  tfl_tensor view_{};
};

// A Python value as a kernel's attribute; int lists live in `lists`.
inline tfl_attr attribute(py::handle value, std::vector<std::vector<int64_t>>& lists) {
  tfl_attr attr{};
  attr.struct_size = sizeof(tfl_attr);
  if (value.is_none()) {
    attr.kind = TFL_ATTR_NONE;
  } else if (py::isinstance<py::bool_>(value)) {
    attr.kind = TFL_ATTR_BOOL;
    attr.i = value.cast<bool>() ? 1 : 0;
  } else if (py::isinstance<py::int_>(value)) {
    attr.kind = TFL_ATTR_INT;
    attr.i = value.cast<int64_t>();
    attr.f = static_cast<double>(attr.i);
  } else if (py::isinstance<py::float_>(value)) {
    attr.kind = TFL_ATTR_FLOAT;
    attr.f = value.cast<double>();
  } else {
    std::vector<int64_t>& list = lists.emplace_back();
    for (py::handle item : value) list.push_back(item.cast<int64_t>());
    attr.kind = TFL_ATTR_INT_LIST;
    attr.list = list.data();
    attr.count = static_cast<int64_t>(list.size());
  }
  return attr;
}

inline const tfl_kernel& find_kernel(const tfl_chip& chip, const std::string& name) {
  for (uint32_t i = 0; i < chip.num_kernels; ++i) {
    if (name == chip.kernels[i].name) return chip.kernels[i];
  }
  throw py::key_error("no kernel '" + name + "'");
}

inline py::object run(const tfl_chip& chip, const std::string& name, const py::sequence& inputs, py::object out,
                      const py::sequence& attrs, int32_t device) {
  const tfl_kernel& kernel = find_kernel(chip, name);
  std::vector<std::unique_ptr<DeviceArray>> arrays;
  std::vector<tfl_tensor> tensors;
  for (py::handle object : inputs) {
    arrays.push_back(std::make_unique<DeviceArray>(chip, device, object));
    tensors.push_back(arrays.back()->view());
  }
  std::vector<std::unique_ptr<DeviceArray>> results;
  std::vector<tfl_tensor> outputs;
  const auto result = [&](py::handle object) {
    results.push_back(std::make_unique<DeviceArray>(chip, device, object));
    outputs.push_back(results.back()->view());
  };
  if (py::isinstance<py::tuple>(out)) {
    for (py::handle object : out) result(object);
  } else {
    result(out);
  }
  std::vector<std::vector<int64_t>> lists;
  lists.reserve(py::len(attrs));
  std::vector<tfl_attr> values;
  for (py::handle value : attrs) values.push_back(attribute(value, lists));
  tfl_call call{};
  call.struct_size = sizeof(tfl_call);
  call.device = device;
  call.num_inputs = static_cast<uint32_t>(tensors.size());
  call.num_outputs = static_cast<uint32_t>(outputs.size());
  call.num_attrs = static_cast<uint32_t>(values.size());
  call.inputs = tensors.data();
  call.outputs = outputs.data();
  call.attrs = values.data();
  check(chip, kernel.run(&call), name);
  for (const auto& each : results) each->download();
  return out;
}

inline py::list kernel_list(const tfl_chip& chip) {
  py::list rows;
  for (uint32_t i = 0; i < chip.num_kernels; ++i) {
    const tfl_kernel& kernel = chip.kernels[i];
    py::list symbols;
    for (uint32_t s = 0; s < kernel.num_symbols; ++s) symbols.append(chip.symbols[kernel.symbols[s]].name);
    py::dict row;
    row["name"] = kernel.name;
    row["op"] = kernel.op;
    row["flags"] = kernel.flags;
    row["symbols"] = symbols;
    rows.append(row);
  }
  return rows;
}

inline py::dict symbol_table(const tfl_chip& chip) {
  py::dict rows;
  for (uint32_t i = 0; i < chip.num_symbols; ++i) {
    const tfl_symbol& symbol = chip.symbols[i];
    py::dict row;
    row["resolved"] = symbol.address != nullptr;
    row["calls"] = __atomic_load_n(&symbol.calls, __ATOMIC_RELAXED);
    rows[symbol.name] = row;
  }
  return rows;
}

inline py::dict slot_table(const tfl_chip& chip) {
  py::dict slots;
#define TFL_ENTRY(need, name, params, doc) slots[#name] = chip.device->name != nullptr;
#include "torchfl/entry_points.def"
#undef TFL_ENTRY
  return slots;
}

}  // namespace python

// Fills a module with the functions of one chip library.
inline void define_chip_module(pybind11::module_& module, const tfl_chip* chip) {
  namespace py = pybind11;
  module.doc() = "Tries the chip's kernels on numpy arrays, without torch.";
  module.attr("chip") = chip->name;
  module.attr("header_hash") = chip->header_hash;
  module.attr("abi") = py::make_tuple(chip->abi_major, chip->abi_minor);
  module.def(
      "open",
      [chip](const std::string& runtime_so) {
        python::check(*chip, chip->device->open(runtime_so.c_str()), runtime_so);
        python::check(*chip, chip->device->init(), "init");
      },
      py::arg("runtime_so"), "Open the vendor's library and initialise it.");
  module.def("kernels", [chip] { return python::kernel_list(*chip); }, "name, op, flags and symbols of each kernel.");
  module.def("symbols", [chip] { return python::symbol_table(*chip); }, "Vendor functions: resolved?, calls so far.");
  module.def("slots", [chip] { return python::slot_table(*chip); }, "Device functions: does the chip have each?");
  module.def(
      "device_count",
      [chip] {
        int32_t count = 0;
        python::check(*chip, chip->device->device_count(&count), "device_count");
        return count;
      },
      "Number of devices.");
  module.def(
      "run",
      [chip](const std::string& kernel, const py::sequence& inputs, py::object out, const py::sequence& attrs,
             int32_t device) { return python::run(*chip, kernel, inputs, std::move(out), attrs, device); },
      py::arg("kernel"), py::arg("inputs"), py::arg("out"), py::arg("attrs") = py::tuple(), py::arg("device") = 0,
      "Run a kernel on arrays (None: an optional tensor that is not given); fills and returns `out`, an array or a "
      "tuple of them.");
}

}  // namespace torchfl

#endif
