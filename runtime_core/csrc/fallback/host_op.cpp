// What a schema tells about an overload, once.
#include "fallback/host_op.h"

#include <mutex>
#include <unordered_set>

#include "device/chip.h"
#include "fallback/exceptions.h"

namespace torchfl {
namespace {

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

// In-place forms go by the name of the op: "aten::relu_" is "aten::relu" to a profile.
std::string base_name(const std::string& name) {
  if (name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_') return name.substr(0, name.size() - 1);
  return name;
}

// Every one that lives.
struct All {
  std::mutex mutex;
  std::unordered_set<const HostOp*> ops;
};
All& all() {
  static auto* one = new All;  // outlives every static destructor
  return *one;
}

void bind(const HostOp& op) {
  op.policies = {};
  op.hopeless.store(0);
  for (const auto& table : chip_tables()) op.policies[static_cast<size_t>(table->ordinal)] = &table->policy(op.name, op.spec);
}

// The overload whose CPU kernel has the op's meaning, with the same arguments: the catalogue's reference.
c10::OperatorHandle target_of(const c10::OperatorHandle& op, const OpSpec* spec) {
  if (spec == nullptr || spec->reference.empty() || full_name(op.operator_name()) != spec->functional) return op;
  const size_t dot = spec->reference.find('.');
  return c10::Dispatcher::singleton().findSchemaOrThrow(
      spec->reference.substr(0, dot).c_str(),
      dot == std::string::npos ? "" : spec->reference.substr(dot + 1).c_str());
}

std::optional<HostArg::Kind> kind_of(const c10::TypePtr& declared) {
  c10::TypePtr type = declared;
  if (type->kind() == c10::TypeKind::OptionalType) type = type->expectRef<c10::OptionalType>().getElementType();
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return HostArg::tensor;
    case c10::TypeKind::DeviceObjType:
      return HostArg::device;
    case c10::TypeKind::GeneratorType:
      return HostArg::generator;
    case c10::TypeKind::ListType: {
      const auto element = type->expectRef<c10::ListType>().getElementType();
      if (element->kind() == c10::TypeKind::TensorType) return HostArg::tensor_list;
      if (element->kind() == c10::TypeKind::OptionalType &&
          element->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::TensorType)
        return HostArg::optional_tensor_list;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

HostOp::HostOp(const c10::OperatorHandle& op, const OpSpec* op_spec)
    : target(target_of(op, op_spec)),
      name(full_name(op.operator_name())),
      public_name(op_spec != nullptr ? op_spec->name : base_name(op.operator_name().name)),
      spec(op_spec),
      record(record_of(name)) {
  const c10::FunctionSchema& schema = op.schema();
  num_args = schema.arguments().size();
  num_returns = schema.returns().size();
  bool writes = false;
  for (size_t i = 0; i < num_args; ++i) {
    const c10::Argument& declared = schema.arguments()[i];
    beyond_views = beyond_views || declared.name() == "storage_offset";
    const auto kind = kind_of(declared.type());
    if (!kind) continue;
    HostArg arg{*kind, static_cast<uint16_t>(i)};
    arg.write = declared.alias_info() != nullptr && declared.alias_info()->isWrite();
    arg.overwrites = arg.write && i == 0 && exceptions::holds(exceptions::kOverwrites, name);
    writes = writes || arg.write;
    for (const auto& hidden : exceptions::kUndeclaredWrites)
      if (hidden.op == name && hidden.argument == declared.name()) {
        arg.write = true;
        arg.write_when = static_cast<int16_t>(hidden.when);
      }
    args.push_back(arg);
  }
  for (const c10::Argument& result : schema.returns())
    is_view = is_view || (!writes && result.alias_info() != nullptr && !result.alias_info()->isWrite());
  mixes_devices = exceptions::holds(exceptions::kMixedDevices, name);
  setup = exceptions::holds(exceptions::kSetup, name);
  beyond_views = beyond_views || exceptions::holds(exceptions::kBeyondViews, name);
  bind(*this);
  std::lock_guard<std::mutex> lock(all().mutex);
  all().ops.insert(this);
}

HostOp::~HostOp() {
  std::lock_guard<std::mutex> lock(all().mutex);
  all().ops.erase(this);
}

void bind_host_ops() {
  std::lock_guard<std::mutex> lock(all().mutex);
  for (const HostOp* op : all().ops) bind(*op);
}

c10::DeviceIndex device_of(const HostOp& op, const torch::jit::Stack& stack) {
  const size_t base = stack.size() - op.num_args;
  const auto ours = [](const at::Tensor& t) {
    return t.defined() && t.device().type() == c10::DeviceType::PrivateUse1;
  };
  c10::DeviceIndex named = -1;
  for (const HostArg& arg : op.args) {
    const c10::IValue& value = stack[base + arg.index];
    if (value.isTensor()) {
      if (ours(value.toTensor())) return value.toTensor().device().index();
    } else if (value.isDevice()) {
      if (value.toDevice().type() == c10::DeviceType::PrivateUse1) named = value.toDevice().index();
    } else if (value.isList()) {
      for (const c10::IValue& element : value.toListRef())
        if (element.isTensor() && ours(element.toTensor())) return element.toTensor().device().index();
    }
  }
  return resolve_index(named);
}

}  // namespace torchfl
