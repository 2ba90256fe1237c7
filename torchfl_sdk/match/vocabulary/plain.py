"""Ops in plain English, as headers call them whose authors took words of everyday life. Data, no rules.

A line: an op, as the other tables of this folder have it, and names with underscores where words meet. ``=name`` stands
for the first op that is called so there, where an op has several forms.
"""

from __future__ import annotations

NAMES = """
abs: modulus magnitude absolute_of positive_of drop_sign strip_sign remove_sign without_sign
abs: unsigned_value make_positive
abs: unsign distance_from_zero ignore_sign
neg: minus flip_sign switch_sign reverse_sign opposite_of negative_of negated inverted_sign additive_inverse sign_flip
neg: sign_change sign_invert turn_sign
exp: e_to_the e_to e_to_x e_raised e_raised_to e_power e_pow power_of_e exponentiate expo raise_e exp_of exponential_of
exp: e_to_the_power e_to_power
exp2: two_to_the two_to two_to_x power_of_two exponential2 exponential_two exponential_base2 base2_exp two_power
exp2: raise_two two_raised two_to_the_power exp_two exp_of_two
expm1: e_to_the_less_one exp_minus_one exp_less_one e_to_the_minus_one exponential_less_one exp_sub_one exp_minus1
expm1: exponential_minus1 e_to_the_less1 exp_less1 e_minus_one exp_without_one exponential_m1
log: natural_logarithm logarithm_natural log_natural log_of log_base_e logarithm_e natural logarithm_of
log2: logarithm2 logarithm_two binary_log binary_logarithm log_base_two log_two base2_log base_two_log two_log
log2: logarithm_base_two log_of_two
log10: logarithm10 logarithm_ten common_logarithm decimal_log log_ten log_base_ten decimal_logarithm base10_log
log10: base_ten_log ten_log logarithm_base_ten
log1p: ln_one_plus log_one_plus log_of_one_plus log_plus_one ln_plus_one logarithm_one_plus one_plus_log log_one_more
log1p: ln_1_plus log_1_plus log_plus1 ln_plus1 logarithm1p logarithm_plus_one log_one_and
sqrt: sqroot sq_root square_root_of rooted take_root second_root radical root_of
rsqrt: inverse_root inv_root root_inverse reciprocal_root recip_root one_over_root one_over_sqrt root_recip reverse_root
rsqrt: root_reciprocal one_by_root inverse_sqroot inverted_root one_over_square_root
reciprocal: one_over one_by inverse inverse_of reciprocal_of multiplicative_inverse one_divided_by inverted
reciprocal: one_over_x
square: squared self_product times_self times_itself second_power squares raise_to_two squared_of square_of by_itself
sin: sine_of
cos: cosine_of
tan: tangent_of
asin: arc_sine inverse_sin sin_inverse sine_inverse angle_of_sine arcus_sine
acos: arc_cosine inverse_cos cos_inverse cosine_inverse angle_of_cosine arcus_cosine
atan: arc_tangent arc_tan inverse_tan tan_inverse tangent_inverse angle_of_tangent arcus_tangent
sinh: hyp_sine sine_h hyperbolic_sin hyp_sin sine_hyperbolic sine_hyp
cosh: hyp_cosine cosine_h hyperbolic_cos hyp_cos cosine_hyperbolic cosine_hyp
tanh: hyp_tangent tangent_h hyperbolic_tan hyp_tan tangent_hyperbolic tangent_hyp tan_hyperbolic hyper_tangent
asinh: inverse_hyp_sine arc_hyp_sine area_sine inverse_sinh
acosh: inverse_hyp_cosine arc_hyp_cosine area_cosine inverse_cosh
atanh: inverse_hyp_tangent arc_hyp_tangent area_tangent inverse_tanh
erf: error_fn gauss_error_function normal_error erf_of gaussian_error gauss_error error_of
erfc: complementary_error error_function_complement erf_complement complementary_erf complementary_error_function
erfc: one_minus_erf error_complement error_function_comp
erfinv: inverse_error_function inverse_error error_function_inverse erf_inverse inverse_of_erf
floor: down to_floor lower_integer whole_below integer_below go_down next_below step_down round_below downward
floor: round_downward downwards floored round_lower
ceil: up to_ceil upper_integer whole_above integer_above go_up next_above step_up round_above upward round_upward
ceil: upwards round_higher
round: nearest to_nearest round_even nearest_integer nearest_int nearest_whole integer_nearest closest_integer
round: round_to_nearest round_to_even rounded closest closest_whole round_near round_off_to_even round_half_to_even
trunc: round_zero toward_zero towards_zero whole_part round_toward_zero round_towards_zero cut_fraction
trunc: drop_fraction whole integral_part strip_fraction to_zero cut_off_fraction truncated whole_number
frac: fractional_part decimals fraction_part part_after_point broken_part
sign: sign_of polarity signs which_sign
sigmoid: logistic_curve s_curve squash logistic_function sigmoid_function s_shape sigmoid_curve squashing
relu: rectified positive_part keep_positive max_zero zero_negatives cut_negative only_positive drop_negative hinge
relu: clip_negative remove_negative rectify_linear half_rectify positives positive_only drop_negatives cut_below_zero
relu6: relu_six capped_relu rectify6 rectified6 rectify_six rectify_to_six rectified_six
gelu: gauss_gate gaussian_gate gauss_linear gaussian_linear gaussian_error_unit gauss_error_unit gauss_unit
gelu: gaussian_unit gated_gauss
silu: self_gate self_gated sigmoid_weighted sigmoid_weighted_linear logistic_gated x_sigmoid
silu: gated_self sigmoid_times_self
elu: exponential_linear exp_linear exponential_unit exp_linear_unit
selu: scaled_exponential self_normalizing self_normalising scaled_exp_linear scaled_exponential_unit
leaky_relu: leaky_rectify leaky_rectifier leaky_rect leaky_unit sloped_relu slope_relu rectify_leaky leaky_ramp
leaky_relu: leaky_linear leaking rectify_slope leaky_rectified rectified_leaky
hardswish: swish_hard silu_hard hard_self_gate
hardsigmoid: sigmoid_hard hard_logistic logistic_hard piecewise_sigmoid linear_sigmoid hard_squash
hardtanh: tanh_hard hard_tangent clipped_tanh hard_hyp_tangent tangent_h_hard
softplus: soft_plus soft_rectify soft_ramp smooth_relu log_one_plus_exp smooth_rectify smooth_ramp soft_positive
log_sigmoid: sigmoid_log log_logistic logistic_log ln_sigmoid log_of_sigmoid
logical_not: not_of is_zero is_false flip_truth logic_not not_logical negate_logical invert_logical opposite_truth
logical_not: truth_not untrue
bitwise_not: complement bit_complement invert_bits ones_complement bits_not flip_bits bit_flip bits_invert not_bits
bitwise_not: bits_complement inverse_bits bits_flip complement_bits reverse_all_bits toggle_all_bits bits_inverted
isnan: nan_test test_nan nan_mask not_a_number is_not_number which_nan mark_nan no_number
isinf: infinite inf_test test_inf inf_mask is_infinite which_inf mark_inf
isfinite: finite test_finite finite_mask finite_test is_finite mark_finite
clamp: between limits bounded confine constrain keep_between keep_within within clip_to clamp_to restrict range_limit
clamp: saturate_to force_range squeeze_between bound_to limit_to hold_between stay_within fence limit_between bracket
clamp: bound_between clip_between clamp_between
clamp_min: at_least floor_at lower_limit lower_bound limit_low clip_below clamp_below bound_below limit_below clip_min
clamp_min: lower_clamp limit_min clamp_low raise_floor keep_above hold_above no_lower_than
clamp_max: at_most cap ceil_at upper_limit upper_bound limit_high clip_above clamp_above cap_at bound_above limit_max
clamp_max: clip_max upper_clamp clamp_high limit_above ceiling_at keep_below hold_below no_higher_than
pow.Tensor_Tensor: raise raised raise_to raise_power raised_to to_the to_the_power powered powers to_power power_of
pow.Tensor_Tensor: elevate raise_by power_to exponentiate raise_to_power
add.Tensor: added add_together plus_of sum_with summed_with add_pair sum_pair pair_sum add_both plus_with
add.Tensor: add_scaled plus_scaled scaled_add add_multiple scaled_sum
add.Scalar: increment_by add_offset offset_by raise_all add_to_all bump shift_by add_bias_value increase_by
sub.Tensor: take_away minus_of subtracted deduct take_off diff less_of subtract_pair pair_difference
sub.Tensor: minus_scaled sub_scaled
rsub.Scalar: sub_from subtract_from reverse_sub reverse_minus rev_sub number_minus scalar_minus const_minus minus_from
rsub.Scalar: inverse_sub backward_minus taken_from subtract_reverse sub_reverse reverse_subtract minus_reversed
mul.Tensor: multiplied scaled product_of mul_each mul_elements product_each elementwise_product pointwise_product
mul.Tensor: multiply_each multiply_elements times_each pair_product multiply_pair scaled_by multiplied_by product_with
mul.Tensor: multiply_by times_number weigh
div.Tensor: over divided divided_by divide_by ratio ratio_of quotients divide_each per divide_elements over_of
div.Tensor: divide_pair
floor_divide: whole_divide integer_divide integer_division divide_floor div_floor quotient_floor whole_quotient
floor_divide: floor_quotient divide_whole divide_down over_down over_floor
fmod.Tensor: rest leftover left_over remainder_trunc rest_of remains
remainder.Tensor: modulo_of mod_floor positive_mod remainder_of mod_of remainder_floor wrap_around
maximum: larger larger_of greater_of bigger bigger_of max_of greatest_of upper higher higher_of max_each pick_larger
maximum: pick_max take_larger max_pair pairwise_max pair_max max_between the_larger larger_one greater_of_two bigger_one
maximum: keep_larger larger_of_two max_of_two max_both pick_greater largest_of_two more_of
minimum: smaller smaller_of lesser lesser_of lower lower_of min_of least_of pick_smaller pick_min take_smaller min_each
minimum: pairwise_min pair_min min_pair min_between the_smaller smaller_one lesser_of_two keep_smaller smaller_of_two
minimum: min_of_two min_both pick_lesser smallest_of_two less_of_two
atan2: angle2 angle_of angle polar_angle bearing arctangent2 full_angle four_quadrant_atan quadrant_atan atan_quotient
atan2: atan_of_ratio angle_between_axes tangent_angle arctangent_two arc_tangent2 arc_tan2
hypot: pythagoras long_side radius hypotenuse_of diagonal_length root_of_squares length_of_pair
copysign.Tensor: with_sign sign_from set_sign take_sign sign_copy transfer_sign sign_transfer give_sign
copysign.Tensor: with_sign_of sign_like
eq.Tensor: same is_same alike matches is_equal_to identical same_as test_equal equality is_identical equals_to agree
eq.Tensor: equal_each coincide is_matching are_equal are_same where_equal
ne.Tensor: differ differs different is_other is_different unlike not_same inequality mismatch distinct other not_equals
ne.Tensor: not_alike not_matching are_different not_equal_each differ_from differs_from is_not
lt.Tensor: below is_below smaller_than is_smaller under is_under is_less_than lower_than lesser_than is_lower
lt.Tensor: less_each strictly_less strictly_below
le.Tensor: at_most less_or_same not_above not_greater not_more is_at_most below_or_equal no_more_than smaller_or_equal
le.Tensor: not_larger not_over less_or_eq below_or_same smaller_or_same is_not_above not_bigger up_to equal_or_less
le.Tensor: same_or_less
gt.Tensor: above is_above is_larger larger_than bigger_than exceeds is_over higher_than is_bigger is_greater_than beyond
gt.Tensor: exceeding is_higher strictly_greater strictly_above greater_each is_more
ge.Tensor: at_least greater_or_same not_below not_less not_smaller is_at_least above_or_equal no_less_than
ge.Tensor: larger_or_equal greater_or_eq above_or_same larger_or_same is_not_below more_or_same more_or_equal
ge.Tensor: equal_or_greater same_or_greater equal_or_more same_or_more not_under
logical_and: both both_true and_also and_both logic_and truth_and conjunction both_of true_both both_nonzero both_set
logical_or: either either_true or_else logic_or truth_or disjunction either_of true_either either_nonzero either_set
logical_xor: exactly_one either_or one_of xor_logical logic_xor truth_xor bool_xor only_one just_one one_or_other
logical_xor: one_not_both one_true not_both exclusive_or
bitwise_and.Tensor: bits_and and_bits common_bits bits_both bits_in_both shared_bits keep_bits
bitwise_or.Tensor: bits_or or_bits either_bits bits_either union_bits merge_bits join_bits
bitwise_xor.Tensor: bits_xor xor_bits exclusive_or bits_differ differing_bits toggle_bits unlike_bits
bitwise_left_shift.Tensor: bits_left shift_bits_left move_bits_left bits_shift_left bits_up push_left
bitwise_right_shift.Tensor: bits_right shift_bits_right move_bits_right bits_shift_right bits_down push_right
where.self: pick blend choose_between select_by pick_by pick_either choose_by choose_where select_where pick_where
where.self: conditional cond_select conditional_select mask_blend masked_merge merge_by_mask blend_by_mask
where.self: decide if_else
where.self: switch_by masked_choose pick_masked choose_if pick_if take_either one_or_other select_either choose_either
where.self: select_masked blend_by blend_masked merge_masked cond_pick masked_blend
lerp.Tensor: mix interpolate_between linear_blend linear_mix crossfade blend_linear fade mix_linear between_two
addcmul: add_product plus_product base_plus_product add_multiplied plus_multiplied
addcmul: add_scaled_product plus_scaled_product
addcdiv: add_quotient plus_quotient base_plus_quotient add_divided add_ratio add_div plus_divided plus_ratio
masked_fill.Scalar: paint blot fill_where fill_masked set_where mask_set fill_mask masked_set overwrite_where fill_if
masked_fill.Scalar: set_if mask_out replace_where cover set_masked paint_where fill_by_mask paint_mask blank_where
masked_fill.Scalar: replace_masked mark_where blot_out
copy_: copy_elements copy_of copy_all copy_values copy_over copy_out pass_through same_values copy_data take_copy
_to_copy: recast reformat convert_elem convert_element convert_elements convert_type change_type retype as_type to_type
_to_copy: change_dtype type_change to_kind cast_kind convert_kind cast_elem cast_elements change_kind change_precision
_to_copy: convert_depth convert_numbers convert_values change_format convert_format number_format change_element
_to_copy: change_elements re_type rewrite_as to_format with_type in_type as_kind convert_each recode_numbers
fill_.Scalar: splat paint_all flood set_to fill_in set_every fill_up spread_value put_value set_constant fill_number
fill_.Scalar: fill_const full_of fill_all fill_every populate make_all set_each make_constant put_everywhere all_same
zero_: wipe blank erase nullify clear_all zero_all make_zero to_zero wipe_out blank_out empty_out set_to_zero clear_out
sum: total add_all add_up total_of sum_up totals sum_of_all summed grand_total sum_together whole_sum add_together_all
sum: sum_along total_along sum_over total_over tally
mean: average_of arithmetic_mean mean_of average_all expected_value average_along mean_along average_over mean_over
mean: middle_value expectation mean_all
max: peak largest_of biggest highest maximum_of greatest largest_value peak_value uppermost find_largest top_value
max: largest_along max_along peak_along max_over largest_over crest peak_of highest_of greatest_of biggest_of max_of_all
min: trough dip smallest_of lowest least smallest_value find_smallest lowest_value lowermost bottom valley min_of_all
min: smallest_along min_along dip_along min_over smallest_over lowest_of least_of dip_of bottom_value deepest
prod: total_product multiply_all product_of_all mul_all multiply_up product_along product_over multiply_along times_all
any: some any_of any_set exists any_nonzero is_any some_true any_along at_least_one one_true any_are some_of
all: every all_of all_set all_nonzero is_all every_true all_along everyone each_true all_are every_one every_of
var: spread variance_of dispersion squared_deviation variance_along variance_over scatter_width squared_spread
std: deviation std_deviation deviation_along root_variance standard_spread deviation_of spread_width
logsumexp: log_of_sum_of_exp log_total_exp soft_total log_sum_of_exp smooth_max_of_all
count_nonzero: count_true number_nonzero nonzeros count_set how_many how_many_nonzero how_many_true
argmax: where_largest where_peak peak_at max_at largest_at position_of_max position_of_largest index_of_peak where_max
argmax: place_of_max place_of_largest peak_index peak_position max_place which_max which_largest
argmax: highest_at index_largest
argmax: arg_peak arg_largest best_index best_at where_greatest where_highest where_biggest largest_place largest_index
argmax: largest_position max_position biggest_at which_is_largest find_max_index place_of_peak which_peak peak_place
argmax: index_of_maximum where_is_largest where_is_max max_where largest_where winner
argmin: where_smallest where_dip dip_at min_at smallest_at position_of_min position_of_smallest index_of_dip where_min
argmin: place_of_min place_of_smallest min_place which_min which_smallest lowest_at index_smallest arg_smallest
argmin: where_least where_lowest where_trough trough_at smallest_place smallest_index smallest_position min_position
argmin: which_is_smallest find_min_index arg_dip dip_index index_of_minimum least_at which_dip min_where smallest_where
cumsum: running_total cumulate cumulative_total partial_sum partial_sums prefix prefix_total running_add cumulated
cumsum: sum_so_far total_so_far accumulate_along running_totals running_sums prefix_sums sums_so_far add_up_along
cumsum: growing_sum rolling_total
cumprod: running_product prefix_product partial_product product_so_far cumulative_multiply running_products
cummax: running_max running_peak prefix_max largest_so_far max_so_far peak_so_far cumulative_max running_largest
cummin: running_min running_dip prefix_min smallest_so_far min_so_far dip_so_far cumulative_min running_smallest
_softmax: soft_largest soft_peak normalized_exp softmax_of exp_normalize exp_normalise probabilities soft_maximum
_softmax: normalised_exp to_probabilities soft_biggest soft_highest soft_choice
_log_softmax: log_soft_largest log_soft_peak softmax_log log_probabilities ln_softmax log_soft_maximum log_of_softmax
_log_softmax: to_log_probabilities soft_largest_log
native_batch_norm: batch_normalise norm_batch normalise_batch normalize_batch batch_standardize batch_standardise
native_batch_norm: standardise_batch standardize_batch norm_over_batch
native_layer_norm: normalise_layer norm_layer normalize_layer layer_normalise standardise_layer standardize_layer
native_layer_norm: layer_standardise layer_standardize
native_group_norm: norm_group normalise_group normalize_group group_normalise normalise_groups norm_groups
instance_norm: norm_instance normalise_instance normalize_instance instance_normalise
_fused_rms_norm: normalise_rms norm_rms normalize_rms rms_normalise rms_normalize root_mean_square_normalise rms_scale
_fused_rms_norm: normalise_by_rms norm_by_rms
convolution: convolve_image conv_layer convolve_layer slide_filter convolve_with image_convolve
conv_transpose2d: convolve_back transposed_convolve up_convolve unconvolve convolve_up spread_convolve
max_pool2d: pool_peak pool_largest pool_highest peak_pool window_max max_window largest_pool pool_maximum pool_greatest
max_pool2d: pool_biggest pool_by_max pool_with_max peak_pooling pooled_max largest_in_window
avg_pool2d: pool_mean window_mean window_average mean_window pool_by_mean pool_with_mean mean_pooling pooled_mean
avg_pool2d: pooled_average pool_by_average mean_in_window
_adaptive_avg_pool2d: pool_whole global_mean pool_mean_all image_mean average_image mean_of_image pool_to_one
_adaptive_avg_pool2d: avg_pool2d_adaptive pool_mean_adaptive pool_average_adaptive adaptive_mean_pool pool_mean_global
_adaptive_avg_pool2d: pool_average_global pool_everything pool_adaptive global_mean_pool pool_average_to pool_mean_to
adaptive_max_pool2d: pool_max_adaptive pool_max_all pool_largest_adaptive global_peak pool_max_global pool_peak_all
upsample_nearest2d: enlarge_nearest scale_nearest stretch_nearest zoom_nearest nearest_upsample nearest_resize
upsample_nearest2d: nearest_neighbour nearest_enlarge resize_near grow_nearest interpolate_nearest
upsample_bilinear2d: enlarge_linear resize_smooth linear_resize bilinear scale_bilinear zoom_linear bilinear_upsample
upsample_bilinear2d: stretch_linear bilinear_enlarge interpolate_bilinear interpolate_linear grow_linear enlarge_smooth
constant_pad_nd: border add_border surround fill_border pad_with margin add_margin pad_edges_with frame_with
linear: affine dense_layer linear_layer fully_connect affine_layer apply_weights weighted_sum_of
linear: fully_connected_layer affine_map connect_all linear_map
mm: matrix_product mat_product product_of_matrices multiply_matrices mat_times matrix_times rows_by_columns
matmul: matrix_by_matrix multiply_matrix matrices_product
bmm: product_many matmul_many matmul_stack batch_product batched_product many_products stack_matmul multiply_batches
bmm: matmul_each product_stack matrix_product_many matmul_batches product_batch products matrix_products many_matmul
bmm: matmul_of_batch batch_matrix_product stacked_product
mv: matrix_by_vector matvec_product matrix_vector_product matrix_times_vector mat_vec_product
addmm: matmul_onto matmul_add add_matmul product_plus matmul_plus matmul_accumulate matrix_product_onto matmul_and_add
addmm: add_matrix_product plus_matmul product_onto matmul_on_top
dot: dot_of inner_product_of sum_of_products multiply_and_sum products_summed scalar_product_of
linalg_vector_norm: euclid_norm vector_length euclidean_length norm_of norm_two euclid root_of_sum_of_squares
dist: euclid_distance
permute: shuffle_dims shuffle_axes reorder_axes rearrange swap_dims swap_axes rotate_axes move_axes dim_shuffle shuffle
permute: order_axes axes_reorder dims_reorder rearrange_axes rearrange_dims axis_shuffle exchange_axes change_axes
permute: change_order_of_axes axes_order turn_axes
=transposematrix: rows_to_columns columns_to_rows swap_rows_columns swap_rows_and_columns matrix_transpose tip_over
cat: stack_up put_together glue join_all append append_along together paste side_by_side join_along glue_together
cat: concat_along string_together attach chain line_up end_to_end joined lay_together connect
stack: pile pile_up stack_all stack_along lay_on_top
split.Tensor: cut_up break_up pieces split_up separate sections take_apart divide_up cut_into split_along in_pieces part
index_select: lookup take_rows fetch_rows pick_rows rows rows_at index_pick pick_at take_at fetch
index_select: lookup_rows choose_rows
index_select: rows_of copy_rows pull_rows select_index index_take pick_index pluck pick take_some take_by_index collect
index_select: pick_along_axis pick_slices rows_by_index pick_by_index fetch_at read_rows select_at collect_rows
gather: take_each pick_each gather_each get_along take_along gather_along pick_along get_each select_each fetch_each
gather: collect_along pick_elements pick_one_each take_elements take_along_axis read_along fetch_along select_along
scatter.src: put_along scatter_along put_each set_along scatter_each place_along write_along store_along spread_along
scatter.src: place_each put_elements write_each
scatter_add: add_along put_add add_each scatter_accumulate scatter_sum scatter_plus add_scattered
index_add: add_rows add_at rows_add accumulate_rows index_accumulate add_to_rows add_rows_at add_by_index
index_copy: put_rows set_rows write_rows place_rows store_rows copy_to_rows put_at write_at put_by_index
embedding: table_rows table_lookup embed_rows embedding_rows word_vectors token_lookup table_fetch
embedding: fetch_embedding rows_of_table look_up from_table token_vectors read_table
slice.Tensor: cut_out crop part_of sub_tensor sub_range excerpt slice_of portion take_slice section take_part piece
slice.Tensor: cut part cut_range take_range
flip: backwards turn_around back_to_front invert_order reverse_along last_first upside_down mirror_axis reverse_axis
flip: turn_over other_way_round flip_along flip_axis mirror_along
roll: rotate cyclic_shift wrap_shift shift_around rotate_elements rotate_along roll_along turn_round shift_in_circle
repeat: tile_times repeat_times copies replicate_times tiled repeated repeat_all lay_tiles many_copies
expand: stretch spread_out broadcast_up stretch_to spread_to grow_to
=trilu: tri triangle keep_triangle triangle_part triangle_of
tril: keep_lower lower_part lower_half below_diagonal lower_only tri_lower low_triangle zero_upper lower_triangle_of
tril: under_diagonal clear_upper keep_below_diagonal
triu: keep_upper upper_part upper_half above_diagonal upper_only tri_upper up_triangle zero_lower upper_triangle_of
triu: over_diagonal clear_lower keep_above_diagonal
masked_select: keep_where select_true pick_true keep_true extract_where take_true keep_masked take_where take_masked
nonzero: where_true where_nonzero positions_of_true indices_of_nonzero places_of_true which_true find_true
sort: order put_in_order order_values sort_along sorted arrange_ascending ranked order_along in_order order_up
argsort: sort_order sorted_positions order_index ordering sort_places order_of sorted_order sorting_order
topk: best largest_k k_largest best_k top_few highest_k top_values k_best largest_few leading_k top best_few the_best
arange.start_out: count_up sequence ramp_up counting progression make_sequence numbers_from index_numbers steps
linspace: even_steps evenly_spaced spaced even_spacing
uniform_: flat uniform_noise random_flat flat_noise even_random evenly_random uniform_random random_even random_numbers
normal_: bell noise gaussian_noise bell_curve random_bell normal_noise bell_noise gauss_noise normal_random
bernoulli_.float: coin coin_flip coins coin_toss toss random_mask toss_coins
native_dropout: drop drop_random random_drop drop_out drop_some leave_out
random_: random_integers integers random_whole whole_numbers dice_roll
scaled_dot_product_attention: attend attention_core query_key_value scaled_attention dot_attention
scaled_dot_product_attention: attention_of attend_to
one_hot: one_hot_of mark_class one_at
mse_loss: mean_square_error mean_squared_difference squared_error_mean
l1_loss: mean_absolute_error absolute_error_mean mean_absolute_difference
"""
