// Where an op's schema does not tell what the fallback needs to know. Data; each line says what goes wrong without it.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace torchfl::exceptions {

// Arguments that an op writes without declaring it, where the bool argument `when` is true (-1: always).
struct UndeclaredWrite {
  std::string_view op, argument;
  int when;
};
inline constexpr UndeclaredWrite kUndeclaredWrites[] = {
    // In training the running statistics move; without this they would silently stay as they were.
    {"aten::native_batch_norm", "running_mean", 5},
    {"aten::native_batch_norm", "running_var", 5},
    // Backward scribbles in the forward's workspace.
    {"aten::mkldnn_rnn_layer_backward", "workspace", -1},
};

// Ops without a CPU kernel whose composite kernel must see CPU tensors: on device tensors it refuses or recurses, or it
// compares its arguments as C++ objects, which a call through the out= form does not keep.
inline constexpr std::string_view kCompositesOnHost[] = {
    "aten::addr_",
    "aten::conj_physical_",
    "aten::mode.values",
    "aten::convolution_overrideable",
};

// Ops that take CPU tensors with dimensions beside device tensors, as they do on other accelerators.
inline constexpr std::string_view kMixedDevices[] = {
    "aten::_ctc_loss.Tensor",
    "aten::_ctc_loss_backward.Tensor",
    "aten::_foreach_addcdiv.Tensor",
    "aten::_foreach_addcdiv_.Tensor",
    "aten::_foreach_addcmul.Tensor",
    "aten::_foreach_addcmul_.Tensor",
    "aten::_foreach_copy_",
    "aten::_index_put_impl_",
    "aten::_pack_padded_sequence",
    "aten::index.Tensor",
    "aten::index.Tensor_out",
    "aten::index_put",
    "aten::index_put_",
    "aten::index_put.out",
};

// Ops that write every element of `self` and read none, so that nothing needs to be brought to the host first.
inline constexpr std::string_view kOverwrites[] = {
    "aten::zero_",      "aten::fill_.Scalar", "aten::fill_.Tensor", "aten::uniform_",   "aten::normal_",
    "aten::bernoulli_.float", "aten::random_", "aten::random_.from", "aten::random_.to", "aten::exponential_",
    "aten::cauchy_",    "aten::log_normal_",  "aten::geometric_",
};

// Ops that may use elements of a storage outside the views that they are given, beside those with a storage_offset
// argument: small views of big storages must not be moved alone for them.
inline constexpr std::string_view kBeyondViews[] = {
    "aten::addbmm_",  // resizes `self` over its neighbours, then reads them
};

// Ops that set memory up rather than compute: an `error` policy does not concern them.
inline constexpr std::string_view kSetup[] = {
    "aten::zero_", "aten::fill_.Scalar", "aten::fill_.Tensor",
};

// Kernels that must not be taken from the CPU although it has one: what they answer is about the CPU itself.
inline constexpr std::string_view kNotFromCpu[] = {
    "aten::_fused_sdp_choice",  // the CPU's choice names kernels that only the CPU has
    "aten::is_pinned",
    "aten::from_file",
};

template <size_t N>
constexpr bool holds(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

}  // namespace torchfl::exceptions
