// Reserved address space that names device storages: unique among the living, and never mapped.
#pragma once

#include <cstddef>

namespace torchfl {

// `nbytes` > 0. Throws std::bad_alloc when the reserved space is used up.
void* reserve_address(size_t nbytes);
void return_address(void* address, size_t nbytes) noexcept;

// True for an address inside the reserved space.
bool is_reserved_address(const void* address) noexcept;

}  // namespace torchfl
