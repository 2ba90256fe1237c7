/*
 * Copyright (c) 2022-2025 Brexa Microsystems. All rights reserved.
 *
 * Licensed under the Brexa Software License, Version 1.1. You may not use this
 * file except in compliance with the License.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#define BRX_RT_VERSION_MAJOR 2
#define BRX_RT_VERSION_MINOR 8

namespace brx {

/// Result of every call in this SDK.
enum class errc : int {
  success = 0,
  invalid_argument = 1,
  out_of_memory = 2,
  no_device = 3,
  launch_failure = 7,
  not_supported = 11,
  timeout = 12,
};

namespace rt {

struct stream_impl;
struct event_impl;
using stream_t = stream_impl*;
using event_t = event_impl*;

/// Direction of a transfer. The values are those of the DMA engine.
enum class direction : unsigned {
  to_device = 1,
  to_host = 2,
  on_device = 4,
};

struct device_props {
  char name[128];
  std::uint64_t hbm_bytes;
  std::uint32_t cores;
  std::uint32_t clock_mhz;
};

const char* message(errc code) noexcept;

errc device_count(int* count);
errc use_device(int index);
errc current_device(int* index);
errc properties(int index, device_props& props);
/// Blocks until all streams of the current device are idle.
errc wait_device();

/// Allocates HBM. Addresses are aligned to 512 bytes.
errc malloc(void** address, std::size_t bytes);
errc free(void* address);
errc malloc_pinned(void** address, std::size_t bytes);
errc free_pinned(void* address);
errc mem_info(std::size_t& available, std::size_t& total);

template <typename T>
inline errc malloc(T** address, std::size_t count) {
  return malloc(reinterpret_cast<void**>(address), count * sizeof(T));
}

/// Synchronous copy.
errc copy(void* to, const void* from, std::size_t bytes, direction dir);
/// Returns before the data is there; host memory must be pinned.
errc copy(void* to, const void* from, std::size_t bytes, direction dir, stream_t stream);
errc copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
             direction dir, stream_t stream);
errc fill_bytes(void* address, std::uint8_t value, std::size_t bytes, stream_t stream);

errc make_stream(stream_t* stream, int priority = 0);
errc drop_stream(stream_t stream);
errc wait_stream(stream_t stream);
bool idle(stream_t stream);

errc make_event(event_t* event, bool timing = false);
errc drop_event(event_t event);
errc record(event_t event, stream_t stream);
errc wait_event(event_t event);
/// Lets the work that follows in @p stream wait for @p event
errc depend(stream_t stream, event_t event);
errc elapsed(float* milliseconds, event_t first, event_t last);

}  // namespace rt
}  // namespace brx
