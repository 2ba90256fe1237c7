// Windows: the parts of a big storage that one op touches, moved alone.
//
// One row of a 64 MiB tensor should cost its row, not the tensor. Where the side that the op runs on is stale and its
// views span at most a quarter of the storage, each group of near-by views gets a window: a copy of its span that
// lives as long as the op. A window is never kept, so `valid` does not change: what was written goes back to the side
// that it came from.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <memory>

#include "memory/pool.h"

namespace torchfl {

// Storages below this size move whole: one transfer's latency costs as much as their bytes.
constexpr size_t kWindowFrom = size_t{1} << 16;
// A window may be at most this part of its storage.
constexpr size_t kWindowShare = 4;

// The bytes of a storage between a view's first and last element.
struct Span {
  uint64_t begin = 0, end = 0;
};
Span span_of(const at::Tensor& t);

struct Window : BlockOwner {
  Window() : BlockOwner(OwnerKind::window) {}
  uint64_t begin = 0, end = 0;  // bytes of the storage
  bool written = false;
  bool needed = false;                         // the old bytes are read, or not all are overwritten
  c10::intrusive_ptr<c10::StorageImpl> host;  // of a host window; a device window has `block`
  size_t size() const { return end - begin; }
};

// The windows of one storage in one op.
class Windows {
 public:
  explicit Windows(c10::DeviceIndex device) : device_(device) {}
  ~Windows();
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;

  void add(const at::Tensor& t, bool write, bool overwrites);

  // Joins spans that overlap or lie close together: aliases stay aliases. The windows' bytes in all.
  size_t join();

  c10::SmallVector<std::unique_ptr<Window>, 2>& all() { return windows_; }
  // The window that holds a view that was added; nullptr for a view without elements.
  Window* of(const at::Tensor& t) const;

 private:
  struct Part {
    Span span;
    uint64_t align;  // element size: a window begins at a multiple of every one of its views'
    bool written, needed;
  };
  const c10::DeviceIndex device_;
  c10::SmallVector<Part, 4> parts_;
  c10::SmallVector<std::unique_ptr<Window>, 2> windows_;
};

}  // namespace torchfl
