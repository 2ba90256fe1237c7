// Device memory that the host cannot touch: one memfd mapped twice. Handles point into the forbidden mapping.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#include "torchfl/chip.hpp"

namespace rt {

constexpr size_t kSpace = size_t{1} << 33;
inline char *forbidden = nullptr, *readable = nullptr;
inline std::mutex mutex;
inline size_t used = 4096;
inline uint64_t limit = kSpace, in_use = 0;  // of the tests; mapped host memory counts
inline std::multimap<size_t, void*> freed;
inline std::map<void*, size_t> live;

inline tfl_status map_memory() {
  if (forbidden != nullptr) return TFL_OK;
  const int file = memfd_create("rt-device", 0);
  if (file < 0 || ftruncate(file, kSpace) != 0) return torchfl::fail(TFL_DEVICE_ERROR, "memfd");
  void* a = mmap(nullptr, kSpace, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  void* b = mmap(nullptr, kSpace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (a == MAP_FAILED || b == MAP_FAILED) return torchfl::fail(TFL_DEVICE_ERROR, "mmap");
  forbidden = static_cast<char*>(a);
  readable = static_cast<char*>(b);
  return TFL_OK;
}

template <class T = char>
T* real(const void* handle, uint64_t offset) {
  const auto from = reinterpret_cast<uintptr_t>(handle) - reinterpret_cast<uintptr_t>(forbidden);
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(readable) + from + offset);
}

template <class T>
T* at(const tfl_tensor& t) {
  return real<T>(t.handle, t.byte_offset);
}

inline tfl_status alloc(int32_t, uint64_t bytes, void** handle) {
  std::lock_guard<std::mutex> lock(mutex);
  if (in_use + bytes > limit) return torchfl::fail(TFL_OUT_OF_MEMORY, "limit reached");
  auto known = freed.find(bytes);
  if (known != freed.end()) {
    *handle = known->second;
    freed.erase(known);
  } else {
    if (used + bytes > kSpace) return torchfl::fail(TFL_OUT_OF_MEMORY, "address space used up");
    *handle = forbidden + used;
    used += (bytes + 63) & ~uint64_t{63};
  }
  live[*handle] = bytes;
  in_use += bytes;
  std::memset(real(*handle, 0), 0xA5, bytes);  // poison: what a kernel forgets to write shows
  return TFL_OK;
}

inline tfl_status release(int32_t, void* handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto known = live.find(handle);
  if (known == live.end()) return torchfl::fail(TFL_INVALID_ARGUMENT, "not a buffer");
  freed.emplace(known->second, handle);
  in_use -= known->second;
  live.erase(known);
  return TFL_OK;
}

inline tfl_status copy_h2d(int32_t, void* dst, uint64_t offset, const void* src, uint64_t bytes, void*) {
  std::memcpy(real(dst, offset), src, bytes);
  return TFL_OK;
}

inline tfl_status copy_d2h(int32_t, void* dst, const void* src, uint64_t offset, uint64_t bytes, void*) {
  std::memcpy(dst, real(src, offset), bytes);
  return TFL_OK;
}

inline tfl_status fill(int32_t, void* dst, uint64_t offset, int32_t byte, uint64_t bytes, void*) {
  std::memset(real(dst, offset), byte, bytes);
  return TFL_OK;
}

inline tfl_status copy_d2d(int32_t, void* dst, uint64_t dst_offset, const void* src, uint64_t src_offset,
                           uint64_t bytes, void*) {
  std::memcpy(real(dst, dst_offset), real(src, src_offset), bytes);
  return TFL_OK;
}

// The device reaches host memory as it does its own: by a handle that is as far from it as `forbidden` is from `readable`.
inline tfl_status map_host(int32_t, void* host, uint64_t bytes, void** handle) {
  std::lock_guard<std::mutex> lock(mutex);
  if (in_use + bytes > limit) return torchfl::fail(TFL_OUT_OF_MEMORY, "limit reached");
  const auto distance = reinterpret_cast<uintptr_t>(forbidden) - reinterpret_cast<uintptr_t>(readable);
  *handle = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(host) + distance);
  live[*handle] = bytes;
  in_use += bytes;
  return TFL_OK;
}

inline tfl_status unmap_host(int32_t, void*, void* handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto known = live.find(handle);
  if (known == live.end()) return torchfl::fail(TFL_INVALID_ARGUMENT, "not mapped");
  in_use -= known->second;
  live.erase(known);
  return TFL_OK;
}

}  // namespace rt
