"""Ops in the words of fields: signals, images, shading, statistics, array languages, matrix software, instruction sets.

Lines as in :mod:`torchfl_sdk.match.vocabulary.plain`.
"""

from __future__ import annotations

NAMES = """
abs: rectify_full full_wave full_wave_rectify abs_diff_zero fabsf iabs
neg: phase_invert polarity_invert fneg ineg chs
exp: antilog napier_exp exp_e
exp2: antilog2 exp_2 ldexp_one
log2: lb_of octave bits_of
log10: decade lg common_log decadic_log logten lgten
log1p: lnp1 ln1p logp1 log1px log_1px
expm1: em1 exp_m1 expm_one expminus
sqrt: fsqrt vsq_root
rsqrt: isqrt frsqrt invroot fast_inverse_root rsq_root inverse_norm
reciprocal: frcp reciproc fast_recip recpe
square: sq sqd power2 pow_two energy instantaneous_power
sin: fsin
cos: fcos
tanh: tansig tanhyp tan_sigmoid sigmoid_symmetric symmetric_sigmoid
sigmoid: logistic_activation unipolar_sigmoid fermi
relu: poslin ramp_activation half_wave half_wave_rectify positive_linear hinge_activation rlu
relu6: relu_n6 clip_relu6 satlin6
hardtanh: satlins symmetric_saturation relu_n1 saturate_symmetric
hardsigmoid: satlin saturating_linear
softplus: log1p_exp softmax_zero
gelu: gaussian_activation normal_cdf_gate
silu: sil swish_1 swish1
floor: ffloor floor_to_int entier frint_minus round_minus_inf round_toward_minus round_toward_negative rounddown_int
floor: roundtominusinfinity round_to_negative_infinity
ceil: fceil round_plus_inf round_toward_plus round_toward_positive round_to_positive_infinity
round: rne round_ties_even frint rndne round_half_to_even convergent_round
trunc: ftrunc chop_to_zero rtz round_toward_zero_int int_part
sign: sgn_of signum_of direction_sign
clamp: sat saturate_range hard_limit hard_limiter clipper two_sided_clip window_level limiter_range satur
clamp_min: noise_gate_floor lower_saturate rectify_at
clamp_max: peak_limit upper_saturate
threshold: thresh_to_value threshold_value cutoff_below
pow.Tensor_Tensor: involution gamma_map exponentiate_by
add.Tensor: superpose mixdown plus_ew iadd eltadd ewadd accumulate_two overlay_add sum_pointwise
add.Scalar: dc_offset bias_shift add_dc add_constant_value
sub.Tensor: isub eltsub ewsub subtract_images background_subtract
rsub.Scalar: subr rsbs
mul.Tensor: imul eltmul ewmul ewise_mult gain modulate apply_gain schur schur_product dot_times dot_mul star ew_times
mul.Tensor: amplify apply_window_values times_ew point_mul point_product gain_by
div.Tensor: idiv_real eltdiv ewdiv dot_div slash ratio_of_images normalise_by normalize_by point_div
remainder.Tensor: residue floored_mod euclid_mod
fmod.Tensor: cmod truncated_mod frem remainderf_trunc
maximum: pmax_pair parallel_max umax fmaxnm lattice_join join_max ewmax lighten dilate_pair
minimum: parallel_min umin fminnm lattice_meet meet_min ewmin darken erode_pair pmin
atan2: phase_of_pair phase_angle_of arg_of_pair arctan_yx atan_yx carg_pair theta
hypot: modulus_of_pair vector_length2 cabs_pair rss
eq.Tensor: fcmp_eq cmp_eq seteq teq equ is_eq
ne.Tensor: fcmp_ne setne tne is_ne neql
lt.Tensor: fcmp_lt setlt is_lt
le.Tensor: fcmp_le setle is_le
gt.Tensor: fcmp_gt setgt is_gt
ge.Tensor: fcmp_ge setge is_ge step_at
logical_and: pand p_and bool_mul mask_and
logical_or: por p_or bool_add mask_or
logical_xor: pxor p_xor mask_xor
bitwise_and.Tensor: band iand andb
bitwise_or.Tensor: bor ior inclusive_or
bitwise_xor.Tensor: bxor ixor exor
bitwise_not: bnot inot onescomp mvn
bitwise_left_shift.Tensor: lsl asl sll ishl
bitwise_right_shift.Tensor: asr lsr sra srl ishr
where.self: mux2 csel bsl bitselect cmov multiplex multiplexer vsel blendv alpha_select composite_by_mask
where.self: merge_by select3
lerp.Tensor: alpha_blend cross_dissolve dissolve linterp lin_interp tween
addcmul: fused_base_mul multiply_add_three accumulate_product fused_mac axy_plus
addcdiv: fused_base_div
copy_: mov blit dcopy passthrough wire latch relay movv vmove
_to_copy: transcode numeric_cast saturate_cast requantise_type demote promote widen narrow_type
_to_copy: retag convert_precision_to
fill_.Scalar: bset broadcast_constant flood_fill_value dup_scalar splat_value vdup set_all_elements
zero_: bzero vzero mute clear_buffer zap
sum: hadd_all horizontal_add horizontal_sum reduce_total plus_reduce add_reduce dc_sum integrate_all
sum: sigma_sum collapse_sum
mean: dc_level expectation_of ensemble_mean centroid_value average_level avg_level
max: horizontal_max hmax peak_hold max_reduce crest_value supremum sup
min: horizontal_min hmin min_reduce infimum inf_of
prod: horizontal_mul times_reduce mul_reduce pi_product
var: second_central_moment power_ac variance_population sample_variance
std: standard_error_of rms_ac sample_std
argmax: imax_loc amax_index whichmax which_is_max pmax arg_sup peak_bin peak_loc maxat
argmin: whichmin which_is_min arg_inf minat pmin
cumsum: integrate_running scan_add scan_sum prefix_add add_scan cumul_sum plus_scan sum_scan running_integral
cumprod: scan_mul scan_prod mul_scan prod_scan times_scan
cummax: scan_max max_scan peak_envelope
cummin: scan_min min_scan
_softmax: boltzmann gibbs normalized_exponential normalised_exponential softargmax_values multinomial_logit
_log_softmax: log_softargmax log_probs logprobs
logsumexp: lse log_partition free_energy
native_batch_norm: spatial_bn bn2d batchnorm_affine
native_layer_norm: row_standardize feature_norm zscore_rows lnorm_affine
_fused_rms_norm: rmsn t5_norm scale_norm_rms
convolution: xcorr_layer conv2 filter_bank_2d cnn_conv convolve_2d convolution_layer
conv_transpose2d: fractional_conv fractionally_strided_conv dconv transpose_convolve
max_pool2d: max_subsample max_downsample max_pooling_layer max_pooling_2d
avg_pool2d: mean_subsample box_downsample average_pooling_layer avg_downsample mean_pool2d
upsample_nearest2d: nn_resize resize_nn pixel_replicate nearest_interp nn_upsample nearest_scale
upsample_bilinear2d: resize_bl bl_resize bilinear_interp bilinear_scale bilerp_resize
linear: ip_layer dense_affine perceptron fc_layer fully_conn xw_plus_b projection_layer
mm: gemm_plain mmul_ab matprod_ab ab_product mat_mat inner_matrix_product
bmm: batched_mm batch_mm mm_batch bmm_nn strided_matmul matmul_batched mmbatch
mv: gemv_plain mat_by_vec
addmm: gemm_acc mma gemm_accumulate matmul_acc
dot: sop inner_prod_of correlate_zero_lag dot_acc
linalg_vector_norm: l2_length frobenius fro_norm rss_all root_sum_square nrm two_norm
permute: rho_transpose axis_permute dimshuffle transpose_nd ndtranspose tensor_transpose layout_permute
=transposematrix: mat_flip corner_turn matrix_turn tposed tpose
cat: catenate cbind rbind row_bind col_bind cconcat depth_concat channel_concat merge_channels
split.Tensor: deal unconcat demerge
index_select: vgather indexed_load gather_load fancy_index subscript rows_subset lut_rows
index_copy: indexed_store scatter_store
gather: pointwise_gather indexed_read
scatter.src: indexed_write pointwise_scatter
embedding: emb_lookup vocab_lookup token_embed token_embedding lut_fetch wte
slice.Tensor: subarray subrange substring_of roi_copy extract_roi sub_view
flip: rev_order reverse_time time_reverse mirror_image fliplr
roll: circ_rotate cyclic_rotate circular_rotate barrel_rotate barrel_shift circular_delay
repeat: rep replicate_tile tessellate mosaic
tril: lower_mask_apply causal_keep mask_upper tri_lo
triu: upper_mask_apply mask_lower tri_up
masked_select: compress stream_compact vcompress filter_by_mask boolean_index pack_by_mask left_pack
nonzero: flatnonzero find_indices which locate locate_nonzero where_indices
sort: rank_order order_statistics bitonic radix
argsort: grade grade_up order_permutation sort_permutation
topk: k_select partial_sort_top n_largest nlargest beam_top
arange.start_out: colon seq seq_len index_ramp idxgen tid_fill lane_ids index_fill_sequence
linspace: vgen lin_ramp linear_ramp
uniform_: runif unif urand urnd uniform01 philox_uniform random_unit uni
normal_: rnorm nrand grand gauss_random randg awgn white_gaussian box_muller
bernoulli_.float: rbinom1 bernoulli_draw mask_random
native_dropout: drop_mask random_zero dropout_train
scaled_dot_product_attention: mhsa_core sdp qkv_attention flash attn softmax_qk_v attention_fwd self_attention
one_hot: indicator_encode onehot_encode dummy_code
binary_cross_entropy: log_loss_binary
special_ndtr: phi_cdf gauss_cdf normal_cumulative
constant_pad_nd: zero_border copy_border_const halo_pad
pixel_shuffle: subpixel sub_pixel_shuffle d2s depth2space
pixel_unshuffle: s2d space2depth
"""
