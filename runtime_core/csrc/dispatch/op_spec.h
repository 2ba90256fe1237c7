// The op catalogue's facts, as the router uses them. Filled once from torchfl/catalogue (add_op); no torch here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torchfl/chip.h"

namespace torchfl {

// Limits of one routed call. A call beyond them is not an error: it goes to the next layer and says why.
constexpr int kMaxInputs = 16, kMaxOutputs = 3, kMaxAttrs = 8, kMaxRank = 16, kMaxList = 8;
constexpr int kMaxChips = 16;

enum class ShapeRule : uint8_t {
  broadcast, same,                             // element by element
  mm, addmm, bmm, baddbmm, mv, addmv, addr, dot, conv,
  along_dim, reduce, triangle,                 // along dimensions of the first input
  pool, adaptive_pool, layer_norm, batch_norm, group_norm,
  embedding, index_select, gather, scatter, cat, permute, attention,
};
enum class DtypeRule : uint8_t { promote, promote_float, same };
enum class AttrKind : uint8_t { integer, floating, boolean, int_list, scalar, choice, dtype, absent };

// How a tensor's dtype follows from the call's common dtype, which inputs of another kind take no part in. An index
// input may also be int32; kernels get it as int64. `named`: the dtype that an attribute of kind `dtype` says.
enum class TensorKind : uint8_t { common, boolean, index, named };

struct AttrSpec {
  std::string name;
  AttrKind kind;
  std::vector<std::string> choices;  // kind `choice`: a text of these, which kernels get as its index
  bool required = false;             // a call without a value is not served: no number stands for its absence
  bool epsilon = false;              // a call without a value means the epsilon of the float that the op computes in
};

struct OpSpec {
  std::string name;                 // "aten::conv2d": the name in profiles
  std::string functional;           // "aten::convolution_overrideable"
  std::string inplace, out;         // "" where aten has none
  std::string scalar, scalar_inplace;  // forms with a number in place of the second tensor
  std::string reference;            // the overload whose CPU kernel defines the meaning, "" for `functional`
  std::vector<std::string> inputs;  // schema names, in the order of tfl_call.inputs
  uint32_t optional_inputs = 0;     // bit i: input i may be absent
  std::vector<TensorKind> input_kinds, output_kinds;
  size_t hidden_outputs = 0;        // aten's further results, for backward alone, which no kernel gives
  uint32_t excluded_dtypes = 0;     // bit by tfl_dtype: of operands that PyTorch refuses or has rules of its own for
  bool list_input = false;          // the one input is a list of tensors
  std::vector<AttrSpec> attrs;      // in the order of tfl_call.attrs
  ShapeRule shape_rule = ShapeRule::same;
  DtypeRule dtype_rule = DtypeRule::same;
  bool contiguous = false;  // a new result of this element-wise op is contiguous, however the inputs lie
  bool uniform = false;  // set by add_op(): element-wise, every input of the common dtype and required, one output
  int8_t index_input = -1;  // set by add_op(): the input whose values are places in a dimension of the first one

  // Every output element depends on the input elements at its own position alone, as TensorIterator computes:
  // then the order of the elements in memory is free as long as all tensors share it.
  bool elementwise() const { return shape_rule <= ShapeRule::same; }
  // Whether its tensors of rank 4 and 5 are images, which some chips want channels-last.
  bool of_images() const {
    return shape_rule == ShapeRule::conv || shape_rule == ShapeRule::pool || shape_rule == ShapeRule::adaptive_pool ||
           shape_rule == ShapeRule::batch_norm || shape_rule == ShapeRule::group_norm;
  }
  TensorKind input_kind(size_t i) const { return list_input ? TensorKind::common : input_kinds[i]; }
  size_t num_outputs() const { return output_kinds.size(); }
};

// The sizes of one tensor.
struct Shape {
  int rank = 0;
  int64_t sizes[kMaxRank];

  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= sizes[i];
    return n;
  }
};

// One tensor argument as rules and constraints see it; `rank` is -1 for an absent optional input.
struct ShapeView {
  int rank;  // set by whoever makes one: a call has room for many
  const int64_t* sizes;

  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= sizes[i];
    return n;
  }
};

// Adds or replaces an op. Throws std::invalid_argument for a rule or size that this core does not know.
const OpSpec* add_op(OpSpec spec);
// By profile name; nullptr where there is none. Specs live as long as the process.
const OpSpec* find_op(const std::string& name);
std::vector<const OpSpec*> all_ops();

ShapeRule shape_rule(const std::string& name);
DtypeRule dtype_rule(const std::string& name);
AttrKind attr_kind(const std::string& name);
TensorKind tensor_kind(const std::string& name);

}  // namespace torchfl
