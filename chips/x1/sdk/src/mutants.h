/*
 * Chips that are wrong in one named way, and chips that are right but compute differently. All are off in the
 * board as shipped; a build with -D<define> turns one on. The release gate is measured by what it says of them.
 *
 * This file is the one list: torchfl_sdk.chips.mutants() and variants() read the comments below, so each entry
 * has the same four lines. `ops` are the catalogue ops whose results the entry changes; `wrong` says how, or
 * `right` for a chip that a fair gate passes. The code tests the macros with plain `if`, so every mutant is
 * compiled in every build.
 */
#ifndef X1_MUTANTS_H
#define X1_MUTANTS_H

/* mutant: dropped_tail
 * ops: aten::add aten::sub aten::mul aten::div aten::maximum aten::minimum aten::relu aten::neg aten::abs
 *      aten::exp aten::log aten::sqrt aten::rsqrt aten::sigmoid aten::tanh aten::silu aten::gelu aten::leaky_relu
 * wrong: the last n % 64 elements are not written */
#ifndef X1_MUTANT_DROPPED_TAIL
#define X1_MUTANT_DROPPED_TAIL 0
#endif

/* mutant: stale_last_element
 * ops: aten::mul
 * wrong: the last element is not written, whatever n is */
#ifndef X1_MUTANT_STALE_LAST_ELEMENT
#define X1_MUTANT_STALE_LAST_ELEMENT 0
#endif

/* mutant: second_device_wrong
 * ops: aten::add
 * wrong: on every device but the first the last element is not written */
#ifndef X1_MUTANT_SECOND_DEVICE_WRONG
#define X1_MUTANT_SECOND_DEVICE_WRONG 0
#endif

/* mutant: swapped_operands
 * ops: aten::sub aten::div
 * wrong: computes b - a and b / a */
#ifndef X1_MUTANT_SWAPPED_OPERANDS
#define X1_MUTANT_SWAPPED_OPERANDS 0
#endif

/* mutant: relu_drops_nan
 * ops: aten::relu
 * wrong: relu(NaN) is 0 */
#ifndef X1_MUTANT_RELU_DROPS_NAN
#define X1_MUTANT_RELU_DROPS_NAN 0
#endif

/* mutant: extremum_drops_nan
 * ops: aten::maximum aten::minimum
 * wrong: a NaN loses against a number */
#ifndef X1_MUTANT_EXTREMUM_DROPS_NAN
#define X1_MUTANT_EXTREMUM_DROPS_NAN 0
#endif

/* mutant: ignored_offset
 * ops: aten::neg
 * wrong: pointers are rounded down to a multiple of 64 bytes */
#ifndef X1_MUTANT_IGNORED_OFFSET
#define X1_MUTANT_IGNORED_OFFSET 0
#endif

/* mutant: writes_past_end
 * ops: aten::abs
 * wrong: writes zeros behind the output up to a multiple of 16 elements */
#ifndef X1_MUTANT_WRITES_PAST_END
#define X1_MUTANT_WRITES_PAST_END 0
#endif

/* mutant: scratches_input
 * ops: aten::sigmoid
 * wrong: leaves an intermediate value in the input */
#ifndef X1_MUTANT_SCRATCHES_INPUT
#define X1_MUTANT_SCRATCHES_INPUT 0
#endif

/* mutant: fixed_slope
 * ops: aten::leaky_relu
 * wrong: the slope is always 0.01 */
#ifndef X1_MUTANT_FIXED_SLOPE
#define X1_MUTANT_FIXED_SLOPE 0
#endif

/* mutant: coarse_reciprocal
 * ops: aten::div
 * wrong: float32 division multiplies by a reciprocal of 12 bits */
#ifndef X1_MUTANT_COARSE_RECIPROCAL
#define X1_MUTANT_COARSE_RECIPROCAL 0
#endif

/* mutant: coarse_exp
 * ops: aten::exp
 * wrong: float32 exp is taken of an argument of 12 bits */
#ifndef X1_MUTANT_COARSE_EXP
#define X1_MUTANT_COARSE_EXP 0
#endif

/* mutant: flaky
 * ops: aten::tanh
 * wrong: every third call leaves its first element 0 */
#ifndef X1_MUTANT_FLAKY
#define X1_MUTANT_FLAKY 0
#endif

/* mutant: transpose_ignored
 * ops: aten::mm aten::addmm
 * wrong: a transposed second operand is read as if it were not */
#ifndef X1_MUTANT_TRANSPOSE_IGNORED
#define X1_MUTANT_TRANSPOSE_IGNORED 0
#endif

/* mutant: leading_dimension_ignored
 * ops: aten::mm aten::addmm
 * wrong: rows of the first operand are taken to be packed */
#ifndef X1_MUTANT_LEADING_DIMENSION_IGNORED
#define X1_MUTANT_LEADING_DIMENSION_IGNORED 0
#endif

/* mutant: beta_ignored
 * ops: aten::addmm
 * wrong: beta is taken to be 0 */
#ifndef X1_MUTANT_BETA_IGNORED
#define X1_MUTANT_BETA_IGNORED 0
#endif

/* mutant: alpha_ignored
 * ops: aten::addmm
 * wrong: alpha is taken to be 1 */
#ifndef X1_MUTANT_ALPHA_IGNORED
#define X1_MUTANT_ALPHA_IGNORED 0
#endif

/* mutant: dropped_k_tail
 * ops: aten::mm aten::addmm
 * wrong: the last k % 8 products are not summed */
#ifndef X1_MUTANT_DROPPED_K_TAIL
#define X1_MUTANT_DROPPED_K_TAIL 0
#endif

/* mutant: reduced_operands
 * ops: aten::mm aten::addmm
 * wrong: float32 operands are cut to 11 significant bits */
#ifndef X1_MUTANT_REDUCED_OPERANDS
#define X1_MUTANT_REDUCED_OPERANDS 0
#endif

/* mutant: half_accumulation
 * ops: aten::mm aten::addmm aten::conv2d
 * wrong: float16 contractions accumulate in 11 bits, truncating */
#ifndef X1_MUTANT_HALF_ACCUMULATION
#define X1_MUTANT_HALF_ACCUMULATION 0
#endif

/* mutant: ignored_stride
 * ops: aten::conv2d
 * wrong: the input is read with stride 1 */
#ifndef X1_MUTANT_IGNORED_STRIDE
#define X1_MUTANT_IGNORED_STRIDE 0
#endif

/* mutant: swapped_stride
 * ops: aten::conv2d
 * wrong: the strides of height and width are exchanged where the input allows it */
#ifndef X1_MUTANT_SWAPPED_STRIDE
#define X1_MUTANT_SWAPPED_STRIDE 0
#endif

/* mutant: edge_padding
 * ops: aten::conv2d
 * wrong: padding repeats the edge of the input instead of being zero */
#ifndef X1_MUTANT_EDGE_PADDING
#define X1_MUTANT_EDGE_PADDING 0
#endif

/* mutant: last_group_wrong
 * ops: aten::conv2d
 * wrong: the last channel group reads the input channels of the first */
#ifndef X1_MUTANT_LAST_GROUP_WRONG
#define X1_MUTANT_LAST_GROUP_WRONG 0
#endif

/* mutant: shared_bias
 * ops: aten::conv2d
 * wrong: the bias of the first channel is added to every channel */
#ifndef X1_MUTANT_SHARED_BIAS
#define X1_MUTANT_SHARED_BIAS 0
#endif

/* mutant: first_image_only
 * ops: aten::conv2d
 * wrong: every image of a batch is computed from the first */
#ifndef X1_MUTANT_FIRST_IMAGE_ONLY
#define X1_MUTANT_FIRST_IMAGE_ONLY 0
#endif

/* mutant: wrapping_store
 * ops: aten::conv2d
 * wrong: int8 results wrap around instead of saturating */
#ifndef X1_MUTANT_WRAPPING_STORE
#define X1_MUTANT_WRAPPING_STORE 0
#endif

/* mutant: gelu_tanh
 * ops: aten::gelu
 * wrong: the tanh approximation in place of erf */
#ifndef X1_MUTANT_GELU_TANH
#define X1_MUTANT_GELU_TANH 0
#endif

/* mutant: greater_or_equal
 * ops: aten::gt
 * wrong: equal elements compare as greater */
#ifndef X1_MUTANT_GREATER_OR_EQUAL
#define X1_MUTANT_GREATER_OR_EQUAL 0
#endif

/* mutant: inverted_mask
 * ops: aten::masked_fill
 * wrong: fills where the mask is 0 */
#ifndef X1_MUTANT_INVERTED_MASK
#define X1_MUTANT_INVERTED_MASK 0
#endif

/* mutant: truncating_cast
 * ops: aten::_to_copy
 * wrong: float16 results are cut off instead of rounded */
#ifndef X1_MUTANT_TRUNCATING_CAST
#define X1_MUTANT_TRUNCATING_CAST 0
#endif

/* mutant: wrong_axis
 * ops: aten::sum aten::mean aten::amax aten::argmax aten::softmax
 * wrong: with an inner extent the last axis is taken for the one to work along */
#ifndef X1_MUTANT_WRONG_AXIS
#define X1_MUTANT_WRONG_AXIS 0
#endif

/* mutant: reduction_drops_last
 * ops: aten::sum aten::mean aten::amax
 * wrong: the last element of the axis is not looked at */
#ifndef X1_MUTANT_REDUCTION_DROPS_LAST
#define X1_MUTANT_REDUCTION_DROPS_LAST 0
#endif

/* mutant: argmax_last
 * ops: aten::argmax
 * wrong: of equal elements the last one wins */
#ifndef X1_MUTANT_ARGMAX_LAST
#define X1_MUTANT_ARGMAX_LAST 0
#endif

/* mutant: softmax_unshifted
 * ops: aten::softmax aten::log_softmax
 * wrong: the largest element is not subtracted before exp: large inputs overflow */
#ifndef X1_MUTANT_SOFTMAX_UNSHIFTED
#define X1_MUTANT_SOFTMAX_UNSHIFTED 0
#endif

/* mutant: unbiased_norm
 * ops: aten::layer_norm
 * wrong: the variance is divided by one less than the number of elements */
#ifndef X1_MUTANT_UNBIASED_NORM
#define X1_MUTANT_UNBIASED_NORM 0
#endif

/* mutant: rms_without_eps
 * ops: aten::rms_norm
 * wrong: eps is not added */
#ifndef X1_MUTANT_RMS_WITHOUT_EPS
#define X1_MUTANT_RMS_WITHOUT_EPS 0
#endif

/* mutant: pool_window_index
 * ops: aten::max_pool2d
 * wrong: indices count within the window instead of the plane */
#ifndef X1_MUTANT_POOL_WINDOW_INDEX
#define X1_MUTANT_POOL_WINDOW_INDEX 0
#endif

/* mutant: pool_counts_padding
 * ops: aten::avg_pool2d
 * wrong: the divisor counts padding, whatever is asked */
#ifndef X1_MUTANT_POOL_COUNTS_PADDING
#define X1_MUTANT_POOL_COUNTS_PADDING 0
#endif

/* mutant: attention_mask_ignored
 * ops: aten::scaled_dot_product_attention
 * wrong: the mask is not added */
#ifndef X1_MUTANT_ATTENTION_MASK_IGNORED
#define X1_MUTANT_ATTENTION_MASK_IGNORED 0
#endif

/* mutant: causal_off_by_one
 * ops: aten::scaled_dot_product_attention
 * wrong: a causal query sees one key too many */
#ifndef X1_MUTANT_CAUSAL_OFF_BY_ONE
#define X1_MUTANT_CAUSAL_OFF_BY_ONE 0
#endif

/* mutant: unchecked_index
 * ops: aten::embedding aten::index_select aten::gather
 * wrong: an index outside its axis is not refused, but taken for the nearest one inside */
#ifndef X1_MUTANT_UNCHECKED_INDEX
#define X1_MUTANT_UNCHECKED_INDEX 0
#endif

/* mutant: gather_index_strides
 * ops: aten::gather
 * wrong: the input is read with the index's extents */
#ifndef X1_MUTANT_GATHER_INDEX_STRIDES
#define X1_MUTANT_GATHER_INDEX_STRIDES 0
#endif

/* mutant: inverse_permutation
 * ops: aten::permute_copy
 * wrong: dimensions go the other way: dimension perm[i] of the output is dimension i of the input */
#ifndef X1_MUTANT_INVERSE_PERMUTATION
#define X1_MUTANT_INVERSE_PERMUTATION 0
#endif

/* mutant: concat_first_row
 * ops: aten::cat
 * wrong: every row is taken from the first of its input */
#ifndef X1_MUTANT_CONCAT_FIRST_ROW
#define X1_MUTANT_CONCAT_FIRST_ROW 0
#endif

/* ---- right, but different ------------------------------------------------- */

/* variant: reversed_sum
 * ops: aten::mm aten::addmm
 * right: products are summed from the last to the first */
#ifndef X1_VARIANT_REVERSED_SUM
#define X1_VARIANT_REVERSED_SUM 0
#endif

/* variant: blocked_sum
 * ops: aten::mm aten::addmm
 * right: sums of 32 products are added up */
#ifndef X1_VARIANT_BLOCKED_SUM
#define X1_VARIANT_BLOCKED_SUM 0
#endif

/* variant: fma
 * ops: aten::mm aten::addmm aten::conv2d
 * right: fused multiply-add */
#ifndef X1_VARIANT_FMA
#define X1_VARIANT_FMA 0
#endif

/* variant: wide_sum
 * ops: aten::mm aten::addmm
 * right: products are summed in float64 */
#ifndef X1_VARIANT_WIDE_SUM
#define X1_VARIANT_WIDE_SUM 0
#endif

#endif
