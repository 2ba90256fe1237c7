// What vendors' C++ functions take and return by value: lists of extents and dimensions from the standard library, and
// tensors that are objects of a class.
//
// These give values, not statuses, so that a call can be written as one expression; what a vendor's type does not hold
// leaves the kernel by way of torchfl::Left. Used by generated kernels and meant for hand-written ones too. C++17, no
// torch, no Python.
#ifndef TORCHFL_VALUES_HPP
#define TORCHFL_VALUES_HPP

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "torchfl/operands.hpp"

namespace torchfl {

// Leaves the kernel with the status of a step that failed.
inline void must(tfl_status step) {
  if (step != TFL_OK) throw Left{step};
}

// Declines the call from within an expression.
[[noreturn]] inline void decline(const char* why) { throw Left{unsupported(why)}; }

// An integer of the vendor's type.
template <class T>
T integral(int64_t value) {
  T made{};
  if (!assign(made, value)) decline("a number beyond the vendor's type");
  return made;
}

// A list of the vendor's: one that grows, one of fixed length, or a pair. `count` entries, `entry(i)` each.
template <class L>
struct ListOf {
  template <class Entry>
  static L make(int64_t count, Entry entry) {
    L made;
    for (int64_t i = 0; i < count; ++i) made.push_back(integral<typename L::value_type>(entry(i)));
    return made;
  }
};
template <class T, std::size_t N>
struct ListOf<std::array<T, N>> {
  template <class Entry>
  static std::array<T, N> make(int64_t count, Entry entry) {
    if (count != static_cast<int64_t>(N)) decline("another number of dimensions than the vendor's function has");
    std::array<T, N> made{};
    for (std::size_t i = 0; i < N; ++i) made[i] = integral<T>(entry(static_cast<int64_t>(i)));
    return made;
  }
};
template <class A, class B>
struct ListOf<std::pair<A, B>> {
  template <class Entry>
  static std::pair<A, B> make(int64_t count, Entry entry) {
    if (count != 2) decline("another number of dimensions than the vendor's function has");
    return {integral<A>(entry(0)), integral<B>(entry(1))};
  }
};

// A tensor's extents; a single number has one dimension of one.
template <class L>
L sizes_of(const tfl_tensor& t) {
  if (t.rank == 0) return ListOf<L>::make(1, [](int64_t) { return int64_t{1}; });
  return ListOf<L>::make(t.rank, [&](int64_t i) { return t.sizes[i]; });
}

// The steps between its elements, in elements.
template <class L>
L strides_of(const tfl_tensor& t) {
  if (t.rank == 0) return ListOf<L>::make(1, [](int64_t) { return int64_t{1}; });
  return ListOf<L>::make(t.rank, [&](int64_t i) { return t.strides[i]; });
}

// Dimensions counted from the front: those of a list, one that is a number, or where there is neither, every one.
template <class L>
L dims_of(const tfl_attr& dims, const tfl_tensor& t) {
  const int64_t rank = t.rank == 0 ? 1 : t.rank;
  const bool all = dims.kind == TFL_ATTR_NONE || (dims.kind == TFL_ATTR_INT_LIST && dims.count == 0);
  const int64_t count = all ? rank : dims.kind == TFL_ATTR_INT_LIST ? dims.count : 1;
  return ListOf<L>::make(count, [&](int64_t i) {
    const int64_t dim = all ? i : at(dims, i, 0);
    return dim < 0 ? dim + rank : dim;
  });
}

// Height and width of an attribute of images.
template <class L>
L both(const tfl_attr& a, int64_t absent) {
  return ListOf<L>::make(2, [&](int64_t i) { return at(a, i, absent); });
}

// The host's copies of tensors, for functions of the vendor that read and write the host's memory; they live as long as
// the call.
class OnHost {
 public:
  OnHost(const tfl_device_api& api, const tfl_call& call) : api_(api), call_(call) {}

  const void* of(const tfl_tensor& t) {
    char* const to = room(t);
    must(api_.copy_d2h(call_.device, to, t.handle, t.byte_offset, bytes(t), call_.stream));
    return to;
  }
  // Room for a result, and what puts it there.
  void* room_for(const tfl_tensor& t) { return room(t); }
  void give(const void* from, const tfl_tensor& t) {
    must(api_.copy_h2d(call_.device, t.handle, t.byte_offset, from, bytes(t), call_.stream));
  }

 private:
  static uint64_t bytes(const tfl_tensor& t) { return static_cast<uint64_t>(t.numel) * element_size(t.dtype); }
  char* room(const tfl_tensor& t) { return held_.emplace_back(static_cast<std::size_t>(bytes(t))).data(); }

  const tfl_device_api& api_;
  const tfl_call& call_;
  std::deque<std::vector<char>> held_;
};

// Lends a vendor's function memory of the device's while it runs; each piece goes back when the vendor lets go of it.
class Lender {
 public:
  Lender(const tfl_device_api& api, const tfl_call& call) : api_(&api), call_(&call) {}

  std::unique_ptr<void, std::function<void(void*)>> operator()(std::size_t bytes) const {
    const auto lent = std::make_shared<Workspace>(*api_, *call_);
    must(lent->reserve(static_cast<uint64_t>(bytes)));
    return {lent->data(), [lent](void*) {}};
  }

 private:
  const tfl_device_api* api_;
  const tfl_call* call_;
};

// Puts what a vendor's object holds into a tensor of the same form. The vendor's library may work on queues of its own:
// they are waited for before, and before the object goes.
inline tfl_status give(const tfl_device_api& api, const tfl_call& call, const void* from, const tfl_tensor& out) {
  if (from == nullptr) return fail(TFL_INTERNAL, "the vendor's object holds no memory");
  if (api.synchronize != nullptr) TFL_TRY(api.synchronize(call.device));
  tfl_tensor held = out;
  held.handle = const_cast<void*>(from);
  held.byte_offset = 0;
  TFL_TRY(begin_as(api, call, held, out));
  return api.synchronize != nullptr ? api.synchronize(call.device) : TFL_OK;
}

}  // namespace torchfl

#endif
