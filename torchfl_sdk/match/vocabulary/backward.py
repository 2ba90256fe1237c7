"""Backward functions: what torch's autograd asks a device for, by the name of the op whose gradient they take."""

from __future__ import annotations

from torchfl_sdk.match.vocabulary.word import Word, w

_STATS = "input grad_output weight? save_mean? save_rstd?"
_PARAMETERS = "grad_input grad_weight? grad_bias?"


def _of(aten: str, names: str, inputs: str = "grad_output input? saved_output?", *, alternatives: str = "") -> Word:
    """The gradient of an activation: from the gradient of its result, and its operand or its result."""
    return w(aten, names, "backward", inputs, "grad_input", alternatives=alternatives)


WORDS: tuple[Word, ...] = (
    w("convolution_backward", "convolutiondata convolutionfilter convolutionweights convolutionbias convdata "
      "convfilter convweights convbias convinput convweight convolutioninput conv2dinput conv2dweight conv2d conv "
      "convolution conv2dfilter conv2ddata conv2dbias convolutionkernel convkernel convolutionweight",
      "backward", "input? weight? grad_output",
      "grad_input? grad_weight? grad_bias?", alternatives="convolution_backward_overrideable"),
    _of("threshold_backward", "relu threshold", "saved_output? grad_output input?",
        alternatives="leaky_relu_backward"),
    _of("sigmoid_backward", "sigmoid logistic", "saved_output? grad_output input?"),
    _of("tanh_backward", "tanh", "saved_output? grad_output input?"),
    _of("gelu_backward", "gelu approximategelu fastgelu gelutanh"),
    _of("leaky_relu_backward", "leakyrelu lrelu"),
    _of("elu_backward", "elu celu selu"),
    _of("silu_backward", "silu swish fastswish"),
    _of("mish_backward", "mish"),
    _of("hardtanh_backward", "relu6 hardtanh htanh clip clamp"),
    _of("hardsigmoid_backward", "hardsigmoid hsigmoid"),
    _of("hardswish_backward", "hardswish hswish"),
    _of("hardshrink_backward", "hardshrink"),
    _of("softshrink_backward", "softshrink"),
    _of("softplus_backward", "softplus"),
    _of("log_sigmoid_backward", "logsigmoid"),
    _of("logit_backward", "logit"),
    _of("glu_backward", "glu"),
    w("_prelu_kernel_backward", "prelu", "backward", "grad_output input weight", "grad_input grad_weight?"),
    _of("_softmax_backward_data", "softmax", "saved_output grad_output"),
    _of("_log_softmax_backward_data", "logsoftmax", "saved_output grad_output"),
    w("native_batch_norm_backward", "batchnorm batchnormalization bn", "backward", _STATS, _PARAMETERS),
    w("native_layer_norm_backward", "layernorm layernormalization", "backward", _STATS, _PARAMETERS),
    w("native_group_norm_backward", "groupnorm groupnormalization", "backward", _STATS, _PARAMETERS),
)  # fmt: skip
