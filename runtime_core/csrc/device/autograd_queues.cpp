#include "device/autograd_queues.h"

#include <torch/csrc/autograd/engine.h>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "device/chip.h"

namespace torchfl {

std::atomic<bool> detail::autograd_may_lack_queues{false};

namespace {

using torch::autograd::Engine;
using torch::autograd::ReadyQueue;
using Queues = std::vector<std::shared_ptr<ReadyQueue>>;

// The engine's protected members, as a subclass may name them.
struct Members : Engine {
  static bool started(Engine& engine) { return engine.*(&Members::thread_pool_shared_) != nullptr; }
  static Queues& queues(Engine& engine) { return engine.*(&Members::device_ready_queues_); }
};

void add_queues(Engine& engine, size_t count) {
  Queues& queues = Members::queues(engine);
  const size_t before = queues.size();
  if (before >= count) return;
  Queues more;
  more.reserve(count);
  more = queues;
  while (more.size() < count) more.push_back(std::make_shared<ReadyQueue>());
  // Threads in a backward of the devices before may be reading the old array: it is never freed.
  (new Queues)->swap(queues);
  queues.swap(more);
  for (size_t i = before; i < count; ++i)
    std::thread([&engine, i, queue = queues[i]] { engine.thread_init(static_cast<int>(i), queue, true); }).detach();
}

}  // namespace

void note_new_devices() noexcept { detail::autograd_may_lack_queues.store(true); }

void detail::complete_autograd_queues() {
  static auto* mutex = new std::mutex;
  std::lock_guard<std::mutex> one_at_a_time(*mutex);
  if (!autograd_may_lack_queues.load()) return;
  Engine& engine = Engine::get_default_engine();
  if (Members::started(engine)) {
    engine.initialize_device_threads_pool();  // returns once the start is over, should it be under way
    add_queues(engine, static_cast<size_t>(device_count()));
  }
  autograd_may_lack_queues.store(false);
}

}  // namespace torchfl
