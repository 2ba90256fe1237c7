#include "dispatch/accepted.h"

#include <bit>
#include <mutex>

#include "dispatch/decide.h"

namespace torchfl {

Accepted::Given Accepted::given(const c10::IValue& value) noexcept {
  if (value.isInt()) return {Given::integer, value.toInt()};
  if (value.isDouble()) return {Given::floating, std::bit_cast<int64_t>(value.toDouble())};
  if (value.isBool()) return {Given::boolean, value.toBool()};
  return {value.isNone() ? Given::none : Given::other, 0};
}

bool Accepted::find(Call& call) const noexcept {
  const uint32_t count = count_.load(std::memory_order_acquire);
  const size_t num_attrs = call.spec->attrs.size();
  for (uint32_t n = 0; n < count; ++n) {
    const Entry& entry = entries_[n];
    if (entry.common != call.common) continue;
    bool same = true;
    for (size_t i = 0; i < num_attrs && same; ++i) same = given(*call.attr_values[i]) == entry.given[i];
    if (!same) continue;
    for (size_t i = 0; i < num_attrs; ++i) call.attrs[i] = entry.attrs[i];
    call.dtype = entry.dtype;
    call.result = entry.result;
    return true;
  }
  return false;
}

void Accepted::add(const Call& call, const Binding& binding) {
  if (closed_.load(std::memory_order_relaxed)) return;
  const auto& attrs = call.spec->attrs;
  Entry entry{call.common, call.result, call.dtype, {}, {}};
  bool fits = attrs.size() <= kMostAttrs && call.spec->hidden_outputs == 0;
  for (const Constraint& limit : binding.constraints) fits = fits && limit.variable.kind == Variable::attribute;
  for (size_t i = 0; i < attrs.size() && fits; ++i) {
    entry.given[i] = given(*call.attr_values[i]);
    entry.attrs[i] = call.attrs[i];
    fits = entry.given[i].kind != Given::other && attrs[i].kind != AttrKind::dtype && call.attrs[i].list == nullptr;
  }
  std::lock_guard<SpinLock> lock(lock_);
  const uint32_t count = count_.load(std::memory_order_relaxed);
  if (fits && count < kMost) {
    entries_[count] = entry;
    count_.store(count + 1, std::memory_order_release);
  }
  closed_.store(!fits || count + 1 >= kMost, std::memory_order_relaxed);
}

}  // namespace torchfl
