// What a tensor has given up while another thread's op may still use it: kept until that op has ended.
//
// An op into a new output reads the storages of its inputs and their device sides without a lock. Resizing a storage, or
// giving a tensor another one, must not pull them from under it.
#pragma once

#include <c10/core/Storage.h>

#include "memory/pool.h"

namespace torchfl {

// Like release_block(), for a block that may be in use. The owner's `valid` says already that it has no device side.
void retire_block(c10::DeviceIndex device, BlockOwner& owner) noexcept;
// A storage that no tensor shows any more, as far as the caller knows.
void retire_storage(c10::Storage storage) noexcept;

// Frees what no op can be using any more.
void release_retired() noexcept;

}  // namespace torchfl
