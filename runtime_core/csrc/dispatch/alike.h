// The commonest call: element by element on tensors that are alike, recognised at one look.
//
// Alike: strided, on the call's device, of one dtype and shape, contiguous and with elements. Then the output's shape,
// dtype and strides follow without a rule, nothing is adapted, and one description serves every tensor. What is not
// alike is looked at piece by piece, by the rest of decide.cpp.
#pragma once

#include "dispatch/decide.h"
#include "dispatch/strides.h"

namespace torchfl {

inline constexpr c10::DispatchKeySet kLazyKeys(
    {c10::DispatchKey::Negative, c10::DispatchKey::Conjugate, c10::DispatchKey::ZeroTensor});

// Whether `t` is a plain tensor of this dtype on the call's device.
inline bool is_plain(const Call& call, const at::Tensor& t, at::ScalarType dtype) {
  const c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  const c10::Device device = impl->device();
  return device.type() == c10::DeviceType::PrivateUse1 && device.index() == call.device && t.scalar_type() == dtype &&
         impl->layout() == at::kStrided && !impl->key_set().has_any(kLazyKeys) && impl->is_contiguous();
}

// Whether `t` is like the first input, whose sizes are in `call`.
inline bool is_alike(const Call& call, const at::Tensor& t, at::ScalarType dtype) {
  const auto sizes = t.unsafeGetTensorImpl()->sizes();
  if (static_cast<int>(sizes.size()) != call.shapes[0].rank) return false;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != call.shapes[0].sizes[i]) return false;
  return is_plain(call, t, dtype);
}

// Sets shapes, common dtype and the output's shape and strides if the inputs are alike; else nothing that counts.
inline bool find_alike(Call& call) {
  const OpSpec& spec = *call.spec;
  if (!spec.uniform || call.inputs[0] == nullptr) return false;
  const at::Tensor& first = *call.inputs[0];
  const auto sizes = first.sizes();
  const at::ScalarType dtype = first.scalar_type();
  if (C10_UNLIKELY(spec.excluded_dtypes != 0))
    if (const int32_t own = tfl_dtype_of(dtype); own >= 0 && (spec.excluded_dtypes >> own & 1u)) return false;
  if (sizes.empty() || sizes.size() > kMaxRank) return false;  // without dimensions it may be a number, which has rules
  if (spec.dtype_rule == DtypeRule::promote_float && c10::isIntegralType(dtype, /*includeBool=*/true)) return false;
  call.shapes[0] = {static_cast<int>(sizes.size()), sizes.data()};
  if (!is_plain(call, first, dtype)) return false;
  for (size_t i = 1; i < call.num_inputs; ++i) {
    if (call.inputs[i] == nullptr || !is_alike(call, *call.inputs[i], dtype)) return false;
    call.shapes[i] = call.shapes[0];
  }
  Shape& out = call.outputs[0];
  out.rank = static_cast<int>(sizes.size());
  int64_t numel = 1;
  for (int i = out.rank - 1; i >= 0; --i) {
    call.strides[i] = numel;
    out.sizes[i] = sizes[static_cast<size_t>(i)];
    numel *= out.sizes[i];
  }
  if (numel == 0) return false;
  call.common = dtype;
  call.numel = numel;
  return true;
}

// Whether the destination is like the inputs too, and may be written although the kernel reads some of it.
inline bool destination_alike(const Call& call, const Binding& binding) {
  const at::Tensor& to = *call.destination;
  if (!is_alike(call, to, call.result)) return false;
  for (size_t i = 0; i < call.num_inputs; ++i) {
    const at::Tensor& t = *call.inputs[i];
    if (t.is_alias_of(to) && !(t.is_same(to) && binding.inplace)) return false;
  }
  return true;
}

}  // namespace torchfl
