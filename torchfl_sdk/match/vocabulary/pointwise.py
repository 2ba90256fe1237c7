"""Element by element: unary and binary ops, activations, comparisons, logic, casts, fills."""

from __future__ import annotations

from torchfl_sdk.match.vocabulary.word import Word, w


def _unary(aten: str, names: str = "", *, alternatives: str = "", alone: bool = True) -> Word:
    return w(aten, f"{aten} {names}", "unary", inplace=f"{aten}_", alternatives=alternatives, alone=alone)


def _binary(
    aten: str, names: str, overload: str = ".Tensor", *, scalar: str = "", inplace: bool = True, alternatives: str = ""
) -> Word:
    return w(
        aten + overload,
        names,
        "binary",
        "input input2",
        scalar=f"{aten}.{scalar}" if scalar else "",
        inplace=f"{aten}_{overload}" if inplace else "",
        alternatives=alternatives,
    )


WORDS: tuple[Word, ...] = (
    _unary("abs", "absolutevalue absvalue mag elementabs elementfabs absolute fabs vabs absval magnitudeabs absf"),
    _unary("neg", "uminus unaryminus unaryneg unarynegate opposite changesign invertsign negate negative "
      "vneg negation minusunary"),
    _unary("exp", "expfast fastexp naturalexp vexp expf exponential exponent"),
    _unary("exp2", "exponentbase2 expbase2 exp2base vexp2 pow2 exp2f"),
    _unary("expm1", "expminus1 expminusone expsub1 vexpm1 expminus1"),
    _unary("log", "ln logarithm naturallogarithm vlog logf vlogf logn naturallog loge"),
    _unary("log2", "logbase2 logarithmbase2 lb vlog2"),
    _unary("log10", "logbase10 logarithmbase10 commonlog vlog10"),
    _unary("log1p", "vlog1p log1plus logplus1 logp1 logadd1"),
    _unary("sqrt", "root squareroot vsqrt sqrtf"),
    _unary("rsqrt", "reversesquareroot sqrtinv sqrtrecip sqrtreciprocal rsqroot rsq recsqrt "
      "inversesquareroot invsquareroot reciprocalsqr fastrsqrt invsqrt reciprocalsqrt "
      "reciprocalsquareroot inversesqrt rsqrtf recipsqrt vrsqrt"),
    _unary("reciprocal", "invertv invertvector oneover invertvalue inv recip rcp vrec reciprocalf vinv"),
    _unary("square", "elementsquare sqr vsq squared vsqr",
      alternatives="aten::pow.Tensor_Scalar".removeprefix("aten::")),
    _unary("sin", "vsin sine sinf"),
    _unary("cos", "vcos cosine cosf"),
    _unary("tan", "vtan tangent tanf"),
    _unary("asin", "arcsine inversesine invsin asinf arcsin vasin"),
    _unary("acos", "arccosine inversecosine invcos acosf arccos vacos"),
    _unary("atan", "arctangent inversetangent invtan arctg atanf arctan vatan"),
    _unary("sinh", "hyperbolicsine sinhyperbolic sinhf vsinh"),
    _unary("cosh", "hyperboliccosine coshyperbolic coshf vcosh"),
    _unary("asinh", "inversehyperbolicsine arcsinh arsinh vasinh"),
    _unary("acosh", "inversehyperboliccosine arccosh arcosh vacosh"),
    _unary("atanh", "inversehyperbolictangent arctanh artanh vatanh"),
    _unary("tanh", "tanhactivation tanhfast vtanh tanhf hyperbolictangent"),
    _unary("erf", "errorfunction errorfunc errfunc gausserror verf"),
    _unary("erfc", "verfc"),
    _unary("erfinv", "erfinverse inverseerf verfinv"),
    _unary("lgamma", "loggamma lngamma gammaln"),
    _unary("digamma", "psi"),
    _unary("floor", "vfloor rounddown"),
    _unary("ceil", "ceiling vceil roundup"),
    _unary("round", "nint roundeven roundoff roundint bankersrounding rint nearbyint rounding roundnearest "
      "roundhalftoeven roundnearesteven roundnearesteventies roundtieseven vround roundhalfeven"),
    _unary("trunc", "vvint vint intpart fixtowardzero integerpart truncation truncate vtrunc roundtozero fix"),
    _unary("frac", "fracpart fractional fraction vfrac"),
    _unary("sign", "signof signum sgn"),
    _unary("sigmoid", "sig sigmoidactivation logisticsigmoid expit logistic sigm sigmoidlogistic"),
    _unary("relu", "rectifiedlinearunit reluactivation reluforward rectifiedlinear rectifier rectify clippedrelu0"),
    _unary("relu6", "relun6"),
    _unary("gelu", "gaussianerrorlinearunit gaussianerrorlinear quickgelu geluquick newgelu gelunew "
      "erfgelu tanhgelu geluactivation gelufast geluerf gelutanh gelunone approximategelu fastgelu geluexact"),
    _unary("silu", "sigmoidlinearunit sigmoidlinear sigmoidweightedlinearunit swishactivation siluactivation swish"),
    _unary("mish"),
    _unary("elu", "eluactivation exponentiallinearunit exponentiallinear"),
    _unary("selu", "scaledexponentiallinearunit scaledexponentiallinear scaledelu"),
    _unary("celu"),
    _unary("leaky_relu", "leaky leakyrectifiedlinearunit leakyrect leakyrelu lrelu leakyrectify reluleaky "
      "leakyrectifiedlinear"),
    _unary("hardswish", "hardswishrelu hardsilu hswish hardswishactivation"),
    _unary("hardsigmoid", "hardsigm hsigmoid"),
    _unary("hardtanh", "htanh relu1"),
    _unary("softplus", "softrelu"),
    _unary("log_sigmoid", "logsig logsigmoid"),
    _unary("hardshrink"),
    _unary("softshrink"),
    _unary("special_ndtr", "cdfnorm normcdf ndtr normalcdf"),
    _unary("special_i0", "besseli0"),
    _unary("nan_to_num", "nantonum"),
    _unary("logical_not", "lnot logicalnot not", alternatives="bitwise_not"),
    _unary("bitwise_not", "bitwisenot invert bitnot"),
    _unary("logit"),
    _unary("sinc"),
    _unary("deg2rad", "degtorad radians"),
    _unary("rad2deg", "radtodeg degrees"),
    _unary("signbit", alternatives="sign"),
    w("isposinf", "isposinf", "unary"),
    w("isneginf", "isneginf", "unary"),
    w("isnan", "isnan isnotanumber", "unary"),
    w("isinf", "isinf isinfinite isinfinity", "unary"),
    w("isfinite", "isfinite", "unary"),
    w("clamp", "clamp saturate clip boundedrelu clippedrelu cliprelu bound clipbyvalue vclip limit limitrange "
      "clipminmax clampminmax limiter cliprange", "unary",
      inplace="clamp_"),
    w("clamp.Tensor", "clamp clip", "ternary", "input min max", inplace="clamp_.Tensor", alternatives="clamp"),
    w("clamp_min", "cliplower cliplow lowerclip maximumscalar maximumc maxconst floorvalue clampmin "
      "thresholdlt maxc maxscalar cliplow", "unary", inplace="clamp_min_"),
    w("clamp_max", "clipupper cliphigh upperclip minimumscalar minimumc minconst ceilvalue clampmax "
      "thresholdgt minc minscalar cliphigh", "unary", inplace="clamp_max_"),
    w("threshold", "threshold thr", "unary", inplace="threshold_", alternatives="clamp_min"),
    w("pow.Tensor_Scalar", "pow", "unary", alone=False),
    w("pow.Tensor_Scalar", "powx powscalar powc vpowx", "unary", inplace="pow_.Scalar"),
    w("_prelu_kernel", "prelu parametricrelu", "binary", "input weight", alternatives="prelu"),
    w("glu", "glu gatedlinearunit", "shape"),
    _binary("add", "add fadd dadd vadd plus addition eltwiseadd elementwiseadd elemadd add2 addtensor "
      "sum2 sumof sumoftwo addbinary sumtwo madd2",
            scalar="Scalar"),
    w("add.Scalar", "offset addscalar addconst", "unary", inplace="add_.Scalar"),
    _binary("sub", "sub fsub dsub subtract vsub minus subtraction sub2 difference differenceof eltwisesub "
      "elementwisesub eltsub", scalar="Scalar"),
    _binary("rsub", "rsb rsbc subcrev rsub reversesubtract", ".Scalar", inplace=False),
    _binary("mul", "mul fmul dmul multiply vmul times multiplication product productof eltwisemul mul2 mult mpy "
      "mulelementwise elementwisemul elementmul elemmul pointwisemul "
                   " multiply2 hadamard "
                   "had hadamardproduct scale scaleby scalarmul scalarmultiply elementprod elementproduct "
      "prod", scalar="Scalar"),
    _binary("div", "div fdiv ddiv divide vdiv division realdiv truediv truedivide div2 quotient quotientof "
      "eltwisediv elementwisediv elementdiv elemdiv", scalar="Scalar"),
    _binary("floor_divide", "floordiv floordivide", ""),
    _binary("fmod", "fmod truncmod rem", scalar="Scalar", alternatives="remainder.Tensor"),
    _binary("remainder", "floormod pymod mod modulo remainder modulus", scalar="Scalar", alternatives="fmod.Tensor"),
    _binary("xlogy", "xlogy", scalar="Scalar_Other"),
    _binary("gcd", "gcd", ""),
    _binary("lcm", "lcm", ""),
    _binary("heaviside", "heaviside", ""),
    w(
        "pow.Tensor_Tensor",
        "pow power vpow",
        "binary",
        "input input2",
        scalar="pow.Tensor_Scalar",
        inplace="pow_.Tensor",
    ),
    w("maximum", "maximum largerof maxof maxtwo elementmax max eltwisemax vmax maxevery elementwisemax max2 "
      "vectormax maxbinary "
      "maxelementwise vecmax maxv ",
      "binary", "input input2", scalar="clamp_min"),
    w("minimum", "minimum smallerof minof mintwo elementmin min eltwisemin vmin minevery elementwisemin min2 "
      "vectormin minbinary "
      "minelementwise vecmin minv ",
      "binary", "input input2", scalar="clamp_max"),
    _binary("fmax", "fmax", "", inplace=False),
    _binary("fmin", "fmin", "", inplace=False),
    _binary("atan2", "atan2 arctan2 vatan2", ""),
    _binary("hypot", "hypotenuse hypot vhypot", ""),
    _binary("copysign", "copysign"),
    _binary("nextafter", "nextafter", ""),
    _binary("logaddexp", "logaddexp", "", inplace=False),
    _binary("eq", "compareequal cmpequal isequal eq equal equals cmpeq compareeq iseq equalto",
            scalar="Scalar"),
    _binary("ne", "comparenotequal cmpnotequal isnotequal ne notequal neq cmpne comparene notequalto unequal",
            scalar="Scalar"),
    _binary("lt", "llt compareless cmpless isless lt less lessthan cmplt comparelt", scalar="Scalar"),
    _binary("le", "lle comparelessequal cmplessequal islessequal le lessequal lesseq lte lessorequal cmple "
      "comparele lessthanequal lessthanequalto lessthanorequalto lessorequalto lessequalthan "
      "lessthanorequal lessequals leq", scalar="Scalar"),
    _binary("gt", "lgt comparegreater cmpgreater isgreater gt greater more morethan greaterthan cmpgt comparegt",
            scalar="Scalar"),
    _binary("ge", "lge comparegreaterequal cmpgreaterequal isgreaterequal ge greaterequal greatereq gte "
      "greaterorequal greaterthanequal greaterthanequalto greaterthanorequalto greaterorequalto "
      "cmpge comparege greaterthanorequal geq moreeq moreequal", scalar="Scalar"),
    _binary("logical_and", "logicaland land booland andlogical", ""),
    _binary("logical_or", "logicalor lor boolor orlogical", ""),
    _binary("logical_xor", "logicalxor lxor", ""),
    _binary("bitwise_and", "bitwiseand and bitand", scalar="Scalar", alternatives="logical_and"),
    _binary("bitwise_or", "bitwiseor or bitor", scalar="Scalar", alternatives="logical_or"),
    _binary("bitwise_xor", "bitwisexor xor bitxor eor", scalar="Scalar", alternatives="logical_xor"),
    _binary("bitwise_left_shift", "leftshift shiftleft shl bitshiftleft bitshiftl bitwiseshiftleft lshift lshiftc "
      "bitwiseleftshift", scalar="Tensor_Scalar"),
    _binary("bitwise_right_shift", "rightshift shiftright shr sar bitshiftright bitshiftr bitwiseshiftright rshift "
      "rshiftc bitwiserightshift", scalar="Tensor_Scalar"),
    w("where.self", "where mux choose ifelse ternary whereself select selectelements "
      "elementwiseselect selectv2 vselect "
      "ternaryselect ifthenelse", "ternary", "condition "
      "input input2"),
    w("lerp.Tensor", "lerp linearinterpolation", "ternary", "input input2 weight", scalar="lerp.Scalar"),
    w("addcmul", "addcmul", "ternary", "input input2 input3", inplace="addcmul_"),
    w("addcmul", "muladd fmuladd dmuladd fma multiplyadd fusedmultiplyadd fusedmuladd vma mad fmadd "
      "multadd madd", "ternary", "input2 input3 input"),
    w("addcmul_", "addproduct mulacc multiplyaccumulate vmacc mac macc mla fmac mulaccumulate addmul addprod",
      "ternary", "input2 input3", "inout", alternatives="addcmul"),
    w("addcmul", "mla mac macc mulacc mulaccumulate", "ternary", "input input2 input3"),
    w("addcdiv", "addcdiv", "ternary", "input input2 input3", inplace="addcdiv_"),
    w("masked_fill.Scalar", "maskedfill maskfill", "ternary", "input mask", inplace="masked_fill_.Scalar"),
    w("copy_", "copy move transfer setarray copyarray "
      "blockmove blockcopy memmove duplicate dup assigntensor copyarray copyto copyfrom "
      "cpy deepcopy memcopy memcpy "
      "memcpytensor assign identity clone transform transformtensor vcopy contiguous", "copy",
      alternatives="clone"),
    w("_to_copy", "cast convert typecast castdatatype casttype convertdatatype convertdtype typeconvert "
      "typeconversion conversion dtypeconvert convertprecision todtype totype flt fix spdp dpsp reorder convertto "
      "converttype dtypecast castto cvt datatypecast", "copy",
      alternatives="copy_"),
    w("fill_.Scalar", "fill memset const vconst constantset constset broadcastscalar filltensor setvalues "
      "fillwith settensor "
      "set setall fillscalar constantfill full fillvalue vfill fillconstant constant "
                      "setvalue", "fill", ""),
    w("zero_", "zero clear clr zeroout setzeros clearbuffer zeros setzero clearvector vclr fillzero zerofill",
      "zero", ""),
    w("ones_like", "ones fillone", "zero", ""),
)  # fmt: skip
