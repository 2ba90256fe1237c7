#include "memory/evict.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "device/activity.h"
#include "device/chip.h"
#include "memory/box.h"
#include "memory/budget.h"
#include "memory/kept_forms.h"

namespace torchfl {
namespace {

std::atomic<size_t> moved_out{0};

// A claimed and locked box, and what its `valid` was before it hid its device side.
struct Victim {
  Box* box;
  uint8_t valid;
};

// Whether a box may be taken as far as can be seen. The caller holds the pool's lock.
class Eligible {
 public:
  Eligible() : used_(used_by_others()), room_(room_on_host()) {}
  bool operator()(BlockOwner& owner) const {
    if (owner.kind != OwnerKind::box || owner.block.host != nullptr || used_here(&owner) ||
        std::binary_search(used_.begin(), used_.end(), static_cast<const void*>(&owner)))
      return false;
    Box& box = static_cast<Box&>(owner);
    if (!box.mutex.try_lock()) return false;
    const bool pointed_to = box.open != nullptr;
    box.mutex.unlock();
    return !pointed_to && (box.valid.load(std::memory_order_relaxed) != kDeviceSide || box.nbytes <= room_);
  }

 private:
  static size_t room_on_host() {
    const size_t taken = moved_out.load() + two_sided_bytes(), budget = host_budget();
    return budget > taken ? budget - taken : 0;
  }
  const std::vector<const void*> used_;
  const size_t room_;
};

// Old first; of the same age what costs no copy. A stale side is the oldest of all.
uint64_t rank_of(const Box& box) {
  const uint8_t valid = box.valid.load(std::memory_order_relaxed);
  if (!(valid & kDeviceSide)) return 0;
  const uint64_t age = uint64_t{box.last_use.load(std::memory_order_relaxed)} + 1;
  return age << 1 | (valid & kHostSide ? 0u : 1u);
}

// Boxes below `rank` are taken, and of those of that rank as many as it takes for `of_rank` bytes.
struct Limit {
  uint64_t rank = UINT64_MAX;
  size_t of_rank = 0;
};

Limit limit_for(c10::DeviceIndex device, size_t bytes, const Eligible& eligible) {
  std::vector<std::pair<uint64_t, size_t>> known;
  claim_owners(device, [&](BlockOwner& owner) {
    if (eligible(owner)) known.emplace_back(rank_of(static_cast<Box&>(owner)), owner.block.size);
    return false;
  });
  std::sort(known.begin(), known.end());
  size_t sum = 0, below = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    if (i == 0 || known[i].first != known[i - 1].first) below = sum;
    if ((sum += known[i].second) >= bytes) return {known[i].first, bytes - below};
  }
  return {};
}

std::vector<Victim> take_victims(c10::DeviceIndex device, size_t bytes) {
  const Eligible eligible;
  const Limit limit = limit_for(device, bytes, eligible);
  std::vector<Victim> victims;
  size_t of_rank = 0;
  claim_owners(device, [&](BlockOwner& owner) {
    if (!eligible(owner)) return false;
    Box& box = static_cast<Box&>(owner);
    const uint64_t rank = rank_of(box);
    if (rank > limit.rank || (rank == limit.rank && of_rank >= limit.of_rank) || !box.mutex.try_lock()) return false;
    if (box.open != nullptr) {  // since
      box.mutex.unlock();
      return false;
    }
    if (rank == limit.rank) of_rank += box.block.size;
    const uint8_t valid = box.valid.load(std::memory_order_relaxed);
    box.valid.store(valid & static_cast<uint8_t>(~kDeviceSide), std::memory_order_release);
    victims.push_back({&box, valid});
    return true;
  });
  return victims;
}

void let_go(const Victim& victim) {
  victim.box->mutex.unlock();
  unclaim(*victim.box);
}

// The box is claimed, locked, says that it has no device side, and nobody uses it. False: it stays as it was.
bool leave_device(Box& box, uint8_t valid) {
  const size_t size = box.block.size;
  const bool rescue = valid == kDeviceSide && box.nbytes != 0;
  if (rescue) {
    // Counted before the copy, so that two threads do not both take the last of the budget.
    const size_t now = moved_out.fetch_add(box.nbytes) + box.nbytes;
    try {
      if (now + two_sided_bytes() > host_budget()) throw std::bad_alloc();
      auto host = new_host_storage(box.nbytes);
      box.download(host->mutable_data(), 0, box.nbytes);
      box.host = std::move(host);
    } catch (...) {  // no room on the host, or a driver that cannot copy: the bytes are safe where they are
      moved_out.fetch_sub(box.nbytes);
      box.valid.store(valid, std::memory_order_release);
      return false;
    }
    box.moved_out = box.nbytes;
    box.valid.store(kHostSide, std::memory_order_release);
  } else if (box.budget.listed) {
    unlist(box);
  }
  release_claimed(box.device, box);
  count_eviction(box.device, size, rescue);
  return true;
}

}  // namespace

bool evict(c10::DeviceIndex device, size_t bytes) {
  if (drop_kept_forms(device, bytes)) return true;
  const std::vector<Victim> victims = take_victims(device, bytes);
  if (victims.empty()) return false;
  heavy_barrier();
  const std::vector<const void*> used = used_by_others();  // now none is missed
  bool any = false;
  for (const Victim& victim : victims) {
    if (std::binary_search(used.begin(), used.end(), static_cast<const void*>(static_cast<BlockOwner*>(victim.box))))
      victim.box->valid.store(victim.valid, std::memory_order_release);
    else
      any = leave_device(*victim.box, victim.valid) || any;
    let_go(victim);
  }
  return any;
}

void forget_eviction(Box& box) noexcept {
  if (box.moved_out == 0) return;
  moved_out.fetch_sub(box.moved_out);
  box.moved_out = 0;
}

size_t moved_out_bytes() noexcept { return moved_out.load(); }

}  // namespace torchfl
