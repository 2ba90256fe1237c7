#include "dispatch/op_spec.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace torchfl {
namespace {

struct Catalogue {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<OpSpec>> ops;
};

Catalogue& catalogue() {
  static auto* one = new Catalogue;  // outlives every static destructor
  return *one;
}

template <class T, size_t N>
T by_name(const std::pair<const char*, T> (&table)[N], const std::string& name, const char* what) {
  for (const auto& [known, value] : table)
    if (name == known) return value;
  throw std::invalid_argument(std::string(what) + " '" + name + "' is not known to this core");
}

}  // namespace

ShapeRule shape_rule(const std::string& name) {
  static constexpr std::pair<const char*, ShapeRule> table[] = {
      {"broadcast", ShapeRule::broadcast},
      {"same", ShapeRule::same},
      {"mm", ShapeRule::mm},
      {"addmm", ShapeRule::addmm},
      {"bmm", ShapeRule::bmm},
      {"baddbmm", ShapeRule::baddbmm},
      {"mv", ShapeRule::mv},
      {"addmv", ShapeRule::addmv},
      {"addr", ShapeRule::addr},
      {"dot", ShapeRule::dot},
      {"conv", ShapeRule::conv},
      {"along_dim", ShapeRule::along_dim},
      {"reduce", ShapeRule::reduce},
      {"triangle", ShapeRule::triangle},
      {"pool", ShapeRule::pool},
      {"adaptive_pool", ShapeRule::adaptive_pool},
      {"layer_norm", ShapeRule::layer_norm},
      {"batch_norm", ShapeRule::batch_norm},
      {"group_norm", ShapeRule::group_norm},
      {"embedding", ShapeRule::embedding},
      {"index_select", ShapeRule::index_select},
      {"gather", ShapeRule::gather},
      {"scatter", ShapeRule::scatter},
      {"cat", ShapeRule::cat},
      {"permute", ShapeRule::permute},
      {"attention", ShapeRule::attention},
  };
  return by_name(table, name, "shape rule");
}

DtypeRule dtype_rule(const std::string& name) {
  static constexpr std::pair<const char*, DtypeRule> table[] = {
      {"promote", DtypeRule::promote}, {"promote_float", DtypeRule::promote_float}, {"same", DtypeRule::same}};
  return by_name(table, name, "dtype rule");
}

AttrKind attr_kind(const std::string& name) {
  static constexpr std::pair<const char*, AttrKind> table[] = {
      {"int", AttrKind::integer},   {"float", AttrKind::floating}, {"bool", AttrKind::boolean}, {"int_list", AttrKind::int_list},
      {"scalar", AttrKind::scalar}, {"choice", AttrKind::choice},  {"dtype", AttrKind::dtype},
      {"absent", AttrKind::absent}};
  return by_name(table, name, "attribute kind");
}

TensorKind tensor_kind(const std::string& name) {
  static constexpr std::pair<const char*, TensorKind> table[] = {
      {"common", TensorKind::common}, {"bool", TensorKind::boolean}, {"index", TensorKind::index}, {"named", TensorKind::named}};
  return by_name(table, name, "kind of tensor");
}

const OpSpec* add_op(OpSpec spec) {
  if (spec.inputs.empty() || spec.inputs.size() > kMaxInputs)
    throw std::invalid_argument(spec.name + " has " + std::to_string(spec.inputs.size()) + " tensor inputs; 1 to " +
                                std::to_string(kMaxInputs) + " are possible");
  if (spec.attrs.size() > kMaxAttrs)
    throw std::invalid_argument(spec.name + " has " + std::to_string(spec.attrs.size()) + " attributes; at most " +
                                std::to_string(kMaxAttrs) + " are possible");
  if (spec.input_kinds.size() != spec.inputs.size() || spec.output_kinds.empty() || spec.output_kinds.size() > kMaxOutputs)
    throw std::invalid_argument(spec.name + " has " + std::to_string(spec.output_kinds.size()) + " outputs; 1 to " +
                                std::to_string(kMaxOutputs) + " are possible");
  spec.uniform = spec.elementwise() && spec.optional_inputs == 0 && !spec.list_input && spec.num_outputs() == 1 &&
                 std::all_of(spec.input_kinds.begin(), spec.input_kinds.end(),
                             [](TensorKind kind) { return kind == TensorKind::common; });
  for (size_t i = 0; i < spec.inputs.size(); ++i)
    if (spec.input_kinds[i] == TensorKind::index) spec.index_input = static_cast<int8_t>(i);
  auto& all = catalogue();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto& slot = all.ops[spec.name];
  if (slot == nullptr) slot = std::make_unique<OpSpec>();
  *slot = std::move(spec);
  return slot.get();
}

const OpSpec* find_op(const std::string& name) {
  auto& all = catalogue();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.ops.find(name);
  return found == all.ops.end() ? nullptr : found->second.get();
}

std::vector<const OpSpec*> all_ops() {
  auto& all = catalogue();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<const OpSpec*> result;
  for (const auto& [name, spec] : all.ops) result.push_back(spec.get());
  return result;
}

}  // namespace torchfl
