"""Libraries with a descriptor by value beside every pointer; pinned op by op."""

from __future__ import annotations

from pathlib import Path

from header_helpers import arguments, cpp, ops

DESCRIBED = """
#include <vector>
typedef unsigned int U32;
typedef struct { int dt; int df; U32 nDims; U32 dims[6]; } TensorDesc;
typedef struct { U32 kernel; U32 stride; U32 padding; } PoolDesc;
typedef enum { NULL_MODE, RELU, SIGMOID, TANH } ActivationMode;
typedef enum { CPU_A, CPU_B } Arch;
typedef int EE;
EE fully_connected(TensorDesc inputDesc, const void *input, TensorDesc weightDesc, const void *weight, void *tmp,
                   U32 bytes, TensorDesc outputDesc, void *output, TensorDesc biasDesc, const void *bias, Arch arch);
EE softmax(TensorDesc inputDesc, const void *input, TensorDesc outputDesc, void *output, Arch arch);
EE max_pooling(TensorDesc inputDesc, const void *input, PoolDesc poolDesc, const void *scale, TensorDesc outputDesc,
               void *output, Arch arch);
EE concat(std::vector<TensorDesc> inputDesc, std::vector<void *> input, std::vector<float> inputScale,
          TensorDesc outputDesc, void *output, float *outputScale, U32 concatDim, Arch arch);
EE transpose(TensorDesc inputDesc, void *input, TensorDesc outputDesc, void *output, U32 *dim, Arch arch);
EE layer_normalization(void *alpha, void *beta, TensorDesc inputDesc, void *input, TensorDesc outputDesc,
                       void *output, Arch arch);
EE batch_normalization(const void *alpha, const void *beta, TensorDesc inputDesc, const void *input,
                       TensorDesc outputDesc, void *output, const void *bnScale, const void *bnBias,
                       const void *mean, const void *var, double eps);
EE scale(void *alpha, void *beta, TensorDesc inputDesc, void *data, Arch arch);
EE relu(TensorDesc inputDesc, const void *input, const void *residual, TensorDesc outputDesc, void *output);
"""


def test_what_has_no_descriptor_of_its_own(tmp_path: Path) -> None:
    result = cpp(tmp_path, DESCRIBED)
    linear = arguments(result, "fully_connected")
    assert (linear["tmp"], linear["bytes"]) == ("workspace", "workspace_size")
    pooled = arguments(result, "max_pooling")
    assert (pooled["input"], pooled["output"]) == ("input", "output")
    joined = arguments(result, "concat")
    assert (joined["input"], joined["output"], joined["concatDim"]) == ("list.input", "output", "axis")
    assert arguments(result, "transpose")["dim"] == "dims"


def test_alpha_and_beta_of_a_normalisation_that_has_no_other_weights(tmp_path: Path) -> None:
    result = cpp(tmp_path, DESCRIBED)
    layer = arguments(result, "layer_normalization")
    assert (layer["alpha"], layer["beta"]) == ("weight", "bias")
    batch = arguments(result, "batch_normalization")
    assert (batch["alpha"], batch["beta"], batch["bnScale"]) == ("alpha", "beta", "weight")


def test_a_factor_with_a_summand_and_a_second_operand_make_no_single_op(tmp_path: Path) -> None:
    found = ops(cpp(tmp_path, DESCRIBED))
    assert "scale" not in found
    assert "relu" not in found
