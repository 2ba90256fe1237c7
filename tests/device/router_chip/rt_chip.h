// What the tests' chips over this memory share: their device functions, and how they say what they have.
#pragma once

#include "rt_memory.h"

#define RT_API extern "C" __attribute__((visibility("default")))

namespace rt {

// The functions that every one of them has. `Symbols`: the array of the vendor's functions, which are in the chip library.
template <auto& Symbols, int32_t Devices>
tfl_device_api device_api() {
  static void* library = nullptr;
  tfl_device_api api{};
  api.struct_size = sizeof api;
  api.open = [](const char* path) { return torchfl::open_library(path, &library, Symbols, std::size(Symbols)); };
  api.init = &map_memory;
  api.device_count = [](int32_t* count) {
    *count = Devices;
    return tfl_status{TFL_OK};
  };
  api.alloc = &alloc;
  api.free = &release;
  api.copy_h2d = &copy_h2d;
  api.copy_d2h = &copy_d2h;
  api.copy_d2d = &copy_d2d;
  api.last_error = [](char* text, uint64_t size) {
    torchfl::copy_text(torchfl::error_text().c_str(), text, size);
    return tfl_status{TFL_OK};
  };
  return api;
}

// All that is referred to lives as long as the library.
template <size_t Kernels, size_t Symbols>
tfl_chip chip(const char* name, const tfl_device_api& api, const tfl_kernel (&kernels)[Kernels], tfl_symbol (&symbols)[Symbols]) {
  return {sizeof(tfl_chip), TFL_ABI_MAJOR, TFL_ABI_MINOR, Kernels, Symbols, name, "", &api, kernels, symbols};
}

}  // namespace rt
