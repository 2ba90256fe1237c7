#include "memory/pieces.h"

#include <algorithm>
#include <atomic>

#include "device/chip.h"
#include "memory/access.h"
#include "memory/box.h"
#include "memory/counters.h"

namespace torchfl {
namespace {

constexpr int64_t kMostCopies = 64;

struct Dim {
  int64_t size, from, to;  // strides in elements
};

std::atomic<at::Tensor (*)(const at::Tensor&, at::IntArrayRef)> rearranger{nullptr};

}  // namespace

at::Tensor rearrange(const at::Tensor& from, at::IntArrayRef strides) {
  auto* how = rearranger.load(std::memory_order_acquire);
  return how != nullptr ? how(from, strides) : at::Tensor();
}

void set_rearrange(at::Tensor (*how)(const at::Tensor& from, at::IntArrayRef strides)) noexcept {
  rearranger.store(how, std::memory_order_release);
}

bool copy_in_pieces(const at::Tensor& from, at::IntArrayRef from_strides, const at::Tensor& to, at::IntArrayRef to_strides,
                    at::IntArrayRef sizes, bool clear) {
  Chip& chip = chip_of(from.device().index());
  const auto& api = chip.api();
  if (api.copy_d2d == nullptr || (clear && api.fill == nullptr) || chip.mapped()) return false;
  c10::SmallVector<Dim, 8> dims;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1) dims.push_back({sizes[i], from_strides[i], to_strides[i]});
  std::sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return a.to < b.to; });  // the innermost first
  int64_t piece = 1, copies = 1;
  size_t inner = 0;
  while (inner < dims.size() && dims[inner].from == piece && dims[inner].to == piece) piece *= dims[inner++].size;
  for (size_t i = inner; i < dims.size(); ++i) copies *= dims[i].size;
  if (copies > kMostCopies || !(box_of(from)->valid.load(std::memory_order_acquire) & kDeviceSide)) return false;
  Access access;
  access.read(from);
  access.write(to, /*overwrites=*/true);
  access.to_device();
  const DeviceView source = access.device_view(from), target = access.device_view(to);
  const int32_t local = from.device().index() - chip.first_device();
  const int64_t element = from.element_size();
  make_current(chip, local);
  if (clear) chip.check(api.fill(local, target.handle, target.byte_offset, 0, to.nbytes(), nullptr), "fill");
  const auto bytes = static_cast<uint64_t>(piece * element);
  for (int64_t n = 0; n < copies; ++n) {
    int64_t rest = n, read = 0, write = 0;
    for (size_t i = inner; i < dims.size(); ++i) {
      read += rest % dims[i].size * dims[i].from;
      write += rest % dims[i].size * dims[i].to;
      rest /= dims[i].size;
    }
    chip.check(api.copy_d2d(local, target.handle, target.byte_offset + static_cast<uint64_t>(write * element), source.handle,
                            source.byte_offset + static_cast<uint64_t>(read * element), bytes, nullptr),
               "copy_d2d");
    count_copy(copy_counters().d2d, copy_counters().d2d_bytes, bytes);
  }
  access.commit();
  return true;
}

}  // namespace torchfl
