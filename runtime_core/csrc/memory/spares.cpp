#include "memory/spares.h"

#include <array>
#include <cstddef>
#include <new>
#include <utility>

#include "device/chip.h"
#include "memory/addresses.h"
#include "memory/box.h"

namespace torchfl {
namespace {

constexpr size_t kMost = 4;  // views, and boxes of each class of addresses
constexpr int kClasses = 8;  // up to 64 KiB: beside the memory of bigger ones a box costs nothing

struct Spares {
  std::array<std::array<Box*, kMost>, kClasses> boxes{};
  std::array<size_t, kClasses> num_boxes{};
  std::array<at::Tensor, kMost> views;
  size_t num_views = 0;
};

thread_local Spares* spares __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local bool thread_ends __attribute__((tls_model("initial-exec"))) = false;

// Frees them when the thread ends. Once the process exits, or in a child that must not use the device, they are left to the
// system, as all storages are (Box::deleter()).
struct Holder {
  ~Holder() {
    thread_ends = true;
    Spares* mine = std::exchange(spares, nullptr);
    if (exiting() || in_bad_fork()) return;
    for (int i = 0; i < kClasses; ++i)
      for (size_t n = 0; n < mine->num_boxes[i]; ++n) delete mine->boxes[i][n];
    delete mine;
  }
};

C10_NOINLINE Spares* new_spares() {
  if (thread_ends) return nullptr;
  spares = new (std::nothrow) Spares;
  if (spares == nullptr) return nullptr;
  thread_local Holder holder;
  (void)holder;
  return spares;
}

Spares* mine() { return C10_LIKELY(spares != nullptr) ? spares : new_spares(); }

// Whether the tensor is as cpu_tensor() makes it but for its storage, dtype, sizes and strides: no lazy bits, and nothing of
// autograd's or of inference mode.
bool is_plain(const c10::TensorImpl& impl) noexcept {
  constexpr c10::DispatchKeySet kPlain =
      c10::DispatchKeySet(c10::DispatchKey::CPU) | c10::DispatchKeySet(c10::DispatchKey::AutogradCPU) |
      c10::DispatchKeySet(c10::DispatchKey::AutocastCPU) | c10::DispatchKeySet(c10::DispatchKey::ADInplaceOrView);
  return impl.key_set() == kPlain && !impl.is_wrapped_number() && impl.autograd_meta() == nullptr &&
         impl.allow_tensor_metadata_change();
}

}  // namespace

Box* new_box(size_t nbytes, c10::DeviceIndex device) {
  const int index = nbytes != 0 && spares != nullptr ? address_class(nbytes) : kClasses;
  if (index >= kClasses || spares->num_boxes[index] == 0) return new Box(nbytes, device);
  Box* box = spares->boxes[index][--spares->num_boxes[index]];
  box->nbytes = nbytes;
  box->device = device;
  box->window_reads = 0;
  return box;
}

bool keep_box(Box& box) noexcept {
  const int index = box.nbytes != 0 ? address_class(box.nbytes) : kClasses;
  if (index >= kClasses) return false;
  (void)release_block(box.device, box);  // first: waits for a thread that evicts it
  if (box.budget.ever_listed || box.moved_out != 0 || box.open != nullptr || !box.kept.reading.empty()) return false;
  Spares* all = mine();
  if (all == nullptr || all->num_boxes[index] == kMost) return false;
  box.valid.store(kNoSide, std::memory_order_relaxed);
  box.host.reset();
  all->boxes[index][all->num_boxes[index]++] = &box;
  return true;
}

at::Tensor spare_view() noexcept {
  if (spares == nullptr || spares->num_views == 0) return {};
  return std::move(spares->views[--spares->num_views]);
}

void keep_view(at::Tensor view) noexcept {
  if (!view.defined() || view.use_count() != 1 || view.weak_use_count() != 1) return;
  c10::TensorImpl* impl = view.unsafeGetTensorImpl();
  if (C10_UNLIKELY(!is_plain(*impl))) return;
  Spares* all = mine();
  if (all == nullptr || all->num_views == kMost) return;
  const c10::Storage gone = std::move(const_cast<c10::Storage&>(impl->unsafe_storage()));
  all->views[all->num_views++] = std::move(view);
}

}  // namespace torchfl
