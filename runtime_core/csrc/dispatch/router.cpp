#include "dispatch/router.h"

#include <ATen/ScalarOps.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

#include "device/activity.h"
#include "device/chip.h"
#include "dispatch/adapters.h"
#include "dispatch/launch.h"
#include "dispatch/rearrange.h"
#include "fallback/register.h"
#include "memory/box.h"
#include "memory/copy.h"

namespace torchfl {
namespace {

// This map finds them by name. Changed only while ops are stopped.
std::map<std::string, std::shared_ptr<Site>>& sites() {
  static auto* all = new std::map<std::string, std::shared_ptr<Site>>;  // outlives every static destructor
  return *all;
}

uint8_t argument_index(const c10::FunctionSchema& schema, const std::string& name) {
  const auto index = schema.argumentIndexWithName(name);
  if (!index) throw std::invalid_argument("the catalogue gives " + schema.name() + " an argument '" + name + "' that it lacks");
  return static_cast<uint8_t>(*index);
}

// The chip that a call belongs to, and the kernel that it binds; both may be nullptr.
struct Target {
  const ChipTable* table;
  const Binding* binding;
};

Target target_of(const Site& site, const Call& call) {
  const c10::DeviceIndex device = call.device;
  const ChipTable* table = device >= 0 ? table_of(device) : nullptr;
  return {table, table != nullptr ? site.bindings[static_cast<size_t>(table->ordinal)] : nullptr};
}

}  // namespace

Site::Site(const c10::OperatorHandle& op, const OpSpec* op_spec, Form op_form)
    : spec(op_spec), form(op_form), host(op, op_spec) {
  const c10::FunctionSchema& schema = op.schema();
  for (size_t i = 0; i < spec->inputs.size(); ++i) input_args[i] = argument_index(schema, spec->inputs[i]);
  for (size_t i = 0; i < spec->inputs.size(); ++i)
    if (schema.arguments()[input_args[i]].real_type()->kind() == c10::TypeKind::NumberType)
      number_input = static_cast<int8_t>(i);
  for (size_t i = 0; i < spec->attrs.size(); ++i) attr_args[i] = argument_index(schema, spec->attrs[i].name);
  if (form == Form::inplace) destination_arg = input_args[0];
  if (form == Form::out) destination_arg = argument_index(schema, "out");
  bind();
}

void Site::bind() {
  bindings = {};
  for (const auto& table : chip_tables()) bindings[static_cast<size_t>(table->ordinal)] = table->binding(host.name);
}

void Site::read(const torch::jit::Stack& stack, Call* to) const {
  const size_t base = stack.size() - host.num_args;
  Call& call = *to;
  call.spec = spec;
  call.form = form;
  call.num_inputs = spec->inputs.size();
  if (spec->list_input) {
    const auto list = stack[base + input_args[0]].toListRef();
    call.long_list = list.size() > kMaxInputs;
    call.num_inputs = std::min<size_t>(list.size(), kMaxInputs);
    for (size_t i = 0; i < call.num_inputs; ++i)
      call.inputs[i] = list[i].isTensor() && list[i].toTensor().defined() ? &list[i].toTensor() : nullptr;
  } else {
    for (size_t i = 0; i < spec->inputs.size(); ++i) {
      const c10::IValue& value = stack[base + input_args[i]];
      call.inputs[i] = value.isTensor() && value.toTensor().defined() ? &value.toTensor() : nullptr;
    }
    if (number_input >= 0) {
      set_number(&call, number_input, stack[base + input_args[static_cast<size_t>(number_input)]].toScalar());
    }
  }
  for (size_t i = 0; i < spec->attrs.size(); ++i) call.attr_values[i] = &stack[base + attr_args[i]];
  if (form != Form::functional) call.destination = &stack[base + destination_arg].toTensor();
  call.device = device_of(call);
}

void set_number(Call* call, int input, const at::Scalar& value) {
  call->number = c10::scalar_to_tensor(value);
  call->number.unsafeGetTensorImpl()->set_wrapped_number(true);
  call->inputs[input] = &call->number;
}

bool Attempt::run(at::Tensor* results) {
  table_ = call_.device >= 0 ? table_of(call_.device) : nullptr;
  binding_ = table_ != nullptr ? site_.bindings[static_cast<size_t>(table_->ordinal)] : nullptr;
  reason_ = decide(call_, binding_, /*limits=*/true);
  if (C10_UNLIKELY(reason_ || call_.empty)) return false;
  ChipCounters& counters = site_.host.record.counters(table_->ordinal);
  if (C10_UNLIKELY(call_.adapt & 1u)) tell_layout(call_, *table_, counters);
  reason_ = launch(call_, *binding_, results);
  if (C10_UNLIKELY(reason_)) {
    if (reason_.why != Why::index) count(counters.declined);
    return false;
  }
  count(counters.native);
  if (call_.adapt != 0 || !call_.direct || converts_output(call_)) count(counters.adapted);
  return true;
}

void Attempt::run_elsewhere(torch::jit::Stack* stack) {
  if (!reason_ && call_.empty) return run_on_host(site_.host, stack, call_.device);
  const c10::DeviceIndex device = call_.device >= 0 ? call_.device : current_device();
  serve_elsewhere(site_.host, stack, device, {table_, binding_, reason_, &call_});
}

void Attempt::count_on_cpu(const Reason& reason) {
  const Target target = target_of(site_, call_);
  if (target.table != nullptr) count_cpu(site_.host, *target.table, target.binding, reason ? reason : reason_);
}

void route(const Site& site, torch::jit::Stack* stack) {
  OpScope scope;
  Call call;
  site.read(*stack, &call);
  Attempt attempt(site, call);
  at::Tensor results[kMaxOutputs];
  if (!attempt.run(results)) return attempt.run_elsewhere(stack);
  push_results(call, site.host.num_args, results, stack);
}

Explanation explain(const Site& site, const torch::jit::Stack& stack) {
  Call call;
  site.read(stack, &call);
  const Target target = target_of(site, call);
  const Reason reason = decide(call, target.binding, /*limits=*/true);
  if (!reason) {
    if (call.empty) return {Layer::empty, nullptr, "the output has no elements"};
    const std::string adapters = adapters_text(call);
    return {Layer::native, target.binding, adapters.empty() ? "" : "after adapters: " + adapters};
  }
  return explain_elsewhere(site.host, stack, {target.table, target.binding, reason, &call});
}

namespace {

Reason reason_of(CopyKind kind) { return {kind == CopyKind::dtype ? Why::copy_dtype : Why::copy_order}; }

Explanation explain_copy(const at::Tensor& self, const at::Tensor& src) {
  if (!is_ours(self) || !is_ours(src)) return {Layer::view, nullptr, "a copy between the host and the device"};
  const at::Tensor from = src.expand(self.sizes());
  const CopyKind kind = copy_kind(self, from);
  if (kind == CopyKind::bytes) return {Layer::view, nullptr, "bytes are copied as they are: nothing is computed"};
  if (kind == CopyKind::order && self.is_non_overlapping_and_dense() && self.device() == src.device() && !self.is_conj() &&
      !self.is_neg())
    if (const Binding* binding = rearranging_kernel(from, self.strides()); binding != nullptr)
      return {Layer::native, binding, "the order of elements, where the device has them"};
  return {Layer::cpu, nullptr, reason_text(reason_of(kind), nullptr, nullptr)};
}

}  // namespace

void count_host_copy(const at::Tensor& self, const at::Tensor& src) {
  const ChipTable* table = table_of(self.device().index());
  if (table == nullptr) return;
  OpRecord& record = record_of("aten::copy_");
  const Reason reason = reason_of(copy_kind(self, src));
  count(record.counters(table->ordinal).cpu);
  if (!record.count_reason(table->ordinal, reason))
    record.add_reason(table->ordinal, reason, reason_text(reason, nullptr, nullptr));
}

Explanation explain_fallback(const HostOp& op, const torch::jit::Stack& stack) {
  if (op.is_view) return {Layer::view, nullptr, "a view: nothing is computed"};
  if (op.name == "aten::copy_") return explain_copy(stack[stack.size() - 3].toTensor(), stack[stack.size() - 2].toTensor());
  return explain_elsewhere(op, stack, {table_of(device_of(op, stack)), nullptr, {Why::no_entry}});
}

const Site* find_site(const std::string& overload) {
  const auto found = sites().find(overload);
  return found == sites().end() ? nullptr : found->second.get();
}

void register_sites(torch::Library& aten, torch::Library& own) {
  auto& dispatcher = c10::Dispatcher::singleton();
  const auto concerns = [](const ChipTable& table, const OpSpec& spec, const std::string& overload) {
    if (table.binding(overload) != nullptr) return true;
    for (const PolicyStep& step : table.policy(overload, &spec).steps)
      if (step.kind == PolicyStep::kernel) return true;
    return false;
  };
  for (const OpSpec* spec : all_ops()) {
    const std::pair<const std::string&, Form> forms[] = {{spec->functional, Form::functional},
                                                         {spec->scalar, Form::functional},
                                                         {spec->inplace, Form::inplace},
                                                         {spec->scalar_inplace, Form::inplace},
                                                         {spec->out, Form::out}};
    for (const auto& [overload, form] : forms) {
      if (overload.empty() || find_site(overload) != nullptr) continue;
      bool wanted = spec->name == "aten::_to_copy";  // which nobody else would count
      for (const auto& table : chip_tables()) wanted = wanted || concerns(*table, *spec, overload);
      if (!wanted) continue;
      const size_t dot = overload.find('.');
      const auto op = dispatcher.findSchema(
          {overload.substr(0, dot), dot == std::string::npos ? "" : overload.substr(dot + 1)});
      if (!op) continue;
      const bool taken = op->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1);
      if (taken && !may_route_through_fallback(overload)) continue;
      auto site = std::make_shared<Site>(*op, spec, form);
      sites()[overload] = site;
      if (taken) {
        route_through_fallback(overload, std::move(site));
        continue;
      }
      torch::Library& library = overload.rfind("aten::", 0) == 0 ? aten : own;
      library.impl(overload.substr(overload.find("::") + 2).c_str(), make_entry(std::move(site), op->schema()));
    }
  }
}

void bind_sites() {
  for (const auto& [name, site] : sites()) site->bind();
}

void forget_sites() { sites().clear(); }

}  // namespace torchfl
