#include "identity/autocast.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

namespace torchfl {
namespace {

at::Tensor binary_cross_entropy_refused(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, int64_t) {
  TORCH_CHECK(false,
              "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe under autocast: a half-precision "
              "sigmoid before them loses the tails. Use binary_cross_entropy_with_logits or BCEWithLogitsLoss");
}

}  // namespace

void register_autocast(torch::Library& m) {  // the macros below want the name `m`
  using namespace at;  // and at's types by their bare names: which ones differs between versions of torch
#define TORCHFL_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define TORCHFL_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define TORCHFL_FP32_DTYPE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define TORCHFL_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_LOWER_PRECISION_FP(TORCHFL_LOWER)
  AT_FORALL_FP32(TORCHFL_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(TORCHFL_FP32_DTYPE)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
  AT_FORALL_PROMOTE(TORCHFL_PROMOTE)
#undef TORCHFL_PROMOTE
#undef TORCHFL_FP32_DTYPE
#undef TORCHFL_FP32
#undef TORCHFL_LOWER
  m.impl("binary_cross_entropy", TORCH_FN(binary_cross_entropy_refused));
}

}  // namespace torchfl
