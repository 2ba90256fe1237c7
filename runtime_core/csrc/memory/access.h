// Takes every storage of one op at once, brings it to the side the op runs on, and marks what was written.
//
//   Access access;
//   access.read(a); access.write(out, /*overwrites=*/true);
//   access.to_device();                       // or to_host()
//   ... run, with device_view(t) or host_view(t) ...
//   access.commit();                          // only after success
//
// A storage may appear in several tensors and in both roles. Locks are taken in address order. A storage that
// is only read is unlocked once it is in place (its memory stays alive through the views); a written one stays
// locked until the Access is destroyed. Without commit() a written storage goes back to the side that was valid
// before, so a kernel that declines costs nothing; where only the written side was valid it stays as it is.
//
// Not thread-safe; lives on the stack of one op. No Python, and no other Access of the same thread, while it lives
// between to_*() and its end.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <optional>

#include "memory/box.h"
#include "memory/windows.h"

namespace torchfl {

// Where a tensor's first element is on the device.
struct DeviceView {
  void* handle;          // nullptr for a storage without bytes
  uint64_t byte_offset;  // storage offset included
};

class Access {
 public:
  // `windows`: small views of a big storage may move alone; the op then sees a storage of its own for each group of
  // them. Not for ops that reach beyond their views, such as those with a storage_offset argument.
  explicit Access(bool windows = true) : windows_(windows) {}
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  // `t` is a device tensor with a storage of ours. Call for every tensor of the op before to_host()/to_device().
  void read(const at::Tensor& t);
  // `overwrites`: the op writes every element of `t` without reading it. If those are all the bytes of the
  // storage, and nothing else of it is read, nothing is migrated.
  void write(const at::Tensor& t, bool overwrites = false);

  void to_host();
  void to_device();

  // After to_host(): a CPU tensor over the same bytes, with sizes, strides, offset, conj, neg and wrapped-number
  // bits of `t`. The same tensor object gives the same view. Views of a written tensor may be resized by
  // the op: commit() carries sizes, strides, offset and a grown or replaced storage over to the device tensor.
  // `t` lives as long as the Access does. The reference is good until views of kMostViews tensors have been given.
  at::Tensor& host_view(const at::Tensor& t);
  static constexpr size_t kMostViews = 4;

  // After to_device().
  DeviceView device_view(const at::Tensor& t) const;

  // The op succeeded: the written side of every written storage is the valid one.
  void commit();

  // The device tensor that `cpu` is a host view of, by TensorImpl (undefined tensor if none): op results that are
  // an argument itself.
  at::Tensor device_tensor_of(const at::Tensor& cpu) const;
  // A device tensor over the argument's storage that `cpu` lives in (undefined if none): op results that alias one.
  at::Tensor device_alias_of(const at::Tensor& cpu) const;

 private:
  struct Use {
    Box* box;
    c10::Storage storage;  // keeps the box alive
    bool write = false;
    bool reads = false;       // the old content is needed
    bool covers_all = false;  // some write covers every byte
    bool locked = false;
    uint8_t valid_before = 0;
    c10::intrusive_ptr<c10::StorageImpl> host;
    Block block;
    std::unique_ptr<Windows> windows;  // of a big storage, while all its views are small
    bool whole = false;                // too big a part, or the choice fell on moving all
    bool windowed() const { return windows != nullptr && !whole; }
  };
  struct View {
    c10::TensorImpl* device;
    at::Tensor cpu;
    bool write;
    const c10::StorageImpl* storage;  // of `cpu`, as it was given to the op
    uint64_t begin;                   // where that storage begins in the device storage, in bytes
  };
  Use& use(const at::Tensor& t);
  Use* find(const Box* box);
  const Use* find(const Box* box) const;
  c10::SmallVector<Use*, 4> in_order();
  void note_view(Use& u, const at::Tensor& t, bool write, bool overwrites);
  bool open_windows(Use& u);
  void close_windows(Use& u);
  void merge_grown_windows(Use& u);
  void finish_writes();
  void release() noexcept;

  c10::SmallVector<Use, 4> uses_;
  c10::SmallVector<View, kMostViews> views_;
  c10::SmallVector<const c10::TensorImpl*, 4> written_;
  std::optional<DeviceUses> in_use_;  // of an op that runs on the device
  Side side_ = kNoSide;
  bool committed_ = false;
  const bool windows_;
};

// The commonest write of a kernel, to one tensor whose storage is on the device already: nothing moves, so that no other
// storage has to be taken with it. Holds the lock to its end, as Access does, and what a failure leaves is the same.
class DeviceWrite {
 public:
  explicit DeviceWrite(const at::Tensor& t);
  ~DeviceWrite();
  DeviceWrite(const DeviceWrite&) = delete;
  DeviceWrite& operator=(const DeviceWrite&) = delete;

  // A null handle: the storage is not on the device and nothing was taken; the write needs an Access.
  const Block& block() const { return block_; }
  void commit();  // the op succeeded

 private:
  Box& box_;
  Block block_;
  bool committed_ = false;
};

}  // namespace torchfl
