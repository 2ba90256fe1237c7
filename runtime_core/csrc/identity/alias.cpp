// Level A of the identity: what reaches one of torch's XPU keys is sent on with its Device arguments rewritten.
//
// torch's own XPU keys carry no kernels in a build without Intel support, so one boxed kernel per key serves every
// factory. Tensors never carry an XPU key: they are made on PrivateUse1.
#include "identity/alias.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/to_native.h>
#include <torch/library.h>

#include <atomic>
#include <memory>
#include <vector>

#include "device/activity.h"
#include "device/chip.h"
#include "device/hooks.h"
#include "identity/autocast.h"
#include "memory/native.h"

namespace torchfl {
namespace {

using c10::DispatchKey;

c10::Device ours(c10::Device device) {
  if (device.type() == c10::DeviceType::XPU) device = c10::Device(c10::DeviceType::PrivateUse1, device.index());
  if (device.type() != c10::DeviceType::PrivateUse1) return device;
  return {device.type(), resolve_index(device.index())};
}

std::optional<c10::Device> ours(std::optional<c10::Device> device) {
  return device.has_value() ? std::optional(ours(*device)) : std::nullopt;
}

std::atomic<bool> aliased{false};

template <class Name>
void check_aliased(const Name& op) {
  TORCH_CHECK_NOT_IMPLEMENTED(aliased.load(), "Could not run '", op, "' with arguments from the 'XPU' backend: the device is "
                              "named fl in this process");
}

void redirect(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  OpScope scope;
  check_aliased(op.operator_name());
  bool rewritten = false;
  const auto count = op.schema().arguments().size();
  for (size_t i = stack->size() - count; i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isDevice() && value.toDevice().type() == c10::DeviceType::XPU) {
      value = ours(value.toDevice());
      rewritten = true;
    }
  }
  TORCH_CHECK(rewritten, op.operator_name(), " was called for torch's XPU backend without a device argument; torchfl "
              "cannot tell which device is meant. Pass device=\"xpu\"");
  op.callBoxed(stack);
}

// The factories that the others are made of, past the stack.
at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout,
                 std::optional<c10::Device> device, std::optional<bool> pin_memory,
                 std::optional<at::MemoryFormat> format) {
  OpScope scope;  // after a shutdown it says so
  check_aliased("aten::empty.memory_format");
  return empty_here(sizes, dtype, layout, ours(device), pin_memory, format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> dtype,
                         std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                         std::optional<bool> pin_memory) {
  OpScope scope;  // after a shutdown it says so
  check_aliased("aten::empty_strided");
  return empty_strided_here(sizes, strides, dtype, layout, ours(device), pin_memory);
}

// Without these, .to("xpu:0") of a tensor on fl:0 sees two different devices and copies each time.
at::Tensor to_dtype_layout(const at::Tensor& self, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout,
                           std::optional<c10::Device> device, std::optional<bool> pin_memory, bool non_blocking,
                           bool copy, std::optional<at::MemoryFormat> format) {
  if (device.has_value()) device = ours(*device);
  return at::native::to(self, dtype, layout, device, pin_memory, non_blocking, copy, format);
}

at::Tensor to_device(const at::Tensor& self, c10::Device device, at::ScalarType dtype, bool non_blocking, bool copy,
                     std::optional<at::MemoryFormat> format) {
  return at::native::to(self, ours(device), dtype, non_blocking, copy, format);
}

std::vector<std::unique_ptr<torch::Library>>& libraries() {
  static auto* list = new std::vector<std::unique_ptr<torch::Library>>;  // leaked: the dispatcher may be gone at exit
  return *list;
}

torch::Library& library(const char* space, DispatchKey key) {
  libraries().push_back(std::make_unique<torch::Library>(torch::Library::IMPL, space, key, __FILE__, __LINE__));
  return *libraries().back();
}

}  // namespace

void register_identity(bool alias) {
  if (libraries().empty()) {
    install_device();
    register_memory_ops(library("aten", DispatchKey::PrivateUse1));
    register_shallow_copy(library("aten", DispatchKey::AutogradPrivateUse1));
    register_autocast(library("aten", DispatchKey::AutocastPrivateUse1));
    library("_", DispatchKey::AutocastPrivateUse1).fallback(torch::CppFunction::makeFallthrough());
  }
  static bool alias_registered = false;
  if (alias && !alias_registered) {
    for (DispatchKey key : {DispatchKey::AutogradPrivateUse1, DispatchKey::PrivateUse1}) {
      torch::Library& conversions = library("aten", key);
      conversions.impl("to.dtype_layout", TORCH_FN(to_dtype_layout));
      conversions.impl("to.device", TORCH_FN(to_device));
    }
    torch::Library& factories = library("aten", DispatchKey::XPU);
    factories.impl("empty.memory_format", TORCH_FN(empty));
    factories.impl("empty_strided", TORCH_FN(empty_strided));
    install_xpu_alias();
    for (DispatchKey key : {DispatchKey::XPU, DispatchKey::SparseXPU, DispatchKey::SparseCsrXPU,
                            DispatchKey::QuantizedXPU, DispatchKey::NestedTensorXPU})
      library("_", key).fallback(torch::CppFunction::makeFromBoxedFunction<&redirect>());
    alias_registered = true;
  }
  aliased.store(alias);
}

void unregister_identity() { aliased.store(false); }

bool is_aliased() noexcept { return aliased.load(std::memory_order_relaxed); }

}  // namespace torchfl
