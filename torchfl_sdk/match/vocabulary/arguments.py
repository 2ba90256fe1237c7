"""How vendors name arguments: numbers, extents, objects and tensors, whatever the op. Data, no rules."""

from __future__ import annotations

from torchfl_sdk.match.tokens import words


def table(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.strip().splitlines():
        role, names = line.split(":")
        found.update(dict.fromkeys(names.split(), role.strip()))
    return found


#: Joined names of numbers and arrays of numbers -> role, whatever the op.
NUMBERS = table(
    """
    eps: eps epsilon epsvalue epsilonvalue
    momentum: momentum exponentialaveragefactor expavgfactor averagefactor
    batch: batch batchsize batchcount batches nbatch numbatch batchnum bs batchsz
    groups: groups group groupcount ngroups numgroups groupnum ngroup
    in_h: inputheight ih hin inh inheight srcheight xh hi heightin inputh srch
    in_w: inputwidth iw win inw inwidth srcwidth xw wi widthin inputw srcw
    out_h: outputheight oh hout outh outheight dstheight yh ho heightout outputh dsth
    out_w: outputwidth ow wout outw outwidth dstwidth yw wo widthout outputw dstw
    in_c: inputchannels ic cin inc inchannels inputchannel srcchannels groupinputchannels inputfeatures infeatures ci
    in_c: inputdepth channelsin numinputchannels indim inputdim inputc
    out_c: outputchannels oc cout outc outchannels outputchannel dstchannels groupoutputchannels outputfeatures
    out_c: outfeatures co outputdepth channelsout numoutputchannels outdim outputdim outputc
    kernel_h: kernelheight kh kernelh poolingheight poolheight filterheight windowheight fh windowh poolh filterh
    kernel_w: kernelwidth kw kernelw poolingwidth poolwidth filterwidth windowwidth fw windoww poolw filterw
    stride_h: strideheight strideh sh stridesheight subsamplingheight stridey outputsubsamplingheight hstride
    stride_h: stridevertical
    ceil_mode: ceilmode
    count_include_pad: countincludepad countincludepadding
    output_padding: outputpadding outputpaddings outpadding
    stride_w: stridewidth stridew sw strideswidth subsamplingwidth stridex wstride stridehorizontal
    pad_h: padheight padh ph paddingheight paddingh pady hpad paddingvertical paddingy
    pad_w: padwidth padw pw paddingwidth paddingw padx wpad paddinghorizontal paddingx
    pad_t: paddingtop padtop inputpaddingtop padt topad pt
    pad_b: paddingbottom padbottom inputpaddingbottom padb pb
    pad_l: paddingleft padleft inputpaddingleft padl pl
    pad_r: paddingright padright inputpaddingright padr pr
    dilation_h: dilationheight dilationh dh dilateh dilatey hdilation dilateheight dilationy
    dilation_w: dilationwidth dilationw dw dilatew dilatex wdilation dilatewidth dilationx
    stride: stride strides convstride convstrides subsampling outputsubsampling stridesize poolstride
    padding: pad pads padding paddings padhw pada inputpadding padsize
    padding_l: paddingl padbefore padsbegin padlo padlow padbegin padsbefore paddingbefore
    padding_r: paddingr padafter padsend padhi padhigh padend padsafter paddingafter
    pad_pre: prepadding prepaddings padstart
    pad_post: postpadding postpaddings padend
    dilation: dilation dilations dilate dilates
    kernel: kernel window ksize kernelsize filtersize windowsize windowdims kernelshape poolsize poolingsize kernels
    kernel: poolingkernel poolingsize
    stride: poolingstride
    out_c: numkernels
    kernel_mode: kernelmode
    activation: activation activationtype
    activation_params: activationparameters activationparams
    axis: axis dim dimension softmaxaxis logsoftmaxaxis concatdimension concataxis dimid reducedim axisid reduceaxis
    dims: axes dims reducedims dimensions normalizedshape perm permutation axesarray rdims permute reducedims reduceaxes
    keepdim: keepdim keepdims keepdimension
    channels: channels channel nchannels numchannels c
    workspace_size: workspacesize workspacesizeinbytes lwork worksize bufferbytes wssize workbuffersize
    workspace_size: tempsize scratchsize reservespacesizeinbytes workspacebytes tempstoragebytes sizeworkspace
    algo: algo algorithm algkind alg algorithmid
    flags: flags flag
    mode: mode
    hint: hint
    mean: mean mu
    std: stddev std sigma
    direction: direction
    hint: hinttype
    seed: seed
    negative_slope: slope negativeslope leak negslope
    scalar: val value nvalue scalar level constant valueptr const threshold fillvalue otherscalar exponent paddingvalue
    p: p droprate dropoutrate rate prob probability ratio dropoutprob dropprob keepprob
    out_min: outactivationmin activationmin
    out_max: outactivationmax activationmax
    min: low outputmin minval minvalue lo lower min lowerbound minimum clipmin floorvalue clampmin
    max: high outputmax maxval maxvalue hi upper max upperbound maximum clipmax ceilvalue clampmax
    prop_kind: propkind
    compute_type: computetype computeprecision mathtype accumulatetype computedesc executiontype
    dtype.alpha: alphatype
    dtype.beta: betatype
    trans: trans transpose ctrans optrans op ctranspose
    side: side
    uplo: uplo
    diag: diag
    order: order corder layoutorder storageorder rowmajor majorness
    layout: layout format tensorformat dataformat memoryformat tensorlayout
    group_size: groupsize
    padding_idx: paddingidx
    approximate: approximate approximation
    start: begins starts begin start
    step: step
    end: ends
    layout: isnchw channelslast
    k: topk numtop
    largest: largest descending
    sorted: sorted
    normalized: normalized
    alignment: alignment
    scale: scalefactor scale
    scale_factors: factors scalefactors
    width: width
    height: height
    shape.output: outputsize outsize outputshape newshape newdims targetshape outshape
    rank: numdims ndims ndim rank nbdims numdim dimcount
    shape: shape roisize sizeroi roi dstroisize srcroisize
    """
)
#: Names of a matrix's rows and of its columns.
ROWS = words("tokens numtokens ntokens rows row nrows numrows outer outersize numrow nrow rowcount rownum")
COLUMNS = words(
    "hidden hiddensize hiddendim dmodel embeddim cols col ncols numcols columns column inner innersize "
    "numcolumns ncol ncolumns colcount colnum"
)
COUNT = frozenset(
    words("""n len length count numel num size elements nelements nelem nelems numelements elementcount "
      "numelem elems ne
    number total cnt nlength datasize elementnum numelems vectorlength veclen vlen ndata npts samples
    numsamples nsample blocksize numpoints npoints numpts nvalues
    vectorsize elemnum npoints totalsize datalen nsamples sz elementsnum numberofelements""")
)
HANDLES = (
    (frozenset({"threadpool", "pthreadpool"}), "threadpool"),
    (frozenset(words("stream queue cmdqueue commandqueue streamctx")), "stream"),
    (frozenset(words("subgraph graph network model builder net program")), "graph"),
    (frozenset(words("engine eng srcengine dstengine")), "engine"),
    (frozenset(words("attr attributes attrs attribute")), "attr"),
    (
        frozenset(words("workspace workbuffer scratch ws scratchpad tmpbuffer tempbuffer tempstorage work")),
        "workspace",
    ),
    (frozenset(words("plan executor")), "plan"),
    (frozenset(words("event events")), "event"),
    (frozenset(words("handle handler lib")), "handle"),
    (frozenset(words("context ctx session env device")), "ctx"),
    (frozenset(words("op operator primitive layer kernel operation")), "op"),
)
WORKSPACE = frozenset(words("workspace workbuffer reservespace scratch scratchpad tempstorage tmpbuffer"))
OUTPUT = frozenset(
    words("""ofm top topdata to yo values bestvalues
    out output outputs dst dest destination res result results ret y z c r o d yout zout outdata outputdata
    outputtensor dstdata sum max min mean imax imin dp norm dot nrm2 stddev pout outbuf odata dst0 out0 output0""")
)
INOUT = frozenset(words("srcdst inout io inplace self_ selfref srcdest dstsrc inputoutput inoutput xy"))
SPECIAL = {
    role: frozenset(names.split())
    for role, names in {
        "weight": "w weight weights wei filter filters kernel gamma bnscale scales wgt slope alphas",
        "bias": "bias biases beta bnbias bs",
        "running_mean": "runningmean estimatedmean movingmean resultrunningmean popmean mean",
        "running_var": "runningvar estimatedvariance movingvariance resultrunningvariance variance var runningvariance",
        "save_mean": "mu savemean resultsavemean savedmean means savedmeanout outmean batchmean meanout mean",
        "save_rstd": "rsigma saverstd savedrstd outrstd rstdout invstds invstddev savedinvstd resultsaveinvvariance "
        "savedinvvariance "
        "rstd invstd saveinvstd resultsaveinvstd invvariance saveinvvariance invvar var variance",
        "indices": "indices indice outindice "
        "index idx ids ind indx indexes offsetsidx indicesdata pindex argmax outindices ptrindices",
        "pivots": "ipiv piv pivots pivot jpvt devipiv",
        "tau": "tau",
        "info": "info devinfo infoarray dinfo",
        "min": "lo low min minval lower lowerbound minvalue",
        "max": "hi high max maxval upper upperbound maxvalue",
        "mask": "mask attnmask attentionmask",
        "condition": "condition cond pred predicate",
        "grid": "grid",
        "target": "target targets label labels",
        "source": "source updates update values upd",
        "query": "query q",
        "key": "key k",
        "value": "value v",
        "lse": "lse logsumexp softmaxlse",
        "hx": "hx h0 srciter hiddenin",
        "cx": "cx c0 srciterc cellin",
        "hy": "hy hn dstiter hiddenout",
        "cy": "cy cn dstiterc cellout",
        "grad_output": "grad dy dout grady gradoutput diffdst gradout outgrad outputgrad doutput diffy gradydata dz",
        "grad_input": "dx gradinput gradx diffsrc din gradin inputgrad dinput diffx diffdata",
        "grad_weight": "dw gradweight gradweights diffweights dfilter gradw gradfilter gradkernel weightgrad "
        "filtergrad dkernel "
        "resultbnscalediff dbnscaleresult dbnscale dscale dgamma dweight scalediff",
        "grad_bias": "db gradbias diffbias biasgrad dbias resultbnbiasdiff dbnbiasresult dbnbias dbeta biasdiff",
        "saved_output": "y output out fwdoutput",
    }.items()
}
#: What a tensor that holds an attribute is called, in libraries where every argument is a tensor.
ATTRIBUTES = frozenset(
    words("""axis axes shape perm pads starts ends steps repeats split sizes scales k depth roi ratio trainingmode
    alpha beta gamma eps epsilon momentum min max exclusive reverse begins strides stride padding dilation groups
    keepdims keepdim initvalue dim dims""")
)
INPUT = frozenset(
    words("""ifm bottom bottomdata xi
    x a input inputs in src self data left lhs in1 input1 src1 a0 x1 src0 input0 in0 x0 inputtensor indata
    inputdata srcdata source ptra op1 pa inputa tensor1 arg1 operand1 opa""")
)
SECOND = frozenset(
    words("ifm2 bottom2 b y other right rhs in2 input2 src2 x2 inputb ptrb op2 tensor2 arg2 operand2 opb pb")
)
