#include "memory/windows.h"

#include <algorithm>

namespace torchfl {
namespace {

// Views this near to each other share a window: the bytes between them cost less than a second transfer.
constexpr uint64_t kNear = 4096;

}  // namespace

Span span_of(const at::Tensor& t) {
  if (t.numel() == 0) return {};
  const auto strides = t.strides();
  uint64_t last = 0;  // in elements after the first
  for (size_t i = 0; i < strides.size(); ++i)
    last += static_cast<uint64_t>(t.sizes()[i] - 1) * static_cast<uint64_t>(strides[i]);
  const uint64_t item = t.element_size(), first = static_cast<uint64_t>(t.storage_offset());
  return {first * item, (first + last + 1) * item};
}

Windows::~Windows() {
  for (auto& window : windows_) release_block(device_, *window);
}

void Windows::add(const at::Tensor& t, bool write, bool overwrites) {
  const Span span = span_of(t);
  if (span.begin == span.end) return;
  parts_.push_back({span, static_cast<uint64_t>(t.element_size()), write, !(overwrites && t.is_non_overlapping_and_dense())});
}

size_t Windows::join() {
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.span.begin < b.span.begin; });
  uint64_t align = 1;
  const auto settle = [&] {  // the window's beginning, once all its views are known
    if (windows_.empty()) return;
    Window& window = *windows_.back();
    if (const uint64_t odd = window.begin % align; odd != 0) {
      window.begin -= odd;
      window.needed = true;
    }
  };
  for (const Part& part : parts_) {
    if (!windows_.empty() && part.span.begin <= windows_.back()->end + kNear) {
      Window& window = *windows_.back();
      window.written |= part.written;
      window.needed |= part.needed || part.span.begin > window.end;
      window.end = std::max(window.end, part.span.end);
      align = std::max(align, part.align);
      continue;
    }
    settle();
    windows_.push_back(std::make_unique<Window>());
    Window& window = *windows_.back();
    window.begin = part.span.begin;
    window.end = part.span.end;
    window.written = part.written;
    window.needed = part.needed;
    align = part.align;
  }
  settle();
  size_t bytes = 0;
  for (const auto& window : windows_) bytes += window->size();
  return bytes;
}

Window* Windows::of(const at::Tensor& t) const {
  const Span span = span_of(t);
  for (const auto& window : windows_)
    if (span.begin < span.end && span.begin >= window->begin && span.end <= window->end) return window.get();
  return nullptr;
}

}  // namespace torchfl
