// What the threads of this process are doing with devices, as rare events need to know it.
//
// A shutdown waits until no op runs; memory that runs out takes device sides away that no op uses. Ops are too short to
// pay a lock or a shared counter for that, so each thread has a record of its own that it writes with plain stores.
// The rare event publishes what it is about to do, makes every thread pass a barrier (heavy_barrier()), and then reads
// the records: a thread that came before is seen, one that comes later sees what was published.
#pragma once

#include <c10/macros/Macros.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace torchfl {

enum class Gate : int {
  open,
  paused,  // what ops read is being changed: they wait
  shut,    // after a shutdown: they raise
};

namespace detail {

// One per thread that has run an op; never freed, reused by later threads.
struct Activity {
  static constexpr uint32_t kMaxUses = 40;
  std::atomic<uint32_t> epoch{0};  // odd while the thread is inside an op
  uint32_t depth = 0;              // ops within ops; the thread's own
  std::atomic<bool> short_of_memory{false};
  std::atomic<uint32_t> uses{0};
  std::array<std::atomic<const void*>, kMaxUses> used{};  // whose device memory it uses
  std::atomic<bool> taken{true};
  Activity* next = nullptr;
};

extern std::atomic<Gate> gate;
extern std::atomic<bool> light_is_enough;  // the kernel offers membarrier(2)
extern thread_local Activity* activity __attribute__((tls_model("initial-exec")));
Activity& new_activity();
void pass_gate(Activity& mine);  // waits or throws

inline Activity& mine() {
  Activity* known = activity;
  return C10_LIKELY(known != nullptr) ? *known : new_activity();
}

// Pairs with heavy_barrier(): what this thread stored is seen there, or this thread sees what was stored before it.
inline void light_barrier() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (C10_UNLIKELY(!light_is_enough.load(std::memory_order_relaxed))) std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace detail

// Every entry of PyTorch into the core holds one for as long as it uses chips, their tables or device memory. Waits while
// ops are paused, throws after a shutdown.
class OpScope {
 public:
  OpScope() : mine_(detail::mine()) {
    if (mine_.depth++ != 0) return;
    mine_.epoch.store(mine_.epoch.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    detail::light_barrier();
    if (C10_UNLIKELY(detail::gate.load(std::memory_order_acquire) != Gate::open)) detail::pass_gate(mine_);
  }
  ~OpScope() {
    if (--mine_.depth == 0)
      mine_.epoch.store(mine_.epoch.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  detail::Activity& mine_;
};

// Says whose device memory the calling thread uses, until it is destroyed: nobody takes that away meanwhile. Nests.
class DeviceUses {
 public:
  DeviceUses() : mine_(detail::mine()), before_(mine_.uses.load(std::memory_order_relaxed)) {}
  ~DeviceUses() { mine_.uses.store(before_, std::memory_order_release); }
  DeviceUses(const DeviceUses&) = delete;
  DeviceUses& operator=(const DeviceUses&) = delete;

  // False where there is no room: hold the owner's lock instead. Look at its sides only after settle().
  bool add(const void* owner) noexcept {
    const uint32_t n = mine_.uses.load(std::memory_order_relaxed);
    if (C10_UNLIKELY(n == detail::Activity::kMaxUses)) return false;
    mine_.used[n].store(owner, std::memory_order_relaxed);
    mine_.uses.store(n + 1, std::memory_order_release);
    return true;
  }
  void settle() noexcept { detail::light_barrier(); }

 private:
  detail::Activity& mine_;
  const uint32_t before_;
};

// Makes every running thread pass a full memory barrier. Some microseconds.
void heavy_barrier() noexcept;

// False while no second thread has ever run an op.
bool other_threads() noexcept;
// After heavy_barrier(): what other threads use now; and whether the calling thread says that it uses `owner`.
std::vector<const void*> used_by_others();
bool used_here(const void* owner) noexcept;

// The ops that other threads are inside of, after heavy_barrier(); passed() once each of them has ended.
class RunningOps {
 public:
  static RunningOps now();
  bool passed() const noexcept;

 private:
  std::vector<std::pair<const detail::Activity*, uint32_t>> inside_;
};

// The calling thread is short of device memory until this is destroyed: it may wait for others, none should wait for it.
class ShortOfMemory {
 public:
  ShortOfMemory() : mine_(detail::mine()) { mine_.short_of_memory.store(true, std::memory_order_relaxed); }
  ~ShortOfMemory() { mine_.short_of_memory.store(false, std::memory_order_relaxed); }
  ShortOfMemory(const ShortOfMemory&) = delete;
  ShortOfMemory& operator=(const ShortOfMemory&) = delete;

 private:
  detail::Activity& mine_;
};

// The ops of other threads: how many have begun and ended, and whether one runs that is not itself short of memory.
struct OtherOps {
  uint64_t steps = 0;
  bool running = false;
};
OtherOps other_ops() noexcept;

// Returns once an op of another thread has begun or ended after `seen` was taken. False where none will do so before
// `until`: none runs, or each waits for something. Gives up the GIL meanwhile if the thread has it.
bool wait_for_other_ops(const OtherOps& seen, std::chrono::steady_clock::time_point until);

// Closes the gate for the other threads' ops and waits until none is inside one. Throws, with the gate open, in a thread
// that is inside an op itself. The caller holds neither the GIL nor a lock that an op may want.
void stop_ops(Gate state);
void let_ops_go(Gate state) noexcept;  // after it: `open`, or `shut` again where what was paused for failed
Gate gate_state() noexcept;

// How a thread that waits at the gate gives up the GIL if it has it: set by the Python half.
void set_gil_yield(void (*wait_without_gil)(void (*wait)()));

// In a forked child only the thread that forked is left.
void forget_other_threads() noexcept;

}  // namespace torchfl
