// Running an op with a sparse argument: every device tensor is copied to the CPU, results and written arguments are
// copied back. Slow and right; no chip has sparse kernels.
#include "fallback/sparse.h"

#include <ATen/SparseTensorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_coalesced_native.h>
#include <ATen/ops/_indices_native.h>
#include <ATen/ops/_nnz_native.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>
#include <ATen/ops/_sparse_coo_tensor_with_dims_and_tensors_native.h>
#include <ATen/ops/_sparse_coo_tensor_with_dims_native.h>
#include <ATen/ops/_values_native.h>
#include <ATen/ops/clone_native.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/copy_sparse_to_sparse_native.h>
#include <ATen/ops/dense_dim_native.h>
#include <ATen/ops/empty_like_native.h>
#include <ATen/ops/empty_native.h>
#include <ATen/ops/indices_native.h>
#include <ATen/ops/is_coalesced_native.h>
#include <ATen/ops/sparse_dim_native.h>
#include <ATen/ops/sparse_resize_and_clear_native.h>
#include <ATen/ops/sparse_resize_native.h>
#include <ATen/ops/values_native.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>
#include <string>
#include <utility>

#include "device/chip.h"
#include "device/generator.h"
#include "dispatch/binding.h"
#include "dispatch/reasons.h"
#include "memory/box.h"

namespace torchfl {
namespace {

using at::Tensor;

Tensor sparse_like(const Tensor& from, const Tensor& indices, const Tensor& values) {
  return at::_sparse_coo_tensor_unsafe(indices, values, from.sizes(), values.scalar_type(), at::kSparse,
                                       values.device(), /*pin_memory=*/false, from.is_coalesced());
}

Tensor on_cpu(const Tensor& t) {
  if (!t.is_sparse()) return t.cpu();
  return sparse_like(t, t._indices().cpu(), t._values().cpu());
}

// The arguments of one call on the CPU, and their way back.
class SparseCall {
 public:
  SparseCall(const c10::OperatorHandle& op, torch::jit::Stack* stack) : op_(op), stack_(stack) {}

  void run() {
    const auto& arguments = op_.schema().arguments();
    const size_t base = stack_->size() - arguments.size();
    for (size_t i = 0; i < arguments.size(); ++i) replace((*stack_)[base + i], arguments[i]);
    if (!device_.has_value()) device_ = current_device();
    note();
    for (size_t i = 0; i < arguments.size(); ++i)
      if (c10::IValue& value = (*stack_)[base + i]; value.isGenerator())
        value = host_generator(value.toGenerator(), *device_);
    {
      c10::impl::ExcludeDispatchKeyGuard below(c10::autograd_dispatch_keyset_with_ADInplaceOrView |
                                               c10::autocast_dispatch_keyset);
      op_.callBoxed(stack_);
    }
    for (const Moved& moved : moved_)
      if (moved.written) write_back(moved);
    const size_t first = stack_->size() - op_.schema().returns().size();
    for (size_t i = first; i < stack_->size(); ++i) return_value((*stack_)[i]);
  }

 private:
  void note() const {
    const ChipTable* table = table_of(*device_);
    if (table == nullptr) return;
    const c10::OperatorName& name = op_.operator_name();
    OpRecord& record = record_of(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
    count(record.counters(table->ordinal).cpu);
    const Reason reason{Why::layout};
    if (!record.count_reason(table->ordinal, reason))
      record.add_reason(table->ordinal, reason, reason_text(reason, nullptr, nullptr));
  }

  struct Moved {
    Tensor device, cpu;
    bool written;
  };

  Tensor moved(const Tensor& t, bool written) {
    if (!t.defined() || (t.device().is_cpu() && t.dim() == 0)) return t;
    const bool ours = t.device().type() == c10::DeviceType::PrivateUse1;
    TORCH_CHECK(ours && (!device_.has_value() || *device_ == t.device().index() || t.dim() == 0),
                "Expected all tensors to be on the same device, but found at least two devices, fl:",
                static_cast<int>(device_.value_or(current_device())), " and ", t.device(), "!");
    if (!device_.has_value()) device_ = t.device().index();
    for (Moved& known : moved_)
      if (known.device.is_same(t)) {
        known.written |= written;
        return known.cpu;
      }
    moved_.push_back({t, on_cpu(t), written});
    return moved_.back().cpu;
  }

  void replace(c10::IValue& value, const c10::Argument& argument) {
    const bool written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    if (value.isTensor()) {
      value = moved(value.toTensor(), written);
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const c10::IValue& element : value.toListRef()) list.push_back(moved(element.toTensor(), written));
      value = std::move(list);
    } else if (value.isDevice() && !value.toDevice().is_cpu()) {
      if (!device_.has_value()) device_ = resolve_index(value.toDevice().index());
      value = c10::Device(c10::kCPU);
    }
  }

  static void write_back(const Moved& moved) {
    if (moved.device.is_sparse()) {
      auto* impl = static_cast<at::SparseTensorImpl*>(moved.device.unsafeGetTensorImpl());
      const c10::Device device = moved.device.device();
      impl->raw_resize_(moved.cpu.sparse_dim(), moved.cpu.dense_dim(), moved.cpu.sizes());
      impl->set_indices_and_values_unsafe(moved.cpu._indices().to(device), moved.cpu._values().to(device));
      impl->set_coalesced(moved.cpu.is_coalesced());
      return;
    }
    if (moved.device.sizes() != moved.cpu.sizes()) moved.device.resize_(moved.cpu.sizes());
    moved.device.copy_(moved.cpu);
  }

  Tensor returned(const Tensor& cpu) const {
    if (!cpu.defined() || !cpu.device().is_cpu()) return cpu;
    for (const Moved& argument : moved_)
      if (argument.cpu.is_same(cpu)) return argument.device;
    if (cpu.is_sparse()) return sparse_on_device(cpu, *device_);
    TORCH_CHECK(cpu.layout() == at::kStrided, op_.operator_name(), " gives a ", cpu.layout(),
                " tensor, which the device cannot hold: move its arguments to the CPU first");
    return cpu.to(c10::Device(c10::DeviceType::PrivateUse1, *device_));
  }

  void return_value(c10::IValue& value) const {
    if (value.isTensor()) {
      value = returned(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const c10::IValue& element : value.toListRef()) list.push_back(returned(element.toTensor()));
      value = std::move(list);
    }
  }

  const c10::OperatorHandle& op_;
  torch::jit::Stack* stack_;
  std::optional<c10::DeviceIndex> device_;
  std::vector<Moved> moved_;
};

// torch makes a sparse tensor of an accelerator on its current device, so the one that is asked for must be that.
Tensor with_dims(int64_t sparse_dim, int64_t dense_dim, at::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pin_memory) {
  const c10::OptionalDeviceGuard guard(device);
  return at::native::new_with_dims_sparse(sparse_dim, dense_dim, size, dtype, layout, device, pin_memory);
}

Tensor with_tensors(int64_t sparse_dim, int64_t dense_dim, c10::SymIntArrayRef size, const Tensor& indices,
                    const Tensor& values, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                    std::optional<at::Device> device, std::optional<bool> pin_memory, std::optional<bool> is_coalesced) {
  const c10::DeviceGuard guard(values.device());
  return at::native::new_with_dims_and_tensor_sparse_symint(sparse_dim, dense_dim, size, indices, values, dtype, layout,
                                                            device, pin_memory, is_coalesced);
}

Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
             std::optional<at::Device> device, std::optional<bool> pin_memory,
             std::optional<at::MemoryFormat> format) {
  const c10::OptionalDeviceGuard guard(device);
  return at::native::empty_sparse_symint(size, dtype, layout, device, pin_memory, format);
}

Tensor clone(const Tensor& self, std::optional<at::MemoryFormat> format) {
  const c10::DeviceGuard guard(self.device());
  return at::native::clone_sparse(self, format);
}

Tensor empty_like(const Tensor& self, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                  std::optional<at::Device> device, std::optional<bool> pin_memory,
                  std::optional<at::MemoryFormat> format) {
  const c10::DeviceGuard guard(device.value_or(self.device()));
  return at::native::empty_like_sparse_coo(self, dtype, layout, device, pin_memory, format);
}

void sparse_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) { SparseCall(op, stack).run(); }

template <int kind>
void refuse(const c10::OperatorHandle& op, torch::jit::Stack*) {
  constexpr const char* names[] = {"compressed sparse", "quantized", "strided nested"};
  constexpr const char* fixes[] = {"use the sparse COO layout, or the CPU", "quantize and compute on the CPU",
                                   "make it with layout=torch.jagged, or on the CPU"};
  TORCH_CHECK_NOT_IMPLEMENTED(false, op.operator_name().name, ": the device holds no ", names[kind], " tensors; ",
                              fixes[kind]);
}

bool has_composite(const c10::OperatorHandle& op) {
  return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
         op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional);
}

// A composite would be taken before the key's fallback, and on sparse tensors it says something else.
void register_where_composites_are(torch::Library& aten) {
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findSchema(name);
    if (!op || name.name.rfind("aten::", 0) != 0 || op->hasKernelForDispatchKey(c10::DispatchKey::SparsePrivateUse1) ||
        !op->hasKernelForDispatchKey(c10::DispatchKey::SparseCPU) || !has_composite(*op))
      continue;
    const std::string base = name.name.substr(6);
    aten.impl((name.overload_name.empty() ? base : base + "." + name.overload_name).c_str(),
              torch::CppFunction::makeFromBoxedFunction<&sparse_fallback>());
  }
}

torch::Library& library(std::vector<std::unique_ptr<torch::Library>>* libraries, const char* space,
                        c10::DispatchKey key) {
  libraries->push_back(std::make_unique<torch::Library>(torch::Library::IMPL, space, key, __FILE__, __LINE__));
  return *libraries->back();
}

}  // namespace

at::Tensor sparse_on_device(const at::Tensor& cpu, c10::DeviceIndex device) {
  const c10::Device there(c10::DeviceType::PrivateUse1, device);
  return sparse_like(cpu, cpu._indices().to(there), cpu._values().to(there));
}

void register_other_layouts(std::vector<std::unique_ptr<torch::Library>>* libraries) {
  torch::Library& aten = library(libraries, "aten", c10::DispatchKey::SparsePrivateUse1);
  aten.impl("_sparse_coo_tensor_with_dims", TORCH_FN(with_dims));
  aten.impl("_sparse_coo_tensor_with_dims_and_tensors", TORCH_FN(with_tensors));
  aten.impl("_indices", TORCH_FN(at::native::_indices_sparse));
  aten.impl("_values", TORCH_FN(at::native::_values_sparse));
  aten.impl("indices", TORCH_FN(at::native::indices_sparse));
  aten.impl("values", TORCH_FN(at::native::values_sparse));
  aten.impl("_nnz", TORCH_FN(at::native::_nnz_sparse));
  aten.impl("sparse_dim", TORCH_FN(at::native::sparse_dim_sparse));
  aten.impl("dense_dim", TORCH_FN(at::native::dense_dim_sparse));
  aten.impl("is_coalesced", TORCH_FN(at::native::is_coalesced_sparse));
  aten.impl("_coalesced_", TORCH_FN(at::native::_coalesced_sparse_));
  aten.impl("empty.memory_format", TORCH_FN(empty));
  aten.impl("empty_like", TORCH_FN(empty_like));
  aten.impl("clone", TORCH_FN(clone));
  aten.impl("copy_", TORCH_FN(at::native::copy_sparse_wrapper_));
  aten.impl("copy_sparse_to_sparse_", TORCH_FN(at::native::copy_sparse_));
  aten.impl("sparse_resize_", TORCH_FN(at::native::sparse_resize_));
  aten.impl("sparse_resize_and_clear_", TORCH_FN(at::native::sparse_resize_and_clear_));
  register_where_composites_are(aten);
  // Composites that make compressed tensors: torch would assert, or make one that nothing works on.
  torch::Library& compressed = library(libraries, "aten", c10::DispatchKey::SparseCsrPrivateUse1);
  for (const char* name : {"_to_copy", "_sparse_compressed_tensor_unsafe", "_sparse_csr_tensor_unsafe",
                           "_sparse_csc_tensor_unsafe", "_sparse_bsr_tensor_unsafe", "_sparse_bsc_tensor_unsafe"})
    compressed.impl(name, torch::CppFunction::makeFromBoxedFunction<&refuse<0>>());
  // torch.nn.TransformerEncoder asks this before it packs padded sentences into a strided nested tensor. Where it may not,
  // it computes with the padding.
  library(libraries, "aten", c10::DispatchKey::PrivateUse1)
      .impl("_nested_tensor_from_mask_left_aligned", [](const Tensor&, const Tensor&) { return false; });
  library(libraries, "_", c10::DispatchKey::SparsePrivateUse1)
      .fallback(torch::CppFunction::makeFromBoxedFunction<&sparse_fallback>());
  library(libraries, "_", c10::DispatchKey::SparseCsrPrivateUse1)
      .fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<0>>());
  library(libraries, "_", c10::DispatchKey::QuantizedPrivateUse1)
      .fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<1>>());
  library(libraries, "_", c10::DispatchKey::NestedTensorPrivateUse1)
      .fallback(torch::CppFunction::makeFromBoxedFunction<&refuse<2>>());
}

}  // namespace torchfl
