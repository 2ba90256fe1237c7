#include "device/activity.h"

#include <c10/util/Exception.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace torchfl {

namespace detail {

std::atomic<Gate> gate{Gate::open};
std::atomic<bool> light_is_enough{false};
thread_local Activity* activity __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

long membarrier(int command) noexcept { return syscall(__NR_membarrier, command, 0, 0); }

std::atomic<Activity*>& records() {
  static auto* first = new std::atomic<Activity*>{nullptr};  // leaked: threads may end while the process exits
  return *first;
}

// What passes the gate while it is closed: the ops of the thread that closed it.
std::atomic<const Activity*> closed_by{nullptr};

struct Waiting {
  std::mutex mutex;
  std::condition_variable opened;
};
Waiting& waiting() {
  static auto* one = new Waiting;
  return *one;
}

void wait_until_open() {
  std::unique_lock<std::mutex> lock(waiting().mutex);
  waiting().opened.wait(lock, [] { return gate.load() != Gate::paused; });
}

void (*yield_gil)(void (*)()) = nullptr;

void without_gil(void (*wait)()) {
  if (yield_gil != nullptr)
    yield_gil(wait);
  else
    wait();
}

// Gives the record back when the thread ends.
struct Holder {
  Activity* record;
  ~Holder() {
    activity = nullptr;
    record->uses.store(0, std::memory_order_relaxed);
    record->taken.store(false, std::memory_order_release);
  }
};

}  // namespace

Activity& new_activity() {
  static const bool offered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  light_is_enough.store(offered, std::memory_order_relaxed);
  Activity* found = nullptr;
  for (Activity* record = records().load(std::memory_order_acquire); record != nullptr && found == nullptr; record = record->next) {
    bool free = false;
    if (!record->taken.load(std::memory_order_relaxed) && record->taken.compare_exchange_strong(free, true)) found = record;
  }
  if (found == nullptr) {
    found = new Activity;
    found->next = records().load(std::memory_order_relaxed);
    while (!records().compare_exchange_weak(found->next, found)) {
    }
  }
  activity = found;
  thread_local Holder holder{found};
  return *found;
}

void pass_gate(Activity& mine) {
  const auto leave = [&] { mine.epoch.store(mine.epoch.load(std::memory_order_relaxed) + 1, std::memory_order_release); };
  for (;;) {
    const Gate now = gate.load();
    if (now == Gate::open || closed_by.load() == &mine) return;
    leave();
    if (now == Gate::shut) {
      mine.depth = 0;
      TORCH_CHECK(false, "torchfl.shutdown() has released the devices of this process; call torchfl.init() to use them again");
    }
    without_gil(&wait_until_open);
    mine.epoch.store(mine.epoch.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

}  // namespace detail

using detail::Activity;

void heavy_barrier() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (detail::light_is_enough.load(std::memory_order_relaxed)) detail::membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

bool other_threads() noexcept {
  const Activity* first = detail::records().load(std::memory_order_acquire);
  return first != nullptr && (first->next != nullptr || first != detail::activity);
}

std::vector<const void*> used_by_others() {
  std::vector<const void*> all;
  for (const Activity* record = detail::records().load(std::memory_order_acquire); record != nullptr; record = record->next) {
    if (record == detail::activity) continue;
    const uint32_t count = record->uses.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count; ++i) all.push_back(record->used[i].load(std::memory_order_relaxed));
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool used_here(const void* owner) noexcept {
  const Activity& mine = detail::mine();
  for (uint32_t i = 0; i < mine.uses.load(std::memory_order_relaxed); ++i)
    if (mine.used[i].load(std::memory_order_relaxed) == owner) return true;
  return false;
}

RunningOps RunningOps::now() {
  RunningOps ops;
  for (const Activity* record = detail::records().load(std::memory_order_acquire); record != nullptr; record = record->next) {
    const uint32_t epoch = record->epoch.load(std::memory_order_acquire);
    if (record != detail::activity && epoch % 2 == 1) ops.inside_.emplace_back(record, epoch);
  }
  return ops;
}

bool RunningOps::passed() const noexcept {
  return std::all_of(inside_.begin(), inside_.end(), [](const auto& op) {
    return op.first->epoch.load(std::memory_order_acquire) != op.second;
  });
}

OtherOps other_ops() noexcept {
  OtherOps ops;
  for (Activity* record = detail::records().load(std::memory_order_acquire); record != nullptr; record = record->next) {
    if (record == detail::activity) continue;
    const uint32_t epoch = record->epoch.load(std::memory_order_acquire);
    ops.steps += epoch;
    ops.running = ops.running || (epoch % 2 == 1 && !record->short_of_memory.load(std::memory_order_relaxed));
  }
  return ops;
}

bool wait_for_other_ops(const OtherOps& seen, std::chrono::steady_clock::time_point until) {
  for (;;) {
    const OtherOps now = other_ops();
    if (std::chrono::steady_clock::now() >= until) return false;
    if (now.steps != seen.steps) return true;
    if (!now.running) return false;
    detail::without_gil([] { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
  }
}

void stop_ops(Gate state) {
  Activity& mine = detail::mine();
  TORCH_CHECK(mine.depth == 0, "torchfl cannot be stopped or extended from inside an op of a device");
  detail::closed_by.store(state == Gate::paused ? &mine : nullptr);
  detail::gate.store(state);
  heavy_barrier();
  for (int tries = 0; !RunningOps::now().passed(); ++tries) {
    // An op that holds a lock or the GIL needs the processor more than this thread does.
    if (tries < 100)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void let_ops_go(Gate state) noexcept {
  {
    std::lock_guard<std::mutex> lock(detail::waiting().mutex);
    detail::gate.store(state);
    detail::closed_by.store(nullptr);
  }
  detail::waiting().opened.notify_all();
}

Gate gate_state() noexcept { return detail::gate.load(); }

void set_gil_yield(void (*wait_without_gil)(void (*)())) { detail::yield_gil = wait_without_gil; }

void forget_other_threads() noexcept {
  for (Activity* record = detail::records().load(std::memory_order_acquire); record != nullptr; record = record->next) {
    if (record == detail::activity) continue;
    record->epoch.store(0, std::memory_order_relaxed);
    record->depth = 0;
    record->short_of_memory.store(false, std::memory_order_relaxed);
    record->uses.store(0, std::memory_order_relaxed);
    record->taken.store(false, std::memory_order_relaxed);
  }
}

}  // namespace torchfl
