// Host memory for DataLoader's pin_memory: page-aligned, known by address. No driver is involved, so that pinning
// works before the first device use and in processes that never use it.
#pragma once

#include <ATen/core/CachingHostAllocator.h>

namespace torchfl {

at::HostAllocator* pinned_allocator() noexcept;
bool is_pinned(const void* address) noexcept;

}  // namespace torchfl
