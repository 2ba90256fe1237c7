// Output shapes, and the sizes that a contraction's constraints speak of, by the catalogue's rules. No torch here.
#pragma once

#include <initializer_list>

#include "dispatch/op_spec.h"

namespace torchfl {

// The outputs' shapes from the inputs' (`count` of them) and the attributes (in catalogue order). False where the shapes
// do not fit together: the CPU then says what is wrong in PyTorch's own words.
bool infer_shapes(const OpSpec& spec, const ShapeView* inputs, size_t count, const tfl_attr* attrs, Shape* out);

// The attribute called `name`, or nullptr.
const tfl_attr* find_attr(const OpSpec& spec, const tfl_attr* attrs, const char* name);

enum class RuleVariable : uint8_t {
  M, N, K, batch,
  kernel_size, in_channels, out_channels,
  outer, extent, inner, spans,
  rows, cols, count, channels,
  heads, length, kv_length, head_dim,
  second_numel,
};

// Whether a rule has a variable; mirrors RULE_VARIABLES in torchfl/catalogue/spec.py (a test compares the two).
bool has_variable(ShapeRule rule, RuleVariable variable);

// The values of a rule's variable, one per spatial dimension for kernel_size; how many were written (at most
// kMaxList), 0 where the rule has no such variable or the shapes do not fit.
int rule_variable(const OpSpec& spec, RuleVariable variable, const ShapeView* inputs, size_t count,
                  const tfl_attr* attrs, int64_t* values);

// Shapes by the rules of products, of convolution and pooling, and of the rest; infer_shapes() chooses.
bool infer_product(const OpSpec& spec, const ShapeView* inputs, Shape* out);
bool infer_window(const OpSpec& spec, const ShapeView* inputs, const tfl_attr* attrs, Shape* out);
bool infer_along(const OpSpec& spec, const ShapeView* inputs, size_t count, const tfl_attr* attrs, Shape* out);

// Entry `index` of an int list, or a number that stands for every entry; `absent` where there is none.
int64_t element(const tfl_attr* attr, int index, int64_t absent);
void set_shape(Shape* out, std::initializer_list<int64_t> sizes);
void set_shape(Shape* out, const ShapeView& from);
bool expands_to(const ShapeView& from, const Shape& to);

}  // namespace torchfl
