#include "dispatch/padding.h"

#include <cmath>
#include <optional>

namespace torchfl {
namespace {

// One letter for each dimension: M, N, K, B(atch), C(hannels in), O(ut channels); '.' for one that is not padded, as
// are those beyond the text.
struct Labels {
  ShapeRule rule;
  const char* inputs[3];
  const char* output;
};
constexpr Labels kLabels[] = {
    {ShapeRule::mm, {"MK", "KN", ""}, "MN"},          {ShapeRule::addmm, {"MN", "MK", "KN"}, "MN"},
    {ShapeRule::bmm, {"BMK", "BKN", ""}, "BMN"},      {ShapeRule::baddbmm, {"BMN", "BMK", "BKN"}, "BMN"},
    {ShapeRule::mv, {"MK", "K", ""}, "M"},            {ShapeRule::addmv, {"M", "MK", "K"}, "M"},
    {ShapeRule::addr, {"MN", "M", "N"}, "MN"},        {ShapeRule::dot, {"K", "K", ""}, ""},
    {ShapeRule::conv, {".C", "OC", "O"}, ".O"},
};

const Labels* labels_of(ShapeRule rule) {
  for (const Labels& labels : kLabels)
    if (labels.rule == rule) return &labels;
  return nullptr;
}

int size_of(char letter) {
  switch (letter) {
    case 'M': return Padding::M;
    case 'N': return Padding::N;
    case 'K': return Padding::K;
    case 'B': return Padding::batch;
    case 'C': return Padding::in_channels;
    case 'O': return Padding::out_channels;
    default: return -1;
  }
}

std::optional<Padding::Size> size_of(const Variable& variable, const OpSpec& spec, const tfl_attr* attrs) {
  if (variable.kind == Variable::numel && spec.elementwise()) return Padding::numel;
  if (variable.kind != Variable::rule || labels_of(spec.shape_rule) == nullptr) return std::nullopt;
  if (spec.shape_rule == ShapeRule::conv) {
    // The channels of a group lie together: more of them at the end would belong to the last group.
    const tfl_attr *groups = find_attr(spec, attrs, "groups"), *transposed = find_attr(spec, attrs, "transposed");
    if ((groups != nullptr && groups->i > 1) || (transposed != nullptr && transposed->i != 0)) return std::nullopt;
  }
  switch (static_cast<RuleVariable>(variable.index)) {
    case RuleVariable::M: return Padding::M;
    case RuleVariable::N: return Padding::N;
    case RuleVariable::K: return Padding::K;
    case RuleVariable::batch: return Padding::batch;
    case RuleVariable::in_channels: return Padding::in_channels;
    case RuleVariable::out_channels: return Padding::out_channels;
    default: return std::nullopt;
  }
}

}  // namespace

int first_unpaddable(const std::vector<Constraint>& constraints, const OpSpec& spec, const ShapeView* inputs,
                     size_t num_inputs, const Shape& output, const tfl_attr* attrs, Padding* padding, double* value) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Constraint& limit = constraints[i];
    *value = std::nan("");
    if (is_absent(limit.variable, attrs)) return static_cast<int>(i);
    double values[kMaxList];
    const int count = values_of(limit.variable, spec, inputs, num_inputs, output, attrs, values);
    for (int k = 0; k < count; ++k) {
      if (limit.holds(values[k])) continue;
      *value = values[k];
      const auto size = limit.multiple_of && count == 1 ? size_of(limit.variable, spec, attrs) : std::nullopt;
      if (!size) return static_cast<int>(i);
      const int64_t step = *limit.multiple_of;
      const int64_t rounded = (static_cast<int64_t>(values[k]) + step - 1) / step * step;
      if (!limit.holds(static_cast<double>(rounded))) return static_cast<int>(i);
      padding->to[*size] = rounded;
    }
  }
  return -1;
}

void pad_sizes(const OpSpec& spec, const Padding& padding, int index, Shape* sizes) {
  if (padding.to[Padding::numel] != 0) {
    sizes->rank = 1;
    sizes->sizes[0] = padding.to[Padding::numel];
    return;
  }
  const Labels* labels = labels_of(spec.shape_rule);
  if (labels == nullptr || index >= 3) return;
  const char* letters = index < 0 ? labels->output : labels->inputs[index];
  for (int dim = 0; dim < sizes->rank && letters[dim] != '\0'; ++dim) {
    const int size = size_of(letters[dim]);
    if (size >= 0 && padding.to[static_cast<size_t>(size)] != 0) sizes->sizes[dim] = padding.to[static_cast<size_t>(size)];
  }
}

}  // namespace torchfl
