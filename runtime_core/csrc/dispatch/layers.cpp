#include "dispatch/layers.h"

#include <ATen/core/Tensor.h>

#include "device/chip.h"
#include "dispatch/launch.h"
#include "dispatch/python_layers.h"

namespace torchfl {
namespace {

const Policy* policy_of(const HostOp& op, const ChipTable* table) {
  return table != nullptr && !op.setup ? op.policies[static_cast<size_t>(table->ordinal)] : nullptr;
}

void note(const HostOp& op, const ChipTable& table, const Reason& reason, const Binding* binding) {
  if (!op.record.count_reason(table.ordinal, reason))
    op.record.add_reason(table.ordinal, reason, reason_text(reason, op.spec, binding));
}

// A layer that was asked and does not serve the call: once per op and layer, with what it said first.
void note_pass(const HostOp& op, const ChipTable& table, PolicyStep::Kind kind, const std::string& why) {
  const Reason reason{Why::layer, kind};
  if (!op.record.count_reason(table.ordinal, reason))
    op.record.add_reason(table.ordinal, reason, std::string("layer ") + step_name(kind) + ": " + why);
}

// A kernel that the policy names. Its refusal is noted like that of the chip's own.
bool run_kernel(const HostOp& op, const PolicyStep& step, const Refusal& refusal, torch::jit::Stack* stack) {
  Call* call = refusal.call;
  if (call == nullptr || decide(*call, step.binding, /*limits=*/false) || call->empty) return false;
  at::Tensor results[kMaxOutputs];
  ChipCounters& counters = op.record.counters(refusal.table->ordinal);
  if (const Reason declined = launch(*call, *step.binding, results)) {
    if (declined.why != Why::index) count(counters.declined);
    note(op, *refusal.table, declined, step.binding);
    return false;
  }
  count(counters.op_specific);
  push_results(*call, op.num_args, results, stack);
  return true;
}

bool run_in_python(const HostOp& op, const PolicyStep& step, const ChipTable& table, torch::jit::Stack* stack) {
  std::string why;
  if (serve_in_python(step.kind, op, table, stack, &why)) {
    ChipCounters& counters = op.record.counters(table.ordinal);
    count(step.kind == PolicyStep::decompose ? counters.decomposed : counters.onnxruntime);
    return true;
  }
  note_pass(op, table, step.kind, why);
  return false;
}

}  // namespace

const char* layer_name(Layer layer) noexcept {
  switch (layer) {
    case Layer::native: return "native";
    case Layer::op_specific: return "op_specific";
    case Layer::decompose: return "decompose";
    case Layer::onnxruntime: return "onnxruntime";
    case Layer::cpu: return "cpu";
    case Layer::error: return "error";
    case Layer::empty: return "empty";
    case Layer::view: return "view";
  }
  return "";
}

void serve_elsewhere(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device, const Refusal& refusal) {
  const bool mistaken = refusal.reason.why == Why::index;  // no layer serves it, and PyTorch's own words say why
  const Policy* policy = mistaken ? nullptr : policy_of(op, refusal.table);
  if (policy != nullptr) {
    for (const PolicyStep& step : policy->steps) {
      if (step.kind == PolicyStep::cpu) break;
      if (step.kind == PolicyStep::error) refuse(op, *stack, refusal.table, refusal.binding, refusal.reason);
      const bool served = step.kind == PolicyStep::kernel ? run_kernel(op, step, refusal, stack)
                                                          : run_in_python(op, step, *refusal.table, stack);
      if (!served) continue;
      note(op, *refusal.table, refusal.reason, refusal.binding);
      return;
    }
  }
  serve_on_cpu(op, stack, device, refusal.table, refusal.binding, refusal.reason);
}

bool cpu_is_first(const HostOp& op, const ChipTable* table) noexcept {
  const Policy* policy = policy_of(op, table);
  return policy == nullptr || policy->steps.empty() || policy->steps.front().kind == PolicyStep::cpu;
}

Explanation explain_elsewhere(const HostOp& op, const torch::jit::Stack& stack, const Refusal& refusal) {
  const std::string why = reason_text(refusal.reason, op.spec, refusal.binding);
  std::string passed;  // the layers that would not serve it, and why
  if (const Policy* policy = policy_of(op, refusal.table)) {
    for (const PolicyStep& step : policy->steps) {
      if (step.kind == PolicyStep::cpu) break;
      if (step.kind == PolicyStep::error) return {Layer::error, nullptr, why + passed};
      if (step.kind == PolicyStep::kernel) {
        if (refusal.call != nullptr && !decide(*refusal.call, step.binding, /*limits=*/false) && !refusal.call->empty)
          return {Layer::op_specific, step.binding, why};
        continue;
      }
      std::string text;
      const bool serves = offered_by_python(step.kind, op, *refusal.table, stack, &text);
      const std::string said = std::string("; ") + step_name(step.kind) + ": " + text;
      if (serves)
        return {step.kind == PolicyStep::decompose ? Layer::decompose : Layer::onnxruntime, nullptr, why + said};
      passed += said;
    }
  }
  return {Layer::cpu, nullptr, why + passed};
}

}  // namespace torchfl
