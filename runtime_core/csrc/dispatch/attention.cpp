// Scaled dot-product attention: an op of our own that the router serves, and PyTorch's two hooks for a device's kernel.
//
// PyTorch asks a device which implementation a call should take. Where the chip's profile serves it, and nobody will
// want a gradient (kernels give none), it is the device's own, else products and a softmax, each of which routes.
#include <ATen/core/Tensor.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#include "device/activity.h"
#include "dispatch/attention.h"
#include "dispatch/router.h"

namespace torchfl {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
constexpr int64_t kMath = 0, kOverrideable = 4;  // of sdp::SDPBackend
constexpr const char* kOverload = "torchfl::attention";

bool wants_gradient(const at::Tensor& t) { return t.defined() && t.requires_grad(); }

}  // namespace

int64_t choose_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const OptionalTensor& mask, double dropout, bool causal, std::optional<double> scale,
                         bool grouped) {
  if (gate_state() == Gate::shut) return kMath;  // the products will say so
  OpScope scope;
  const Site* site = find_site(kOverload);
  if (site == nullptr) return kMath;
  if (c10::GradMode::is_enabled() && (wants_gradient(query) || wants_gradient(key) || wants_gradient(value) ||
                                      (mask && wants_gradient(*mask))))
    return kMath;
  torch::jit::Stack stack{query, key, value};
  if (mask && mask->defined() && mask->scalar_type() == at::kBool)  // PyTorch makes numbers of it after this choice
    stack.emplace_back(at::empty({}, query.options()).expand(mask->sizes()));
  else
    stack.emplace_back(mask && mask->defined() ? c10::IValue(*mask) : c10::IValue());
  stack.insert(stack.end(), {dropout, causal, scale ? c10::IValue(*scale) : c10::IValue(), grouped});
  return explain(*site, stack).layer == Layer::native ? kOverrideable : kMath;
}

namespace {

using Results = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor, at::Tensor,
                           at::Tensor>;

// What backward would need is left out: choose_attention() takes this only where there will be none.
Results fused(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const OptionalTensor& bias,
              double dropout, bool causal, bool, std::optional<double> scale) {
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow(kOverload, "")
          .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const OptionalTensor&, double, bool,
                            std::optional<double>, bool)>();
  return {op.call(query, key, value, bias, dropout, causal, scale, false),
          {}, {}, {}, query.sym_size(2), key.sym_size(2), {}, {}, {}};
}

}  // namespace

void register_attention(torch::Library& aten) {
  aten.impl("_fused_sdp_choice", TORCH_FN(choose_attention));
  aten.impl("_scaled_dot_product_fused_attention_overrideable", TORCH_FN(fused));
}

}  // namespace torchfl

// scaled_dot_product_attention asks this table, which has one slot per device, and not the op of the same name. Without a
// site, before the chips are bound and after shutdown, the answer is products and a softmax as it is without a slot.
namespace at::native {
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &torchfl::choose_attention)
}

TORCH_LIBRARY_FRAGMENT(torchfl, library) {
  library.def(
      "attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, "
      "float? scale=None, bool enable_gqa=False) -> Tensor");
}
