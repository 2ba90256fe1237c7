// Copies between CPU and device tensors, and between device tensors.
#pragma once

#include <ATen/core/Tensor.h>

namespace torchfl {

// self.copy_(src): any dtypes, layouts and broadcastable shapes. Complete on return.
at::Tensor& copy_into(at::Tensor& self, const at::Tensor& src);

// The one element of a device tensor, moved alone.
at::Scalar read_scalar(const at::Tensor& self);

// Called with the destination and the source, on one device, of each copy whose elements the host casts or orders, unless
// the copy is a part of what is counted itself (PartOfOp).
void set_copy_notice(void (*notice)(const at::Tensor& self, const at::Tensor& src)) noexcept;

// What a copy of elements changes besides their place.
enum class CopyKind : uint8_t { bytes, order, dtype };
CopyKind copy_kind(const at::Tensor& self, const at::Tensor& src);

// The calling thread's copies, until this is destroyed, belong to an op that says itself who computed it.
class PartOfOp {
 public:
  PartOfOp() noexcept { ++depth; }
  ~PartOfOp() { --depth; }
  PartOfOp(const PartOfOp&) = delete;
  PartOfOp& operator=(const PartOfOp&) = delete;
  static bool now() noexcept { return depth != 0; }

 private:
  static inline thread_local int depth = 0;
};

}  // namespace torchfl
