// Calls that decide() has accepted before, recognised at one look.
//
// Of a call whose tensors are alike (alike.h) a kernel's limits can only speak of its dtype and its attributes, where none
// of them speaks of sizes. The first few combinations that were accepted are kept with the binding: added under a lock,
// never changed, and gone with it, which is while ops are stopped.
#pragma once

#include <ATen/core/ivalue.h>

#include <array>
#include <atomic>

#include "dispatch/op_spec.h"
#include "memory/spin_lock.h"

namespace torchfl {

struct Binding;
struct Call;

class Accepted {
 public:
  // `call` is alike. True where one like it was accepted: what decide() sets is set then, but for the destination's part.
  bool find(Call& call) const noexcept;

  // After decide() has accepted `call`, which is alike, within the limits of `binding`.
  void add(const Call& call, const Binding& binding);

 private:
  static constexpr uint32_t kMost = 4;
  static constexpr size_t kMostAttrs = 2;

  // An attribute's value as PyTorch gives it. `other`: no number, or more than one.
  struct Given {
    enum Kind : uint8_t { none, integer, floating, boolean, other } kind = other;
    int64_t bits = 0;
    bool operator==(const Given&) const = default;
  };
  static Given given(const c10::IValue& value) noexcept;

  struct Entry {
    c10::ScalarType common, result;
    int32_t dtype;
    std::array<Given, kMostAttrs> given;
    std::array<tfl_attr, kMostAttrs> attrs;
  };

  SpinLock lock_;
  std::atomic<bool> closed_{false};  // there is no room, or such calls may not be kept
  std::atomic<uint32_t> count_{0};
  std::array<Entry, kMost> entries_;
};

}  // namespace torchfl
