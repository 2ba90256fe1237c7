// Running an op on the host sides of its tensors.
//
// Arguments become CPU tensors that alias the host sides; results become device tensors that take over what
// the CPU produced. A result is recognised by the tensor or the storage that it is, never by the schema, which in some
// ops says otherwise (_unsafe_view aliases, undeclared). Declared views run on CPU tensors without bytes.
#include "fallback/fallback.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <mutex>
#include <optional>
#include <unordered_map>

#include "device/activity.h"
#include "device/chip.h"
#include "device/generator.h"
#include "dispatch/layers.h"
#include "dispatch/unsupported.h"
#include "fallback/host_op.h"
#include "fallback/sparse.h"
#include "memory/access.h"
#include "memory/adopt.h"
#include "memory/box.h"
#include "memory/mapped.h"

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

// The arguments of one call on their way to the host and the results on their way back.
class HostCall {
 public:
  HostCall(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device)
      : op_(op), stack_(stack), base_(stack->size() - op.num_args), device_(device),
        access_(/*windows=*/!op.beyond_views) {}

  void run() {
    for (const HostArg& arg : op_.args) collect(arg, (*stack_)[base_ + arg.index]);
    access_.to_host();
    for (const HostArg& arg : op_.args) replace(arg, (*stack_)[base_ + arg.index]);
    {
      c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
      std::optional<MappedScope> in_place;  // results that stay on the CPU are the user's, in common memory
      if (!results_stay_) in_place.emplace(device_);
      op_.target.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack_);
    }
    access_.commit();
    if (results_stay_) return;
    const size_t first = stack_->size() - op_.num_returns;
    for (size_t i = 0; i < op_.num_returns; ++i) wrap_value((*stack_)[first + i]);
  }

 private:
  bool writes(const HostArg& arg) const {
    return arg.write && (arg.write_when < 0 || (*stack_)[base_ + static_cast<size_t>(arg.write_when)].toBool());
  }

  void take(const HostArg& arg, const at::Tensor& t) {
    if (!t.defined()) return;
    if (is_ours(t)) {
      TORCH_CHECK(t.layout() == at::kStrided, op_.public_name, " on ", t.device(), " does not take a ", t.layout(),
                  " tensor");
      TORCH_CHECK(t.device().index() == device_ || op_.mixes_devices || t.dim() == 0,
                  "Expected all tensors to be on the same device, but found at least two devices, fl:",
                  static_cast<int>(device_), " and ", t.device(), "!");
      if (writes(arg))
        access_.write(t, arg.overwrites);
      else
        access_.read(t);
      return;
    }
    TORCH_CHECK(op_.mixes_devices || (t.dim() == 0 && !arg.write),
                "Expected all tensors to be on the same device, but found at least two devices, fl:",
                static_cast<int>(device_), " and ", t.device(), "!");
    if (t.layout() == at::kStrided && t.has_storage()) foreign_.push_back(storage_of(t));
  }

  void collect(const HostArg& arg, const c10::IValue& value) {
    if (value.isTensor()) {
      take(arg, value.toTensor());
    } else if (value.isList()) {
      for (const c10::IValue& element : value.toListRef())
        if (element.isTensor()) take(arg, element.toTensor());
    }
  }

  at::Tensor host_of(const at::Tensor& t) { return is_ours(t) ? access_.host_view(t) : t; }

  void replace(const HostArg& arg, c10::IValue& value) {
    switch (arg.kind) {
      case HostArg::tensor:
        if (value.isTensor() && is_ours(value.toTensor())) value = access_.host_view(value.toTensor());
        break;
      case HostArg::tensor_list: {
        if (!value.isTensorList()) break;
        c10::List<at::Tensor> list;
        list.reserve(value.toListRef().size());
        for (const c10::IValue& element : value.toListRef()) list.push_back(host_of(element.toTensor()));
        value = std::move(list);
        break;
      }
      case HostArg::optional_tensor_list: {
        if (!value.isList()) break;
        c10::List<std::optional<at::Tensor>> list;
        for (const c10::IValue& element : value.toListRef())
          list.push_back(element.isTensor() ? std::optional<at::Tensor>(host_of(element.toTensor())) : std::nullopt);
        value = std::move(list);
        break;
      }
      case HostArg::device:
        if (!value.isDevice()) break;
        results_stay_ = value.toDevice().is_cpu();
        value = c10::Device(c10::kCPU);
        break;
      case HostArg::generator: {
        if (value.isGenerator() && value.toGenerator().device().is_cpu()) break;
        value = host_generator(value.isGenerator() ? std::optional<at::Generator>(value.toGenerator()) : std::nullopt,
                               device_);
        break;
      }
    }
  }

  void wrap_value(c10::IValue& value) {
    if (value.isTensor()) {
      value = wrap(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      list.reserve(value.toListRef().size());
      for (const c10::IValue& element : value.toListRef()) list.push_back(wrap(element.toTensor()));
      value = std::move(list);
    }
  }

  at::Tensor wrap(const at::Tensor& cpu) {
    if (!cpu.defined() || !cpu.device().is_cpu()) return cpu;
    if (at::Tensor argument = access_.device_tensor_of(cpu); argument.defined()) return argument;
    if (C10_UNLIKELY(cpu._is_zerotensor())) return adopt(at::zeros(cpu.sizes(), cpu.options()), device_);
    if (C10_UNLIKELY(cpu.is_sparse())) return sparse_on_device(cpu, device_);
    TORCH_CHECK(cpu.layout() == at::kStrided && !cpu.is_quantized(), op_.public_name,
                " gives a tensor that the device cannot hold (", cpu.toString(), "): move its arguments to the CPU first");
    if (at::Tensor aliased = access_.device_alias_of(cpu); aliased.defined()) return aliased;
    c10::StorageImpl* storage = storage_of(cpu);
    for (const auto& [known, adopted] : adopted_)
      if (known == storage) return alias(adopted, cpu);
    for (c10::StorageImpl* argument : foreign_)  // the user's own CPU memory is not ours to take
      if (argument == storage) return adopt(cpu.clone(), device_);
    adopted_.emplace_back(storage,
                          adopt_storage(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage), device_));
    return alias(adopted_.back().second, cpu);
  }

  const HostOp& op_;
  torch::jit::Stack* stack_;
  const size_t base_;
  const c10::DeviceIndex device_;
  Access access_;
  c10::SmallVector<c10::StorageImpl*, 2> foreign_;  // storages of CPU arguments
  c10::SmallVector<std::pair<c10::StorageImpl*, c10::Storage>, 2> adopted_;
  bool results_stay_ = false;  // the op was asked for CPU tensors
};

// A view op on CPU tensors without bytes: only sizes, strides and offsets are computed.
void run_view(const HostOp& op, torch::jit::Stack* stack) {
  const size_t base = stack->size() - op.num_args;
  c10::SmallVector<std::pair<at::Tensor, at::Tensor>, 2> shadows;  // device tensor, shadow
  for (const HostArg& arg : op.args) {
    c10::IValue& value = (*stack)[base + arg.index];
    if (!value.isTensor() || !is_ours(value.toTensor())) continue;
    at::Tensor device = value.toTensor();
    shadows.emplace_back(device, shadow(device));
    value = shadows.back().second;
  }
  {
    c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
    op.target.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  }
  const auto back = [&](const at::Tensor& cpu) -> at::Tensor {
    for (const auto& [device, hollow] : shadows) {
      if (hollow.is_same(cpu)) return device;
      if (storage_of(hollow) == storage_of(cpu)) return alias(device.storage(), cpu);
    }
    TORCH_INTERNAL_ASSERT(false, op.name, " is declared a view but gave a tensor of its own");
  };
  const size_t first = stack->size() - op.num_returns;
  for (size_t i = 0; i < op.num_returns; ++i) {
    c10::IValue& value = (*stack)[first + i];
    if (value.isTensor()) {
      value = back(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const c10::IValue& element : value.toListRef()) list.push_back(back(element.toTensor()));
      value = std::move(list);
    }
  }
}

// The dtype that a message about this call names: of its first device tensor.
at::ScalarType dtype_of(const HostOp& op, const torch::jit::Stack& stack) {
  const size_t base = stack.size() - op.num_args;
  for (const HostArg& arg : op.args) {
    const c10::IValue& value = stack[base + arg.index];
    if (value.isTensor() && value.toTensor().defined()) return value.toTensor().scalar_type();
    if (!value.isTensorList()) continue;
    for (const c10::IValue& element : value.toListRef())
      if (element.toTensor().defined()) return element.toTensor().scalar_type();
  }
  return at::ScalarType::Undefined;
}

std::string selector_of(const ChipTable* table, c10::DeviceIndex device) {
  return table != nullptr ? table->chip->selector() : chip_of(device).selector();
}

std::string first_line(const char* text) { return std::string(text).substr(0, std::string(text).find('\n')); }

// Infos of ops that reach the global fallback only; the others carry theirs in their kernel.
struct Infos {
  std::mutex mutex;
  std::unordered_map<c10::OperatorName, std::unique_ptr<HostOp>> by_name;
};

Infos& infos() {
  static auto* one = new Infos;  // outlives every static destructor
  return *one;
}

const HostOp& info_of(const c10::OperatorHandle& op) {
  std::lock_guard<std::mutex> lock(infos().mutex);
  auto& slot = infos().by_name[op.operator_name()];
  if (slot == nullptr) slot = std::make_unique<HostOp>(op, nullptr);
  return *slot;
}

}  // namespace

void run_on_host(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device) {
  HostCall(op, stack, device).run();
}

void refuse(const HostOp& op, const torch::jit::Stack& stack, const ChipTable* table, const Binding* binding,
            const Reason& reason) {
  raise_unsupported(unsupported_text(op.public_name, selector_of(table, device_of(op, stack)), dtype_of(op, stack),
                                     binding, reason, ""));
}

void count_cpu(const HostOp& op, const ChipTable& table, const Binding* binding, const Reason& reason) {
  count(op.record.counters(table.ordinal).cpu);
  if (!op.record.count_reason(table.ordinal, reason))
    op.record.add_reason(table.ordinal, reason, reason_text(reason, op.spec, binding));
}

void serve_on_cpu(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device, const ChipTable* table,
                  const Binding* binding, const Reason& reason) {
  if (table != nullptr) count_cpu(op, *table, binding, reason);
  const at::ScalarType dtype = dtype_of(op, *stack);
  try {
    run_on_host(op, stack, device);
  } catch (const c10::NotImplementedError& e) {
    raise_unsupported(unsupported_text(op.public_name, selector_of(table, device), dtype, binding, reason,
                                       first_line(e.what_without_backtrace())));
  }
}

void fall_back(const HostOp& op, torch::jit::Stack* stack) {
  OpScope scope;
  if (op.is_view) return run_view(op, stack);
  const c10::DeviceIndex device = device_of(op, *stack);
  serve_elsewhere(op, stack, device, {table_of(device), nullptr, {Why::no_entry}});
}

void cpu_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  OpScope scope;
  fall_back(info_of(op), stack);
}

void forget_host_ops() {
  std::lock_guard<std::mutex> lock(infos().mutex);
  infos().by_name.clear();
}

}  // namespace torchfl
