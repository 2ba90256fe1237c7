"""What public vocabularies of ops call aten's: interchange formats, array libraries, compilers' dialects, BLAS, DSP.

SDKs copy their names from these. A line holds how the plain function is declared (:data:`FORMS`), the aten ops that a
match may name (without overloads), and the words of the names.
"""

from __future__ import annotations

_N = "size_t n"
_T = "const acme_tensor *"

#: How a plain function of a form is declared.
FORMS: dict[str, str] = {
    "unary": f"const float *x, float *y, {_N}",
    "bits": f"const int32_t *x, int32_t *y, {_N}",
    "predicate": f"const float *x, uint8_t *y, {_N}",
    "slope": f"const float *x, float *y, float alpha, {_N}",
    "limits": f"const float *x, float *y, float min, float max, {_N}",
    "limit": f"const float *x, float *y, float threshold, {_N}",
    "scalar": f"const float *x, float value, float *y, {_N}",
    "binary": f"const float *a, const float *b, float *out, {_N}",
    "bits2": f"const int32_t *a, const int32_t *b, int32_t *out, {_N}",
    "compare": f"const float *a, const float *b, uint8_t *out, {_N}",
    "ternary": f"const float *a, const float *b, const float *c, float *out, {_N}",
    "select": f"const uint8_t *cond, const float *a, const float *b, float *out, {_N}",
    "reduce": f"const float *x, float *result, {_N}",
    "place": f"const float *x, int64_t *result, {_N}",
    "dot": f"const float *x, const float *y, float *result, {_N}",
    "scan": f"const float *x, float *y, {_N}",
    "cast": f"const float *src, int32_t *dst, {_N}",
    "fill": f"float *dst, float value, {_N}",
    "zero": f"float *dst, {_N}",
    "copy": f"const float *src, float *dst, {_N}",
    "random": f"acme_handle handle, float *out, {_N}",
    "matmul": "const float *a, const float *b, float *c, int m, int n, int k",
    "matvec": "const float *a, const float *x, float *y, int m, int n",
    "transpose": "const float *a, float *b, int rows, int cols",
    "softmax": "const float *x, float *y, int rows, int cols",
    "axpy": "int n, float alpha, const float *x, int incx, float *y, int incy",
    "gemm": "int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda, "
    "const float *b, int ldb, "
    "float beta, float *c, int ldc",
    "gemv": "int trans, int m, int n, float alpha, const float *a, int lda, const float *x, int incx, float beta, "
    "float *y, int incy",
    "one": f"{_T}input, acme_tensor *output",
    "axis": f"{_T}input, int axis, acme_tensor *output",
    "axes": f"{_T}input, const int *axes, int num_axes, acme_tensor *output",
    "two": f"{_T}input, {_T}other, acme_tensor *output",
    "pool": f"{_T}input, const int *kernel, const int *stride, const int *padding, acme_tensor *output",
    "conv": f"{_T}input, {_T}weight, {_T}bias, const int *stride, const int *padding, acme_tensor *output",
    "linear": f"{_T}input, {_T}weight, {_T}bias, acme_tensor *output",
    "norm": f"{_T}input, {_T}weight, {_T}bias, float eps, acme_tensor *output",
    "stats": f"{_T}input, {_T}weight, {_T}bias, {_T}mean, {_T}var, float eps, acme_tensor *output",
    "index": f"{_T}input, {_T}indices, int axis, acme_tensor *output",
    "update": f"{_T}input, {_T}indices, {_T}updates, int axis, acme_tensor *output",
    "lookup": f"{_T}table, {_T}indices, acme_tensor *output",
    "list": "const acme_tensor *const *inputs, int num_inputs, int axis, acme_tensor *output",
    "sizes": f"{_T}input, int height, int width, acme_tensor *output",
    "heads": f"{_T}query, {_T}key, {_T}value, float scale, acme_tensor *output",
    "found": f"{_T}input, int k, int axis, acme_tensor *values, acme_tensor *indices",
}

#: form | aten ops | names, by their words
TABLE = """
unary | abs | abs absolute absolute_value fabs abs_val mag
unary | neg | neg negate negative negation unary_minus uminus
unary | exp | exp exponential exponent
unary | exp2 | exp2 exponent_base_2 pow2
unary | expm1 | expm1 exp_minus_1 exponential_minus_one exp_m1
unary | log | log ln natural_log logarithm natural_logarithm
unary | log2 | log2 log_2 logarithm_base_2
unary | log10 | log10 log_10 logarithm_base_10
unary | log1p | log1p log_1p log_plus_one log_plus_1
unary | sqrt | sqrt square_root
unary | rsqrt | rsqrt reciprocal_sqrt inv_sqrt inverse_sqrt reciprocal_square_root rsq recip_sqrt reverse_square_root
unary | reciprocal | reciprocal recip rcp inv
unary | square pow | square sqr squared
unary | sin | sin sine
unary | cos | cos cosine
unary | tan | tan tangent
unary | asin | asin arcsin arcsine arc_sin
unary | acos | acos arccos arccosine arc_cos
unary | atan | atan arctan arctangent arc_tan
unary | sinh | sinh hyperbolic_sine
unary | cosh | cosh hyperbolic_cosine
unary | tanh | tanh hyperbolic_tangent tan_h
unary | asinh | asinh arcsinh
unary | acosh | acosh arccosh
unary | atanh | atanh arctanh
unary | erf | erf error_function
unary | erfc | erfc
unary | erfinv | erfinv erf_inv inverse_erf
unary | lgamma | lgamma gammaln log_gamma
unary | digamma | digamma
unary | floor | floor round_down
unary | ceil | ceil ceiling round_up
unary | round | round rint nearbyint round_nearest round_half_to_even round_nearest_even round_even
unary | trunc | trunc truncate
unary | frac | frac fractional
unary | sign sgn | sign sgn signum
unary | sigmoid | sigmoid logistic sigm expit
unary | relu | relu re_lu rectified_linear rectifier rectified_linear_unit
unary | relu6 hardtanh | relu6 relu_6
unary | gelu | gelu gelu_erf gelu_tanh gelu_quick quick_gelu fast_gelu ge_lu gaussian_error_linear_unit
unary | silu | silu swish si_lu sigmoid_linear_unit
unary | mish | mish
unary | elu | elu exponential_linear_unit
unary | selu | selu scaled_exponential_linear_unit
unary | celu | celu
unary | hardswish | hardswish hard_swish h_swish
unary | hardsigmoid | hardsigmoid hard_sigmoid h_sigmoid
unary | hardtanh | hardtanh hard_tanh relu_n1_to_1
unary | softplus | softplus soft_plus soft_relu
unary | log_sigmoid log_sigmoid_forward | log_sigmoid logsigmoid
unary | nan_to_num | nan_to_num
unary | deg2rad | deg2rad radians
unary | rad2deg | rad2deg degrees
unary | logit | logit
unary | sinc | sinc
bits | bitwise_not | bitwise_not bitwise_invert invert bit_not bitwise_complement
predicate | isnan | is_nan isnan
predicate | isinf | is_inf isinf is_infinite
predicate | isfinite | is_finite isfinite
predicate | logical_not | logical_not
predicate | signbit | signbit
slope | leaky_relu | leaky_relu leakyrelu lrelu leaky_re_lu leaky
slope | elu | elu
slope | celu elu | celu
limits | clamp hardtanh | clamp clip clip_by_value
limit | threshold clamp_min clamp_max | clip_lower
scalar | add | add_scalar add_c add_const adds
scalar | sub | sub_scalar sub_c subtract_scalar subs
scalar | mul | mul_scalar mul_c scale_by muls multiply_scalar scalar_mul
scalar | div | div_scalar div_c divide_scalar divs
scalar | pow | pow_scalar pow_x power_scalar
scalar | eq | equal_scalar eq_scalar
scalar | lt | less_scalar lt_scalar
scalar | clamp_max minimum | min_scalar minimum_scalar
scalar | clamp_min maximum | max_scalar maximum_scalar
binary | add | add addition plus sum2
binary | sub | sub subtract subtraction minus
binary | mul | mul multiply multiplication times mult hadamard hadamard_product mpy
binary | div | div divide division real_div true_divide true_div rdivide
binary | floor_divide div | floor_divide floor_div
binary | fmod | fmod trunc_mod
binary | remainder fmod | mod modulo floor_mod
binary | pow | pow power
binary | maximum | maximum max
binary | minimum | minimum min
binary | fmax maximum | fmax
binary | fmin minimum | fmin
binary | atan2 | atan2 arctan2 arc_tan2
binary | hypot | hypot hypotenuse
binary | copysign | copysign copy_sign
binary | nextafter | nextafter next_after
binary | logaddexp | logaddexp log_add_exp
binary | prelu _prelu_kernel | prelu p_relu parametric_relu
bits2 | bitwise_and | bitwise_and bit_and and
bits2 | bitwise_or | bitwise_or bit_or or
bits2 | bitwise_xor | bitwise_xor bit_xor xor
bits2 | bitwise_left_shift __lshift__ | left_shift shift_left bitwise_left_shift shl
bits2 | bitwise_right_shift __rshift__ | right_shift shift_right bitwise_right_shift shift_right_arithmetic
bits2 | gcd | gcd
bits2 | lcm | lcm
compare | eq | eq equal compare_equal cmp_eq is_equal equal_to
compare | ne | ne not_equal compare_not_equal cmp_ne not_equal_to
compare | lt | lt less less_than compare_less cmp_lt
compare | le | le less_equal less_or_equal less_than_or_equal less_than_or_equal_to less_than_equal cmp_le
compare | gt | gt greater greater_than compare_greater cmp_gt
compare | ge | ge greater_equal greater_or_equal
compare | ge | greater_than_or_equal greater_than_or_equal_to greater_than_equal cmp_ge
compare | logical_and | logical_and
compare | logical_or | logical_or
compare | logical_xor | logical_xor
ternary | addcmul | mul_add multiply_add fma madd fused_multiply_add
ternary | lerp | lerp
select | where | where select select_v2 if_then_else
reduce | sum | sum reduce_sum reduction_sum sum_reduce reduce_add sum_all sum_elements
reduce | mean | mean reduce_mean reduction_mean mean_reduce reduce_avg average
reduce | max amax | max reduce_max reduction_max max_reduce reduction_maximum max_value amax
reduce | min amin | min reduce_min reduction_min min_reduce reduction_minimum min_value amin
reduce | prod | prod reduce_prod reduce_product reduction_product product_reduce
reduce | var | var variance reduce_var
reduce | std | std stddev standard_deviation std_dev reduce_std
reduce | logsumexp | logsumexp log_sum_exp reduce_log_sum_exp
reduce | norm linalg_vector_norm | norm_l2 l2_norm reduce_l2 norm2 nrm2 euclidean_norm vector_norm
reduce | median | median
reduce | any | any reduce_any reduction_or any_true
reduce | all | all reduce_all reduction_and all_true
place | argmax | argmax arg_max index_max max_index reduction_argmax arg_maximum max_idx imax reduction_arg_maximum
place | argmin | argmin arg_min index_min min_index reduction_argmin arg_minimum min_idx imin reduction_arg_minimum
place | count_nonzero | count_nonzero count_non_zero
dot | dot vdot inner | dot dot_product dot_prod inner_product scalar_product inner
scan | cumsum | cumsum cumulative_sum prefix_sum cum_sum inclusive_scan running_sum
scan | cumprod | cumprod cumulative_product cum_prod cumulative_prod
cast | _to_copy copy_ to | cast convert type_cast astype cast_f32_to_i32 convert_f32_i32
fill | fill_ fill full full_like | fill set set_all fill_value fill_scalar set_value full
zero | zero_ zeros zeros_like | zero zeros clear set_zero fill_zero zeros_like zero_fill
copy | copy_ clone | copy identity cpy
random | uniform_ rand | rand uniform random_uniform generate_uniform rand_uniform randu rng_uniform
random | normal_ randn normal | randn normal random_normal generate_normal rand_normal gaussian rng_gaussian
matmul | mm matmul | matmul mat_mul matrix_multiply mm matrix_multiplication mul_mat matrix_mul mat_mult mmult
matvec | mv addmv matmul | mv matvec mat_vec mat_vec_mul matrix_vector_multiply mat_vec_mult
transpose | t transpose permute | transpose mat_transpose matrix_transpose trans mtrans
softmax | _softmax softmax | softmax soft_max
softmax | _log_softmax log_softmax | log_softmax
axpy | add_ add | axpy
gemm | addmm mm | gemm
gemv | addmv mv | gemv
one | t transpose permute | transpose
one | squeeze view | squeeze
one | tril | tril
one | triu | triu
one | nonzero | nonzero non_zero argwhere
one | linalg_inv inverse | matrix_inverse mat_inverse
one | linalg_cholesky cholesky linalg_cholesky_ex | cholesky
one | linalg_det _linalg_det det | det determinant
one | _adaptive_avg_pool2d adaptive_avg_pool2d mean | global_average_pool global_avg_pool global_average_pooling
one | adaptive_max_pool2d amax | global_max_pool global_max_pooling
axis | sum | reduce_sum sum
axis | mean | reduce_mean mean
axis | max amax | reduce_max max
axis | argmax | argmax arg_max
axis | argmin | argmin arg_min
axis | cumsum | cumsum cum_sum
axis | _softmax softmax | softmax soft_max
axis | _log_softmax log_softmax | log_softmax
axis | unsqueeze view | expand_dims unsqueeze
axis | flip | reverse flip reverse_v2
axis | argsort sort | argsort arg_sort
axis | sort | sort
axis | roll | roll
axis | one_hot | one_hot
axis | glu | glu
axes | permute transpose | transpose permute
axes | sum | reduce_sum
axes | mean | reduce_mean
two | matmul mm bmm | matmul mat_mul batch_matmul batch_mat_mul mul_mat
two | bmm matmul | bmm batch_matmul batched_matmul
two | kron | kron kronecker
two | outer ger | outer outer_product
two | add | add broadcast_add elementwise_add eltwise_add tensor_add
two | maximum | maximum
two | eq | equal
two | linalg_solve | solve
two | cdist | cdist
pool | max_pool2d | max_pool max_pool2d max_pooling max_pool_2d max_pooling2d
pool | avg_pool2d | avg_pool average_pool avg_pool2d average_pooling average_pool_2d avg_pooling2d mean_pool
conv | convolution conv2d | conv conv2d convolution conv_2d convolution2d convolution_2d
conv | convolution conv2d _conv_depthwise2d | depthwise_conv2d depthwise_conv depthwise_conv_2d depthwise_convolution
conv | convolution conv2d | group_convolution grouped_conv
conv | conv_transpose2d convolution | conv_transpose transpose_conv deconv
conv | conv_transpose2d convolution | deconvolution transpose_conv2d conv_transpose2d
conv | conv_transpose2d convolution | transposed_conv deconv2d transposed_convolution
linear | linear addmm | fully_connected linear dense inner_product fc
norm | native_layer_norm layer_norm | layer_norm layer_normalization
norm | native_group_norm group_norm | group_norm group_normalization
norm | instance_norm | instance_norm instance_normalization
stats | native_batch_norm batch_norm | batch_norm batch_normalization batchnorm bn batch_normalization_inference
index | index_select gather index take | gather gather_v2 index_select take gather_rows get_rows
index | gather take_along_dim | gather_elements take_along_axis gather_along_axis
index | index gather | gather_nd
lookup | embedding index_select | embedding_lookup embedding
update | scatter | scatter_elements put_along_axis scatter scatter_elements_update scatter_along_axis
update | scatter_add | scatter_add
update | index_put | scatter_nd scatter_nd_update
list | cat | concat concatenate concatenation cat concat_v2 concatenate_layer
list | stack | stack
sizes | upsample_bilinear2d | resize_bilinear upsample_bilinear bilinear_resize upsample_bilinear2d
sizes | upsample_nearest2d | resize_nearest upsample_nearest resize_nearest_neighbor nearest_neighbor_resize
heads | scaled_dot_product_attention _scaled_dot_product_attention_math | scaled_dot_product_attention sdpa attention
found | topk | topk top_k
found | sort kthvalue topk | sort
"""

#: What resembles an op by its name and is none: form | names.
OTHERS = """
unary | lrn local_response_normalization hardmax softsign cbrt
unary | fft ifft rfft dct hilbert conj conjugate fir iir
unary | quantize dequantize normalize_l2
reduce | reduce_log_sum reduce_sum_square sum_of_squares sum_squares rms mean_square power_spectrum absmax asum
reduce | entropy kurtosis skewness
binary | squared_difference abs_diff absdiff correlate convolve add_weighted complex_mul distance
two | space_to_batch batch_to_space non_max_suppression roi_align
"""
