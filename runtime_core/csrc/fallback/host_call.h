// One call on its way to the host sides of its tensors and back.
//
// Arguments become CPU tensors that alias the host sides; results become device tensors that take over what
// the CPU produced. A result is recognised by the tensor or the storage that it is, never by the schema, which in some
// ops says otherwise (_unsafe_view aliases, undeclared).
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>

#include <optional>

#include "fallback/host_op.h"
#include "memory/access.h"
#include "memory/box.h"
#include "memory/mapped.h"

namespace torchfl {

// What a CPU kernel calls goes to CPU kernels, too.
class BelowAutograd {
 public:
  BelowAutograd() : guard_(c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset) {}

 private:
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

// While a CPU kernel runs for a device.
class OnHost {
 public:
  // `results_stay`: on the CPU, where they are the user's, in common memory.
  explicit OnHost(c10::DeviceIndex device, bool results_stay = false) {
    if (!results_stay) in_place_.emplace(device);
  }

 private:
  BelowAutograd below_;
  std::optional<MappedScope> in_place_;
};

class HostCall {
 public:
  HostCall(const HostOp& op, c10::DeviceIndex device) : op_(op), device_(device), access_(/*windows=*/!op.beyond_views) {}

  // For every tensor among the arguments, before to_host(). They live as long as the call does.
  void take(const at::Tensor& t, bool write, bool overwrites);
  void to_host() { access_.to_host(); }
  // What the CPU kernel gets for one of them. The reference is good for kMostViews of them.
  static constexpr size_t kMostViews = Access::kMostViews;
  const at::Tensor& host_of(const at::Tensor& t) { return is_ours(t) ? access_.host_view(t) : t; }
  void commit() { access_.commit(); }  // the kernel succeeded
  // A result of it. `only`: there is no other that could share its storage.
  at::Tensor wrap(const at::Tensor& cpu, bool only = false);

 private:
  const HostOp& op_;
  const c10::DeviceIndex device_;
  Access access_;
  c10::SmallVector<c10::StorageImpl*, 2> foreign_;  // storages of CPU arguments
  c10::SmallVector<std::pair<c10::StorageImpl*, c10::Storage>, 2> adopted_;
};

}  // namespace torchfl
