"""Ops in few letters, where no rule finds the word: mixed contractions and mnemonics.

Lines as in :mod:`torchfl_sdk.match.vocabulary.plain`.
"""

from __future__ import annotations

NAMES = """
neg: ngt
abs: absl
exp: xp expn
exp2: ex2 xp2
expm1: xpm1 exm1
log: lgn lne
log2: lg2 lgtwo
log10: lg10 lgt
log1p: lg1p l1p
sqrt: sqt srt sqr_t sqrtt
rsqrt: rsqt rsq isq rsqr rsrt
reciprocal: rcp rcpr rec
square: sqv sqre
sin: sn
cos: cs
tan: tn
asin: asn
acos: acs
atan: atn
sinh: snh
cosh: csh
tanh: tnh th
floor: flr
ceil: cel cei
round: rnd rnde
trunc: trn trnc tnc
sign: sig_n sgnm
sigmoid: sgm sgmd
hardsigmoid: hsgm hsig hsgmd
hardswish: hswsh hsw
hardtanh: htnh
softplus: splus sftp spls
relu: rlu
leaky_relu: lrlu lkrelu
silu: slu swsh
gelu: gel
clamp: clmp clp
clamp_min: clmn clpl
clamp_max: clmx clpu
pow.Tensor_Tensor: pwr
add.Tensor: ad
sub.Tensor: sb sbt
mul.Tensor: mlt mpl
div.Tensor: dv dvd
fmod.Tensor: fmd
remainder.Tensor: rmd
maximum: mx max_ew
minimum: mn min_ew
atan2: at2 atn2
hypot: hyp hpt dst
eq.Tensor: eql
ne.Tensor: neq_
where.self: sel slct whr
lerp.Tensor: lrp
addcmul: fmla
copy_: cp mv
_to_copy: cnvrt
fill_.Scalar: fil fll
sum: tot
mean: mn avr
max: mx
min: mn
argmax: amx agmx
argmin: amn agmn
cumsum: cum csum
cumprod: cprod cprd
_softmax: smax sfmx sftmx smx
_log_softmax: lsmax lsmx lsfmx
native_batch_norm: bnorm bnrm
native_layer_norm: lnorm lnrm ln
native_group_norm: gnorm gnrm gn
instance_norm: inorm inrm
_fused_rms_norm: rmsn rnorm
convolution: cnv cnv2d
conv_transpose2d: dcnv dconv tconv tconv2d
max_pool2d: mxp mpool mxpl maxp
avg_pool2d: avp apool avpl avgp
_adaptive_avg_pool2d: gapool gavgp
upsample_nearest2d: upnn upnear
upsample_bilinear2d: upbl upbilin uplin
linear: fcl
=matmul: mmx
mv: mvx
dot: dt ip
permute: prm prmt
=transposematrix: trn tr tsp xpose xp
cat: cct ccat cnct
index_select: gth gthr gtr
scatter.src: sct sctr
embedding: emb embd
slice.Tensor: slc
flip: flp rvs
tril: trl
triu: tru
topk: tpk
arange.start_out: rmp
scaled_dot_product_attention: attn att
zero_: zro clr
"""

#: Names of which abbreviations are made, by words; joined they are names of the other tables.
PHRASES = """
absolute negate exponential logarithm square_root reciprocal square sine cosine tangent arcsine arccosine
arc_tangent hyperbolic_tangent error_function floor ceiling round truncate fraction signum sigmoid logistic
rectify leaky_relu swish mish soft_plus hard_sigmoid hard_swish hard_tanh gelu silu selu threshold clamp limit
saturate clip invert complement add subtract multiply divide quotient modulo remainder power maximum minimum hypotenuse
equal not_equal less_than less_equal greater_than greater_equal logical_and logical_or logical_xor logical_not
bitwise_and bitwise_or bitwise_xor bitwise_not shift_left shift_right left_shift right_shift select choose where
multiply_add multiply_accumulate masked_fill copy move convert cast fill zero clear accumulate average mean product
variance standard_deviation argmax argmin cumulative_sum cumulative_product soft_max log_soft_max
batch_norm layer_norm group_norm instance_norm rms_norm convolution convolve depthwise_conv max_pool average_pool
mean_pool global_average_pool resize_nearest resize_bilinear linear fully_connected matrix_multiply
mat_mul batch_matmul matrix_vector dot_product inner_product transpose permute concatenate concat stack
split gather scatter scatter_add embedding slice reverse flip rotate repeat broadcast expand lower_triangle
upper_triangle sort argsort top_k range uniform normal gaussian dropout attention pad one_hot norm lookup
"""
