#include "dispatch/binding.h"

#include <array>
#include <atomic>
#include <stdexcept>

#include "device/chip.h"
#include "dispatch/decide.h"

namespace torchfl {
namespace {

constexpr const char* kDtypeNames[TFL_DTYPE_COUNT] = {"bool",    "uint8",    "int8",    "int16",   "int32",     "int64",
                                                      "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};

constexpr size_t kMaxDevices = 128;

struct Tables {
  std::vector<std::unique_ptr<ChipTable>> all;
  std::vector<std::string> selectors;  // of every chip there ever was, by ordinal
  // By device index, filled at first use: a device's chip is known only after the driver has started.
  std::array<std::atomic<const ChipTable*>, kMaxDevices> by_device{};
};

Tables& tables() {
  static auto* one = new Tables;  // outlives every static destructor
  return *one;
}

// The places that a reduction finds are a result as its values are; further results of other ops are for backward.
bool returns_all(const OpSpec& spec) { return spec.shape_rule == ShapeRule::reduce && spec.num_outputs() > 1; }

// What both the profile and the kernel allow.
void take_kernel(Binding* binding, const std::string& layout, bool inplace, bool broadcast) {
  binding->kernel = binding->chip->find_kernel(binding->impl);
  if (binding->kernel == nullptr) {
    binding->blocked = Why::no_kernel;
    binding->blocked_text = "the chip library has no kernel '" + binding->impl + "'";
    return;
  }
  const uint32_t flags = binding->kernel->flags;
  if (layout == "strided" && (flags & TFL_KERNEL_STRIDED)) binding->layout = KernelLayout::strided;
  if (layout == "matrix" && (flags & TFL_KERNEL_MATRIX)) binding->layout = KernelLayout::matrix;
  if (layout == "channels_last" || (flags & TFL_KERNEL_NHWC)) binding->layout = KernelLayout::channels_last;
  binding->any_order = (flags & (TFL_KERNEL_ANY_ORDER | TFL_KERNEL_STRIDED)) != 0;
  binding->inplace = inplace && (flags & TFL_KERNEL_INPLACE) != 0;
  binding->first_output = (flags & TFL_KERNEL_FIRST_OUTPUT) != 0;
  if (binding->first_output && returns_all(*binding->spec)) {
    binding->kernel = nullptr;
    binding->blocked = Why::no_kernel;
    binding->blocked_text = "the kernel '" + binding->impl + "' gives the first result alone, and the caller of " +
                            binding->spec->name + " gets every one";
  }
  binding->broadcast = broadcast && (flags & TFL_KERNEL_BROADCAST) != 0;
}

// A chip keeps its counters through unregister_dispatch() and back.
int ordinal_of(const std::string& selector) {
  auto& known = tables().selectors;
  for (size_t i = 0; i < known.size(); ++i)
    if (known[i] == selector) return static_cast<int>(i);
  if (known.size() == kMaxChips) throw std::invalid_argument("more than " + std::to_string(kMaxChips) + " chips");
  known.push_back(selector);
  return static_cast<int>(known.size()) - 1;
}

const OpSpec& require_op(const std::string& name) {
  const OpSpec* spec = find_op(name);
  if (spec == nullptr) throw std::invalid_argument("op '" + name + "' is not in the catalogue");
  return *spec;
}

// A profile's values of an attribute with choices are places in these; of a dtype, a kernel gets the ABI's number.
void name_values(const AttrSpec& attr, Constraint* constraint) {
  constraint->choices = attr.choices;
  if (attr.kind != AttrKind::dtype) return;
  for (double& value : constraint->allowed) value = dtype_by_name(attr.choices.at(static_cast<size_t>(value)));
  constraint->choices.assign(std::begin(kDtypeNames), std::end(kDtypeNames));
}

}  // namespace

const char* dtype_name(int32_t dtype) noexcept {
  return dtype >= 0 && dtype < TFL_DTYPE_COUNT ? kDtypeNames[dtype] : "";
}

int32_t dtype_by_name(const std::string& name) {
  for (int32_t i = 0; i < TFL_DTYPE_COUNT; ++i)
    if (name == kDtypeNames[i]) return i;
  return -1;
}

std::string dtype_names(uint32_t mask) {
  std::string text;
  for (int32_t i = 0; i < TFL_DTYPE_COUNT; ++i)
    if (mask >> i & 1u) text += (text.empty() ? "" : ", ") + std::string(kDtypeNames[i]);
  return text;
}

const char* step_name(PolicyStep::Kind kind) noexcept {
  switch (kind) {
    case PolicyStep::cpu: return "cpu";
    case PolicyStep::error: return "error";
    case PolicyStep::kernel: return "kernel";
    case PolicyStep::decompose: return "decompose";
    case PolicyStep::onnxruntime: return "onnxruntime";
  }
  return "";
}

const Binding* ChipTable::binding(const std::string& overload) const {
  for (const auto& [name, bound] : bindings)
    if (name == overload) return bound;
  return nullptr;
}

const Policy& ChipTable::policy(const std::string& overload, const OpSpec* spec) const {
  std::string base = overload.substr(0, overload.find('.'));
  std::string functional = base;
  if (!functional.empty() && functional.back() == '_' && functional.find("__") == std::string::npos)
    functional.pop_back();
  for (const std::string& wanted : {overload, spec != nullptr ? spec->name : base, base, functional})
    for (const auto& [name, policy] : op_fallback)
      if (name == wanted) return policy;
  return fallback;
}

ChipTable& chip_table(const std::string& selector) {
  Chip* chip = find_chip(selector);
  if (chip == nullptr) throw std::invalid_argument("chip '" + selector + "' is not loaded");
  auto& all = tables().all;
  for (auto& table : all)
    if (table->chip == chip) return *table;
  all.push_back(std::make_unique<ChipTable>());
  all.back()->chip = chip;
  all.back()->ordinal = ordinal_of(selector);
  return *all.back();
}

const std::vector<std::unique_ptr<ChipTable>>& chip_tables() { return tables().all; }

const std::vector<std::string>& chip_selectors() { return tables().selectors; }

void clear_chip_tables() {
  for (auto& slot : tables().by_device) slot.store(nullptr);
  tables().all.clear();
}

const ChipTable* table_of(c10::DeviceIndex device) {
  const auto index = static_cast<size_t>(device);
  if (device < 0 || index >= kMaxDevices) return nullptr;
  if (const ChipTable* known = tables().by_device[index].load(std::memory_order_acquire)) return known;
  const Chip* chip = &chip_of(device);
  for (auto& table : tables().all) {
    if (table->chip != chip) continue;
    tables().by_device[index].store(table.get(), std::memory_order_release);
    return table.get();
  }
  return nullptr;
}

void add_binding(const BindingSpec& from) {
  ChipTable& table = chip_table(from.selector);
  auto binding = std::make_unique<Binding>();
  binding->spec = &require_op(from.op);
  binding->chip = table.chip;
  binding->impl = from.impl;
  binding->alignment = from.alignment;
  binding->pad = from.pad;
  binding->shifts = from.shifts;
  binding->checks_index = from.checks_index;
  for (const std::string& name : from.dtypes) {
    const int32_t dtype = dtype_by_name(name);
    if (dtype < 0) throw std::invalid_argument(from.op + ": unknown dtype '" + name + "'");
    binding->dtypes |= 1u << dtype;
  }
  for (Constraint constraint : from.constraints) {
    constraint.variable = find_variable(*binding->spec, constraint.name);
    for (const AttrSpec& attr : binding->spec->attrs)
      if (attr.name == constraint.name) name_values(attr, &constraint);
    binding->constraints.push_back(std::move(constraint));
  }
  take_kernel(binding.get(), from.layout, from.inplace, from.broadcast);
  if (!from.routes) {
    binding->blocked = Why::unverified;
    binding->blocked_text = "its entry in the profile is unverified; `torchfl probe --device " + from.selector +
                            " --write` settles it";
  }
  if (binding->kernel != nullptr && binding->blocked == Why::none)
    for (int i = 0; i < static_cast<int>(c10::ScalarType::NumOptions); ++i) {
      const auto dtype = static_cast<c10::ScalarType>(i);
      if (const int32_t known = tfl_dtype_of(dtype); known >= 0 && (binding->dtypes >> known & 1u))
        table.chip->add_dtype(dtype);
    }
  for (const std::string& overload : from.overloads) table.bindings.emplace_back(overload, binding.get());
  table.owned.push_back(std::move(binding));
}

std::unique_ptr<Binding> unlimited_binding(Chip& chip, const OpSpec& spec, const std::string& impl) {
  auto binding = std::make_unique<Binding>();
  binding->spec = &spec;
  binding->chip = &chip;
  binding->impl = impl;
  binding->dtypes = (1u << TFL_DTYPE_COUNT) - 1;
  binding->kernel = chip.find_kernel(impl);
  if (binding->kernel == nullptr) return nullptr;
  const uint32_t flags = binding->kernel->flags;
  const bool matrix = (flags & TFL_KERNEL_MATRIX) != 0;
  take_kernel(binding.get(), flags & TFL_KERNEL_STRIDED ? "strided" : matrix ? "matrix" : "contiguous", true, true);
  return binding;
}

void set_policy(const std::string& selector, const std::string& op, const std::vector<std::string>& layers) {
  ChipTable& table = chip_table(selector);
  Policy policy;
  for (const std::string& layer : layers) {
    bool known = false;
    for (PolicyStep::Kind kind :
         {PolicyStep::cpu, PolicyStep::error, PolicyStep::decompose, PolicyStep::onnxruntime}) {
      if (layer != step_name(kind)) continue;
      policy.steps.push_back({kind});
      known = true;
    }
    if (!known) {
      auto binding = op.empty() ? nullptr : unlimited_binding(*table.chip, require_op(op), layer);
      if (binding == nullptr) throw std::invalid_argument("the chip library has no kernel '" + layer + "'");
      policy.steps.push_back({PolicyStep::kernel, binding.get()});
      table.owned.push_back(std::move(binding));
    }
  }
  if (op.empty())
    table.fallback = std::move(policy);
  else
    table.op_fallback.emplace_back(op, std::move(policy));
}

}  // namespace torchfl
