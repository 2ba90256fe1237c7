#include "memory/retired.h"

#include <memory>
#include <mutex>
#include <vector>

#include "device/activity.h"

namespace torchfl {
namespace {

struct Retired {
  RunningOps ops;  // those that were running when it was given up
  virtual ~Retired() = default;
};

struct RetiredBlock final : Retired, BlockOwner {
  explicit RetiredBlock(c10::DeviceIndex device_) : BlockOwner(OwnerKind::retired), device(device_) {}
  ~RetiredBlock() override { release_block(device, *this); }
  const c10::DeviceIndex device;
};

struct RetiredStorage final : Retired {
  explicit RetiredStorage(c10::Storage storage_) : storage(std::move(storage_)) {}
  const c10::Storage storage;
};

struct Retirement {
  std::mutex mutex;
  std::vector<std::unique_ptr<Retired>> waiting;
};

Retirement& retirement() {
  static auto* one = new Retirement;  // leaked: threads may run ops while the process exits
  return *one;
}

void retire(std::unique_ptr<Retired> what) {
  heavy_barrier();
  what->ops = RunningOps::now();
  if (what->ops.passed()) return;
  std::lock_guard<std::mutex> lock(retirement().mutex);
  retirement().waiting.push_back(std::move(what));
}

}  // namespace

void retire_block(c10::DeviceIndex device, BlockOwner& owner) noexcept {
  if (owner.block.handle == nullptr) return;
  if (!other_threads()) {
    release_block(device, owner);
    return;
  }
  auto retired = std::make_unique<RetiredBlock>(device);
  hand_over_block(device, owner, *retired);
  retire(std::move(retired));
}

void retire_storage(c10::Storage storage) noexcept {
  if (!other_threads()) return;
  release_retired();
  retire(std::make_unique<RetiredStorage>(std::move(storage)));
}

void release_retired() noexcept {
  std::vector<std::unique_ptr<Retired>> done;  // declared first: freed after the lock
  std::lock_guard<std::mutex> lock(retirement().mutex);
  auto& waiting = retirement().waiting;
  for (size_t i = 0; i < waiting.size();) {
    if (!waiting[i]->ops.passed()) {
      ++i;
      continue;
    }
    done.push_back(std::move(waiting[i]));
    waiting[i] = std::move(waiting.back());
    waiting.pop_back();
  }
}

}  // namespace torchfl
