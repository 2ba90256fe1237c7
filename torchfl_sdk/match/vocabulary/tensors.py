"""Ops over whole tensors: reductions, normalisation, convolution, pooling, movement, indexing, networks' layers."""

from __future__ import annotations

from torchfl_sdk.match.vocabulary.word import Word, w

_PARAMS = "input weight? bias? running_mean? running_var?"

WORDS: tuple[Word, ...] = (
    # reductions; with a dimension argument the overload with dim is meant
    w("sum", "sum sumval foldadd foldsum addall totalsum accumulator sumelements vectorsum "
      "reducesum sumreduce summation accumulate "
      "reduceadd addreduce vsum sve sumall ssum",
      "reduce", alternatives="sum.dim_IntList"),
    w("mean", "mean meanval meanreduce2d reducemean2d "
      "meansum meanvalue averagevalue avgvalue average avg reducemean meanreduce reduceavg vmean meanv",
      "reduce", alternatives="mean.dim"),
    w("max", "max foldmax largest maxvalue vectormax maxelement maxall maximum reducemax maxreduce "
      "amax maxv vmax maxval "
      "reducemaximum",
      "reduce", outputs="output indices?",
      alternatives="amax max.dim"),
    w("min", "min foldmin smallest minvalue vectormin minelement minall minimum reducemin minreduce "
      "amin minv vmin minval "
      "reduceminimum",
      "reduce", outputs="output indices?",
      alternatives="amin min.dim"),
    w("prod", "prod reduceprod reduceproduct prodreduce productreduce reducemul product prodall "
      "productall totalproduct", "reduce", alternatives="prod.dim_int"),
    w("any", "any anytrue reduceany reduceor", "reduce", alternatives="any.dim"),
    w("all", "all alltrue reduceall reduceand", "reduce", alternatives="all.dim"),
    w("var", "variance vari variancevalue var reducevar", "reduce", alternatives="var.correction var.dim"),
    w("std", "std sd stdev stdvar standarddev stddev standarddeviation deviate reducestd", "reduce",
      alternatives="std.correction std.dim"),
    w("logsumexp", "logsumexp reducelogsumexp", "reduce"),
    w("linalg_vector_norm", "norml2 norm2 l2norm reducenorml2 reducenorm2 normlppowerpsum norml1 norm1 reducenorm1 "
      "norminf reducel2 reducel1 vectornorm", "reduce", alternatives="norm norm.ScalarOpt_dim", ),
    w("norm", "norm reducenorm lpnorm normlpmax normlpsum normlp", "reduce", alternatives="linalg_vector_norm"),
    w("count_nonzero", "countnonzero count nonzerocount", "reduce"),
    w("argmax", "argmax argfoldmax indexoflargest indexmax maxpos maxloc idxmax maxind argmaximum "
      "indexofmax maxindex maxidx imax ismax",
      "arg_reduce", outputs="output"),
    w("argmin", "argmin argfoldmin indexofsmallest indexmin minpos minloc idxmin minind argminimum "
      "indexofmin minindex minidx imin ismin",
      "arg_reduce", outputs="output"),
    w("max.dim", "maxdim imax maxindx maxwithindex maxandindex maxvi", "arg_reduce", outputs="output indices",
      alternatives="argmax max"),
    w("min.dim", "mindim imin minindx minwithindex minandindex minvi", "arg_reduce", outputs="output indices",
      alternatives="argmin min"),
    w("cumsum", "cumsum accum cumulative runningsum rollingsum accumulated cumulativesum prefixsum scan "
      "inclusivescan inclusivesum vrsum", "reduce"),
    w("cumprod", "cumulativeprod cumprod runningproduct cumulativeproduct", "reduce"),
    w("aminmax", "minmax aminmax maxmin minmaxval", "reduce", outputs="output output2", alternatives="_aminmax"),
    w("std_mean", "meanstddev meanstd stdmean stddevandmean meanandstddev stddevmean", "reduce",
      outputs="output output2",
      alternatives="std_mean.correction"),
    w("var_mean", "meanvar varmean meanvariance", "reduce", outputs="output output2",
      alternatives="var_mean.correction"),
    w("logcumsumexp", "logcumsumexp", "reduce"),
    w("cummax", "cummax", "reduce", outputs="output indices", alternatives="_cummax_helper"),
    w("cummin", "cummin", "reduce", outputs="output indices", alternatives="_cummin_helper"),
    w("median", "median", "reduce", outputs="output indices?", alternatives="median.dim"),
    w("kthvalue", "kthvalue", "sort", outputs="output indices"),
    w("mode", "modevalue", "reduce", outputs="output indices"),
    w("histc", "histc histogram", "reduce", alternatives="histogram.bins_tensor"),
    w("bincount", "bincount", "reduce"),
    # softmax family
    w("_softmax", "softmax batchsoftmax softmaxbatch softmaxaccurate softmaxfast softargmax softmaxactivation",
      "softmax",
      alternatives="softmax.int"),
    w("_log_softmax", "logsoftmax softmaxlog", "softmax", alternatives="log_softmax.int"),
    # normalisation
    w("native_batch_norm", "batchnorm batchnormalization batchnorminference bn batchnormalizationinference "
      "batchnormalizationtraining batchnormtraining spatialbatchnorm batchnorm2d normalization batchnormalize",
      "norm", _PARAMS, "output save_mean? save_rstd?", alternatives="batch_norm _native_batch_norm_legit "
      "_native_batch_norm_legit_no_training"),
    w("native_layer_norm", "layernorm lnorm layernormalization ln2d layernormalize", "norm", "input weight? bias?",
      "output save_mean? save_rstd?", alternatives="layer_norm"),
    w("native_group_norm", "groupnorm groupnormalization", "norm", "input weight? bias?",
      "output save_mean? save_rstd?", alternatives="group_norm"),
    w("instance_norm", "instancenorm instancenormalization", "norm", _PARAMS),
    w("_fused_rms_norm", "rmsnorm fusedrmsnorm rmsnormalization rootmeansquarenorm", "norm", "input weight?",
      "output save_rstd?", alternatives="rms_norm"),
    # convolution, pooling, resizing
    w("convolution", "conv convolution conv2d conv1x1 pointwiseconv pointwiseconvolution convpointwise directconv "
      "convolve1x1 convolvenn convolve2nn convolutional convolution2d conv1d conv3d convolve dilatedconvolution "
      "convnd groupconvolution groupconv2d groupedconv groupedconv2d groupconvolution2d "
      "convolutionnd spatialconvolution groupedconvolution groupconv convgemm convolve2d convolution1d convolution3d",
      "conv", "input weight bias?", alternatives="conv2d convolution_overrideable"),
    w("convolution", "depthwiseconv depthwise depthwiseseparableconv depthwise2d depthconv convdw dwconvolve "
      "conv2ddepthwise conv2ddw "
      "dwconvolution depthwiseconvolution depthwiseconv2d depthwiseconvolution2d dwconv dwconv2d "
      "convdepthwise convdepthwise2d depthwiseconvolve", "conv", "input weight bias?",
      alternatives="_conv_depthwise2d conv2d convolution_overrideable"),
    w("conv_transpose2d", "conv2dtranspose deconv deconvolve upconv transposeconvolution convolvetransposed "
      "convolvetranspose "
      "transposedconvolve transposeconvolve deconvolution deconv2d deconvolution2d convtranspose convtranspose2d "
      "transposedconvolution transposedconv transposedconv2d convolutiontranspose transposeconv transposeconv2d "
      "convolutiontransposed convtransposed", "conv", "input weight bias?",
      alternatives="conv_transpose2d.input convolution convolution_overrideable"),
    w("max_pool2d", "maxpool maxpool1d maxpool3d poolmax2d maxpoolnd maxpooling maxpool2d maxpooling2d poolingmax "
      "poolmax poolingmaxdeterministic",
      "pool", alternatives="max_pool2d_with_indices", outputs="output indices?"),
    w("max_pool2d_with_indices", "argmaxpooling argmaxpooling2d argmaxpool maxpoolwithindex maxpoolwithargmax "
      "maxpoolwithindices maxpool2dwithindices maxpool2dwithmask", "pool", outputs="output indices"),
    w("avg_pool2d", "avgpool avgpool1d avgpool3d poolavg2d avgpoolnd avepool avepooling avgpooling averagepool "
      "averagepooling avgpool2d averagepooling2d meanpool averagepool2d "
      "poolingaverage poolavg poolingavg poolaverage poolingavgincludepadding poolingavgexcludepadding "
      "averagecountincludepadding averagecountexcludepadding avgpooling2d poolingaveragecountincludepadding "
      "poolingaveragecountexcludepadding poolaveragecountincludepadding poolaveragecountexcludepadding "
      "poolavgincludepadding poolavgexcludepadding", "pool"),
    w("_adaptive_avg_pool2d", "globalaveragepooling globalaverage globalavgpool2d globalpoolavg gap "
      "globalaveragepool2d avgpoolglobal averagepoolglobal avgpool2dglobal globalavgpool globalaveragepool "
      "adaptiveavgpool adaptiveavgpool2d adaptivepool adaptivepooling globalpool globalpooling "
      "globalavgpooling globalaveragepooling2d adaptiveaveragepool", "pool",
      alternatives="mean.dim adaptive_avg_pool2d adaptive_max_pool2d"),
    w("adaptive_max_pool2d", "globalmaxpool globalmaxpool2d globalmax globalpoolmax maxpoolglobal maxpool2dglobal "
      "globalmaxpooling adaptivemaxpool adaptivemaxpool2d globalmaxpooling2d",
      "pool", outputs="output indices?", alternatives="amax"),
    w("upsample_nearest2d", "resizenearest upsamplenearest resamplingnearest resizenearestneighbor "
      "upsamplenearest2d resizenearest2d nearestneighborresize", "resize"),
    w("upsample_bilinear2d", "resizebilinear resizebilinear2d upsamplebilinear resamplinglinear resizelinear "
      "upsamplebilinear2d bilinearresize", "resize"),
    w("upsample_bicubic2d", "resizebicubic upsamplebicubic resizecubic upsamplebicubic2d", "resize"),
    w("grid_sampler_2d", "gridsample gridsampler gridsampler2d spatialtfsampler gridsample2d", "resize",
      "input grid"),
    w("pixel_shuffle", "pixelshuffle depthtospace depthtospace2d", "shape"),
    w("pixel_unshuffle", "pixelunshuffle spacetodepth spacetodepth2d", "shape"),
    w("channel_shuffle", "channelshuffle shufflechannel shuffle", "shape"),
    w("im2col", "im2col unfold", "shape"),
    w("col2im", "col2im fold", "shape"),
    w("constant_pad_nd", "pad constantpad padding padnd constantpadnd padconstant padtensor zeropad", "shape",
      alternatives="pad"),
    # linear algebra over tensors
    w("linear", "linear fullyconnected innerproduct fc dense fullyconnectedlayer", "linear", "input weight bias?",
      alternatives="addmm"),
    w("matmul", "mmul matmat matrixmult matprod mxm mmultiply mmult matmul matmul2d matrixmultiply matmult "
      "matrixmul mm matrixmultiplication mulmat "
                "matrixproduct matmultranspose matmultransposed transposematmul matmulnt matmultn", "matmul",
      "input input2 bias?", alternatives="mm bmm addmm linear"),
    w("bmm", "bmm batchmatmul batchedmatmul batchmatrixmultiply matmulbatch", "matmul", "input input2",
      alternatives="matmul baddbmm"),
    w("einsum", "einsum contraction contract tensorcontraction contracttrinary contractiontrinary", "matmul",
      "input input2 input3?",
      alternatives="tensordot bmm"),
    w("mv", "mul mult multiply multiplication mlt prod", "matmul", "input input2", alternatives="addmv matmul"),
    w("mm", "mprod mul mult multiply multiplication mlt prod", "matmul", "input input2", alternatives="matmul"),
    w("mv", "mv mvprod gemvn mxv mvmlt mvmult matvec matrixvector matvecmul matvecmult matvecmultiply mvmul "
      "matrixvectormultiply matrixvectormul "
      "matvectmul", "matmul", "input input2", alternatives="addmv matmul linear"),
    w("squeeze", "squeeze", "shape", alternatives="squeeze.dim view"),
    w("unsqueeze", "unsqueeze expanddims", "shape", alternatives="view"),
    w("eye", "eye", "fill", "", alternatives="eye.m"),
    w("addmm", "addmm", "matmul", "bias input input2"),
    w("addmv", "addmv", "matmul", "bias input input2"),
    w("baddbmm", "baddbmm", "matmul", "bias input input2"),
    w("index.Tensor", "gathernd indexnd", "select", "input indices", alternatives="gather index_select"),
    w("take", "taketensor", "select", "input indices"),
    # movement and indexing
    w("permute", "reorder reorderdims swapaxes transposeaxes permuteaxes transposeperm permutetensor permute "
      "permutation perm transpose transpose2d transposend permutedims permutend transposetensor", "shape",
      alternatives="transpose.int permute_copy"),
    w("cat", "concat cat2 concatenation concatv concattensors concate concatenate cat concatv2 concat2 join "
      "concattensor",
      "list"),
    w("stack", "stack stacktensors", "list"),
    w("split.Tensor", "split splittensor splitv", "list"),
    w("index_select", "gathr pickrows gatheraxis gathervector gather gatherv2 indexselect takerows "
      "gatherrows getrows selectrows take "
      "gatherrow", "select", "input indices",
      alternatives="gather index.Tensor"),
    w("gather", "gatherelements gatherdim torchgather gatherelement", "select", "input indices"),
    w("scatter.src", "scatterelementsupdate scatteralongaxis scatterelements scatterelement scatterdim",
      "select", "input indices source"),
    w("index_add", "indexadd scatteraddrows", "select", "input indices source"),
    w("scatter_add", "scatteradd", "select", "input indices source"),
    w("index_put", "indexput scatternd scatterndupdate", "select", "input indices source"),
    w("index_copy", "indexcopy scatter", "select", "input indices source", alternatives="scatter.src"),
    w("embedding", "embedding embeddinglookup embeddingforward lookup lookuptable embed", "select", "weight indices"),
    w("_embedding_bag", "embeddingbag", "select", "weight indices offsets?"),
    w("slice.Tensor", "slice stridedslice slicetensor staticslice", "shape", alternatives="narrow"),
    w("flip", "flip rev vrvrs reversal rvrs reverseorder reverse flipud mirror", "shape"),
    w("roll", "roll", "shape"),
    w("repeat", "tile tiletensor repeat replicate", "shape"),
    w("expand", "broadcast broadcastarray expandto expand broadcastto broadcasttensor", "shape"),
    w("view", "reshape moddims reshapetensor view flatten", "shape", alternatives="reshape _reshape_alias"),
    w("tril", "lower lowertri lowertriangular tril lowertriangle triangularize triangular", "shape"),
    w("triu", "upper uppertri uppertriangular triu uppertriangle", "shape"),
    w("diag", "diag diagonal diagcreate", "shape"),
    w("one_hot", "onehot", "shape"),
    w("nonzero", "nonzero where findnonzero argwhere nonzeroindices", "shape"),
    w("masked_select", "maskedselect booleanmask", "select", "input mask"),
    w("unique_dim", "unique", "sort"),
    w("sort", "sort lasrt sortascend sortdescend argsortvalues vsort sortkeys sortkeysdescending sortkeysascending "
      "sortvalues sortdescending sortascending radixsort mergesort bitonicsort quicksort sortasc sortdesc stablesort",
      "sort", outputs="output indices?",
      alternatives="sort.stable"),
    w("argsort", "argsort sortindex sortindices", "sort"),
    w("topk", "topk sortedtopk topksorted topkv2 topn", "sort", outputs="output indices"),
    w("arange.start_out", "arange range ramp vramp vectorslope", "fill", "", alternatives="arange arange.start"),
    w("linspace", "linspace", "fill", "", ),
    w("hann_window", "hannwindow hanningwindow windowhann windowhanning winhann winhanning hanning", "fill", ""),
    w("hamming_window", "hammingwindow windowhamming winhamming hamming", "fill", ""),
    w("blackman_window", "blackmanwindow windowblackman winblackman blackman", "fill", ""),
    w("bartlett_window", "bartlettwindow windowbartlett winbartlett triangularwindow", "fill", ""),
    w("kaiser_window", "kaiserwindow windowkaiser winkaiser", "fill", ""),
    # random numbers
    w("uniform_", "randu uniform randomuniform generateuniform randuniform fillrandomuniform randomuniformreal rand "
      "uniformrandom", "random", "", alternatives="rand"),
    w("normal_", "normal randomnormal generatenormal randnormal gaussian randgauss randn fillrandomnormal "
      "randomgaussian normalrandom", "random", "", alternatives="randn normal.float_float"),
    w("bernoulli_.float", "bernoulli randombernoulli", "random", "", alternatives="bernoulli"),
    w("log_normal_", "lognormal generatelognormal randomlognormal", "random", ""),
    w("exponential_", "randomexponential generateexponential", "random", ""),
    w("poisson", "poisson generatepoisson", "random", "", alternatives="poisson_"),
    w("random_", "generate generatelonglong generateints randombits randint randominteger", "random", "",
      alternatives="randint"),
    w("multinomial", "multinomial", "random", "input"),
    # networks' layers
    w("native_dropout", "dropout", "dropout", outputs="output mask?", alternatives="dropout"),
    w("lstm.input", "lstm lstmforward", "rnn", "input hx? cx? weight? bias?", "output? hy? cy?",
      alternatives="_thnn_fused_lstm_cell"),
    w("gru.input", "gru", "rnn", "input hx? weight? bias?", "output? hy?"),
    w("rnn_tanh.input", "vanillarnn rnntanh simplernn", "rnn", "input hx? weight? bias?", "output? hy?",
      alternatives="rnn_relu.input"),
    w("_cudnn_rnn", "rnn", "rnn", "input hx? cx? weight? bias?", "output? hy? cy?",
      alternatives="lstm.input gru.input rnn_tanh.input"),
    w("scaled_dot_product_attention", "scaleddotproductattention sdpa flashattention attention dotproductattention "
      "fusedattention flashattn fmha flashattentionscore promptflashattention", "attention",
      "query key value mask?", "output lse?", alternatives="_scaled_dot_product_attention_math "
      "_scaled_dot_product_flash_attention _scaled_dot_product_fused_attention_overrideable"),
    w("nll_loss_forward", "nllloss negativeloglikelihood", "loss", "input target"),
    w("mse_loss", "mse mseloss meansquarederror", "loss", "input target"),
    w("l1_loss", "mae l1loss", "loss", "input target"),
    w("smooth_l1_loss", "smoothl1loss huberloss", "loss", "input target"),
    w("binary_cross_entropy", "binarycrossentropy bceloss", "loss", "input target"),
    w("cross_entropy_loss", "crossentropyloss crossentropy softmaxcrossentropy", "loss", "input target"),
    w("_ctc_loss", "ctcloss", "loss", "input target?", "output grad?", alternatives="_cudnn_ctc_loss"),
)  # fmt: skip
