// The set of loaded chips: who may change it, and when. Reading goes through chip.h.
#pragma once

#include <string>

#include "device/chip.h"

namespace torchfl {

// Loads a chip library and adds it. Throws std::runtime_error: the library's fault, a selector that is loaded
// already from another library, or devices that are in use (their indices could not stay).
Chip& add_chip(
    const std::string& selector, const std::string& library, const std::string& runtime_so, const std::string& runtime_so_error,
    bool mapped);

// Finalises every driver and forgets the chips. No block of device memory may be alive (see release_all_boxes).
void remove_chips();

}  // namespace torchfl
