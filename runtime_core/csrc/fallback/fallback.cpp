// Running an op on the host sides of its tensors, with its arguments on a stack. Declared views run on CPU tensors without
// bytes.
#include "fallback/fallback.h"

#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "device/activity.h"
#include "device/chip.h"
#include "device/generator.h"
#include "dispatch/layers.h"
#include "dispatch/unsupported.h"
#include "fallback/host_call.h"
#include "fallback/host_op.h"
#include "identity/alias.h"
#include "memory/adopt.h"

namespace torchfl {
namespace {

// A call whose arguments lie on a stack.
class BoxedCall {
 public:
  BoxedCall(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device)
      : op_(op), stack_(stack), base_(stack->size() - op.num_args), device_(device), call_(op, device) {}

  void run() {
    for (const HostArg& arg : op_.args) collect(arg, (*stack_)[base_ + arg.index]);
    call_.to_host();
    for (const HostArg& arg : op_.args) replace(arg, (*stack_)[base_ + arg.index]);
    {
      const OnHost here(device_, results_stay_);
      op_.target.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack_);
    }
    call_.commit();
    if (results_stay_) return;
    const size_t first = stack_->size() - op_.num_returns;
    for (size_t i = 0; i < op_.num_returns; ++i) wrap_value((*stack_)[first + i]);
  }

 private:
  bool writes(const HostArg& arg) const {
    return arg.write && (arg.write_when < 0 || (*stack_)[base_ + static_cast<size_t>(arg.write_when)].toBool());
  }

  void collect(const HostArg& arg, const c10::IValue& value) {
    if (value.isTensor()) {
      call_.take(value.toTensor(), writes(arg), arg.overwrites);
    } else if (value.isList()) {
      for (const c10::IValue& element : value.toListRef())
        if (element.isTensor()) call_.take(element.toTensor(), writes(arg), arg.overwrites);
    }
  }

  // The device tensors live on while the call needs them.
  void put(c10::IValue& value, c10::IValue on_host) { held_.push_back(std::exchange(value, std::move(on_host))); }

  void replace(const HostArg& arg, c10::IValue& value) {
    switch (arg.kind) {
      case HostArg::tensor:
        if (value.isTensor() && is_ours(value.toTensor())) put(value, call_.host_of(value.toTensor()));
        break;
      case HostArg::tensor_list: {
        if (!value.isTensorList()) break;
        c10::List<at::Tensor> list;
        list.reserve(value.toListRef().size());
        for (const c10::IValue& element : value.toListRef()) list.push_back(call_.host_of(element.toTensor()));
        put(value, std::move(list));
        break;
      }
      case HostArg::optional_tensor_list: {
        if (!value.isList()) break;
        c10::List<std::optional<at::Tensor>> list;
        for (const c10::IValue& element : value.toListRef())
          list.push_back(element.isTensor() ? std::optional<at::Tensor>(call_.host_of(element.toTensor())) : std::nullopt);
        put(value, std::move(list));
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
      value = call_.wrap(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      list.reserve(value.toListRef().size());
      for (const c10::IValue& element : value.toListRef()) list.push_back(call_.wrap(element.toTensor()));
      value = std::move(list);
    }
  }

  const HostOp& op_;
  torch::jit::Stack* stack_;
  const size_t base_;
  const c10::DeviceIndex device_;
  c10::SmallVector<c10::IValue, 4> held_;
  HostCall call_;
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
    const BelowAutograd here;
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

// A kernel that the author of an op has registered for "xpu" is meant for our devices.
bool run_authors_kernel(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (!is_aliased() || op.operator_name().name.rfind("aten::", 0) == 0) return false;
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::XPU)) return false;
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::XPU), stack);
  return true;
}

}  // namespace

void run_on_host(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device) {
  BoxedCall(op, stack, device).run();
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
    refuse_unimplemented(op, device, dtype, table, binding, reason, e);
  }
}

void refuse_unimplemented(const HostOp& op, c10::DeviceIndex device, at::ScalarType dtype, const ChipTable* table,
                          const Binding* binding, const Reason& reason, const c10::NotImplementedError& e) {
  raise_unsupported(unsupported_text(op.public_name, selector_of(table, device), dtype, binding, reason,
                                     first_line(e.what_without_backtrace())));
}

void fall_back(const HostOp& op, torch::jit::Stack* stack) {
  OpScope scope;
  if (op.is_view) return run_view(op, stack);
  const c10::DeviceIndex device = device_of(op, *stack);
  serve_elsewhere(op, stack, device, {table_of(device), nullptr, {Why::no_entry}});
}

void cpu_fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  if (run_authors_kernel(op, stack)) return;  // outside the scope: it is Python that may do anything
  OpScope scope;
  fall_back(info_of(op), stack);
}

void forget_host_ops() {
  std::lock_guard<std::mutex> lock(infos().mutex);
  infos().by_name.clear();
}

}  // namespace torchfl
