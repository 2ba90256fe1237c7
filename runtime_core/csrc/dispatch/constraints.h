// A profile's limits on an op, compiled at load to a table that is checked without strings. No torch here.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "dispatch/op_spec.h"
#include "dispatch/shape_rules.h"

namespace torchfl {

// What a constraint speaks of. `rank` and `numel` are the largest of the call's tensors, output included, after
// broadcasting; an attribute that is a list has one value per spatial dimension, and all of them must hold; an optional
// input is 1 where it is given, else 0.
struct Variable {
  enum Kind : uint8_t { rank, numel, attribute, rule, input } kind;
  uint8_t index = 0;  // of the attribute or the input, or a RuleVariable
};

// Throws std::invalid_argument that lists the op's variables.
Variable find_variable(const OpSpec& spec, const std::string& name);

struct Constraint {
  std::string name;  // of the variable
  Variable variable;
  std::vector<double> allowed;  // used where `listed`
  bool listed = false;
  std::optional<double> min, max;
  std::optional<int64_t> multiple_of;
  std::vector<std::string> choices;  // of an attribute whose values are places in these

  bool holds(double value) const {
    if (listed && std::find(allowed.begin(), allowed.end(), value) == allowed.end()) return false;
    if (min && value < *min) return false;
    if (max && value > *max) return false;
    return !multiple_of || std::fmod(value, static_cast<double>(*multiple_of)) == 0;
  }
  std::string value_text(double value) const;  // a choice by its text, else the number
  std::string text() const;  // "groups must be one of [1, 2, 4]"
};

// The values of a variable in a call, one for each spatial dimension where it has several; how many there are, at most
// kMaxList.
int values_of(const Variable& variable, const OpSpec& spec, const ShapeView* inputs, size_t num_inputs,
              const Shape& output, const tfl_attr* attrs, double* values);

// Whether the call leaves out the attribute that a variable speaks of: no number stands for it, so that no limit holds.
bool is_absent(const Variable& variable, const tfl_attr* attrs);

// The index of the first constraint that the call breaks and the value that breaks it (NaN: absent), or -1.
int first_broken(const std::vector<Constraint>& constraints, const OpSpec& spec, const ShapeView* inputs, size_t num_inputs,
                 const Shape& output, const tfl_attr* attrs, double* value);

// 4 as "4", 0.5 as "0.5", NaN as "absent".
std::string number_text(double value);

}  // namespace torchfl
