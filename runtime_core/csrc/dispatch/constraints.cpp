#include "dispatch/constraints.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace torchfl {
namespace {

constexpr std::pair<const char*, RuleVariable> kRuleVariables[] = {
    {"M", RuleVariable::M},
    {"N", RuleVariable::N},
    {"K", RuleVariable::K},
    {"batch", RuleVariable::batch},
    {"kernel_size", RuleVariable::kernel_size},
    {"in_channels", RuleVariable::in_channels},
    {"out_channels", RuleVariable::out_channels},
    {"outer", RuleVariable::outer},
    {"extent", RuleVariable::extent},
    {"inner", RuleVariable::inner},
    {"spans", RuleVariable::spans},
    {"rows", RuleVariable::rows},
    {"cols", RuleVariable::cols},
    {"count", RuleVariable::count},
    {"channels", RuleVariable::channels},
    {"heads", RuleVariable::heads},
    {"length", RuleVariable::length},
    {"kv_length", RuleVariable::kv_length},
    {"head_dim", RuleVariable::head_dim},
    {"second_numel", RuleVariable::second_numel},
};

int attribute_values(const tfl_attr& attr, double* values) {
  switch (attr.kind) {
    case TFL_ATTR_INT:
    case TFL_ATTR_BOOL:
    case TFL_ATTR_DTYPE:
      values[0] = static_cast<double>(attr.i);
      return 1;
    case TFL_ATTR_FLOAT:
      values[0] = attr.f;
      return 1;
    case TFL_ATTR_INT_LIST: {
      const int count = static_cast<int>(std::min<int64_t>(attr.count, kMaxList));
      for (int i = 0; i < count; ++i) values[i] = static_cast<double>(attr.list[i]);
      return count;
    }
    default:
      return 0;
  }
}

}  // namespace

int values_of(const Variable& variable, const OpSpec& spec, const ShapeView* inputs, size_t num_inputs,
              const Shape& output, const tfl_attr* attrs, double* values) {
  switch (variable.kind) {
    case Variable::rank:
    case Variable::numel: {
      const bool rank = variable.kind == Variable::rank;
      int64_t largest = rank ? output.rank : output.numel();
      for (size_t i = 0; i < num_inputs; ++i)
        if (inputs[i].rank >= 0) largest = std::max<int64_t>(largest, rank ? inputs[i].rank : inputs[i].numel());
      values[0] = static_cast<double>(largest);
      return 1;
    }
    case Variable::attribute:
      return attribute_values(attrs[variable.index], values);
    case Variable::input:
      values[0] = variable.index < num_inputs && inputs[variable.index].rank >= 0;
      return 1;
    case Variable::rule: {
      int64_t whole[kMaxList];
      const int count = rule_variable(spec, static_cast<RuleVariable>(variable.index), inputs, num_inputs, attrs, whole);
      for (int i = 0; i < count; ++i) values[i] = static_cast<double>(whole[i]);
      return count;
    }
  }
  return 0;
}

bool is_absent(const Variable& variable, const tfl_attr* attrs) {
  return variable.kind == Variable::attribute && attrs[variable.index].kind == TFL_ATTR_NONE;
}

Variable find_variable(const OpSpec& spec, const std::string& name) {
  if (name == "rank") return {Variable::rank};
  if (name == "numel") return {Variable::numel};
  std::string known = "rank, numel";
  for (size_t i = 0; i < spec.attrs.size(); ++i) {
    const AttrSpec& attr = spec.attrs[i];
    if ((attr.kind == AttrKind::dtype && attr.choices.empty()) || attr.kind == AttrKind::absent) continue;
    if (spec.attrs[i].name == name) return {Variable::attribute, static_cast<uint8_t>(i)};
    known += ", " + spec.attrs[i].name;
  }
  for (const auto& [text, variable] : kRuleVariables) {
    if (!has_variable(spec.shape_rule, variable)) continue;
    if (name == text) return {Variable::rule, static_cast<uint8_t>(variable)};
    known += std::string(", ") + text;
  }
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    if (!(spec.optional_inputs >> i & 1u)) continue;
    if (spec.inputs[i] == name) return {Variable::input, static_cast<uint8_t>(i)};
    known += ", " + spec.inputs[i];
  }
  throw std::invalid_argument(spec.name + " has no variable '" + name + "' to constrain; it has " + known);
}

std::string number_text(double value) {
  if (std::isnan(value)) return "absent";
  char text[32];
  if (value == std::floor(value) && std::fabs(value) < 1e15)
    std::snprintf(text, sizeof text, "%.0f", value);
  else
    std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string Constraint::value_text(double value) const {
  if (variable.kind == Variable::input) return value != 0 ? "given" : "absent";
  const auto place = static_cast<size_t>(value);
  return value >= 0 && place < choices.size() ? choices[place] : number_text(value);
}

std::string Constraint::text() const {
  std::string all;
  const auto add = [&](const std::string& part) { all += (all.empty() ? "" : " and ") + part; };
  if (listed) {
    std::string list;
    for (double value : allowed) list += (list.empty() ? "" : ", ") + value_text(value);
    add("one of [" + list + "]");
  }
  if (min) add("at least " + number_text(*min));
  if (max) add("at most " + number_text(*max));
  if (multiple_of) add("a multiple of " + std::to_string(*multiple_of));
  return name + " must be " + (all.empty() ? "any value" : all);
}

int first_broken(const std::vector<Constraint>& constraints, const OpSpec& spec, const ShapeView* inputs, size_t num_inputs,
                 const Shape& output, const tfl_attr* attrs, double* value) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].variable.kind == Variable::attribute) {  // mostly a number
      const tfl_attr& attr = attrs[constraints[i].variable.index];
      if ((attr.kind == TFL_ATTR_INT || attr.kind == TFL_ATTR_FLOAT) && constraints[i].holds(attr.f)) continue;
    }
    double values[kMaxList];
    const int count = values_of(constraints[i].variable, spec, inputs, num_inputs, output, attrs, values);
    if (is_absent(constraints[i].variable, attrs)) {
      *value = std::nan("");
      return static_cast<int>(i);
    }
    for (int k = 0; k < count; ++k) {
      if (constraints[i].holds(values[k])) continue;
      *value = values[k];
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace torchfl
