// The unit tests' chip: two devices whose memory the host cannot touch, three f32 kernels, and faults on demand.
//
// Device memory is one memfd mapped twice: handles point into a PROT_NONE mapping, so that a stray host access
// faults on any thread, and only this library knows the readable one. The "vendor runtime" is this library itself: its
// fx_* functions are reached through the counting symbol table like any vendor's.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

#include "torchfl/chip.hpp"

#define FX_API extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t kSpace = size_t{1} << 32;  // address space; pages come as they are touched
constexpr int kDevices = 2;

char* forbidden = nullptr;  // what handles point into
char* readable = nullptr;   // the same bytes
std::mutex mutex;
size_t used = 4096;
std::map<void*, size_t> live;
std::multimap<size_t, void*> freed;
std::atomic<uint64_t> limit{uint64_t{1} << 40}, in_use{0}, workspace{0};
std::atomic<int> inits{0}, finalizes{0}, fail_copies{0}, held{0};
std::atomic<bool> holding{false};
thread_local int current = 0;

char* real(void* handle, uint64_t offset) { return readable + (static_cast<char*>(handle) - forbidden) + offset; }

}  // namespace

// The "vendor" functions and the tests' controls.

FX_API int fx_init() {
  std::lock_guard<std::mutex> lock(mutex);
  ++inits;
  if (forbidden != nullptr) return 0;
  const int file = memfd_create("fx-device", 0);
  if (file < 0 || ftruncate(file, kSpace) != 0) return 5;
  void* a = mmap(nullptr, kSpace, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  void* b = mmap(nullptr, kSpace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (a == MAP_FAILED || b == MAP_FAILED) return 5;
  forbidden = static_cast<char*>(a);
  readable = static_cast<char*>(b);
  return 0;
}

FX_API int fx_add(const void* a, const void* b, void* out, int64_t n) {
  auto *x = reinterpret_cast<const float*>(a), *y = reinterpret_cast<const float*>(b);
  auto* z = static_cast<float*>(out);
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
  return 0;
}

FX_API int fx_relu(const void* a, void* out, int64_t n) {
  auto* x = static_cast<const float*>(a);
  auto* z = static_cast<float*>(out);
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] > 0 ? x[i] : (x[i] == x[i] ? 0 : x[i]);
  return 0;
}

FX_API int fx_mm(const void* a, const void* b, void* out, int64_t m, int64_t n, int64_t k) {
  auto *x = static_cast<const float*>(a), *y = static_cast<const float*>(b);
  auto* z = static_cast<float*>(out);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += x[i * k + p] * y[p * n + j];
      z[i * n + j] = sum;
    }
  return 0;
}

FX_API void fx_set_memory_limit(uint64_t bytes) { limit = bytes; }
FX_API void fx_kernel_needs(uint64_t bytes) { workspace = bytes; }  // beside its tensors, for a moment
FX_API void fx_hold_relu(bool hold) { holding = hold; }               // while true, relu does not return
FX_API int fx_held() { return held; }                                 // threads that it keeps
FX_API void fx_fail_next_copies(int count) { fail_copies = count; }
FX_API uint64_t fx_bytes_in_use() { return in_use; }
FX_API void fx_double(void* address, int64_t n) {  // a function of the vendor's that an extension calls
  auto* x = reinterpret_cast<float*>(real(address, 0));
  for (int64_t i = 0; i < n; ++i) x[i] *= 2;
}
FX_API int fx_init_calls() { return inits; }
FX_API int fx_finalize_calls() { return finalizes; }
FX_API int fx_current_device() { return current; }

namespace {

using torchfl::Symbol;

tfl_symbol symbols[] = {
    {sizeof(tfl_symbol), 0, "fx_init", nullptr, 0}, {sizeof(tfl_symbol), 0, "fx_add", nullptr, 0},
    {sizeof(tfl_symbol), 0, "fx_relu", nullptr, 0}, {sizeof(tfl_symbol), 0, "fx_mm", nullptr, 0},
    {sizeof(tfl_symbol), 0, "fx_absent", nullptr, 0},
};
constexpr uint32_t kSymbols = sizeof symbols / sizeof symbols[0];
const Symbol<decltype(&fx_init)> init_symbol(&symbols[0], 0);
const Symbol<decltype(&fx_add)> add_symbol(&symbols[1], 0);
const Symbol<decltype(&fx_relu)> relu_symbol(&symbols[2], 0);
const Symbol<decltype(&fx_mm)> mm_symbol(&symbols[3], 0);
void* library = nullptr;

tfl_status open_runtime(const char* path) { return torchfl::open_library(path, &library, symbols, kSymbols); }

tfl_status init() {
  return torchfl::guard([] { return init_symbol() == 0 ? TFL_OK : torchfl::fail(TFL_DEVICE_ERROR, "fx_init failed"); });
}

tfl_status finalize() {
  ++finalizes;
  std::lock_guard<std::mutex> lock(mutex);
  return live.empty() ? TFL_OK : torchfl::fail(TFL_DEVICE_ERROR, "finalize() with live buffers");
}

tfl_status device_count(int32_t* count) {
  *count = kDevices;
  return TFL_OK;
}

tfl_status set_device(int32_t device) {
  if (device < 0 || device >= kDevices) return torchfl::fail(TFL_INVALID_ARGUMENT, "no such device");
  current = device;
  return TFL_OK;
}

tfl_status device_name(int32_t device, char* text, uint64_t size) {
  torchfl::copy_text(device == 0 ? "Fixture 0" : "Fixture 1", text, size);
  return TFL_OK;
}

tfl_status memory_info(int32_t, uint64_t* free_bytes, uint64_t* total_bytes) {
  *total_bytes = limit;
  *free_bytes = limit - in_use;
  return TFL_OK;
}

tfl_status alloc(int32_t, uint64_t bytes, void** handle) {
  std::lock_guard<std::mutex> lock(mutex);
  if (in_use + bytes > limit) return torchfl::fail(TFL_OUT_OF_MEMORY, "fixture limit reached");
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
  return TFL_OK;
}

tfl_status address(int32_t, void* handle, uint64_t offset, void** at) {
  *at = static_cast<char*>(handle) + offset;
  return TFL_OK;
}

tfl_status release(int32_t, void* handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto known = live.find(handle);
  if (known == live.end()) return torchfl::fail(TFL_INVALID_ARGUMENT, "not a buffer");
  freed.emplace(known->second, handle);
  in_use -= known->second;
  live.erase(known);
  return TFL_OK;
}

bool copy_fails() {
  int left = fail_copies;
  while (left > 0 && !fail_copies.compare_exchange_weak(left, left - 1)) {
  }
  return left > 0;
}

tfl_status copy_h2d(int32_t, void* dst, uint64_t offset, const void* src, uint64_t bytes, void*) {
  if (copy_fails()) return torchfl::fail(TFL_DEVICE_ERROR, "the fixture's bus broke");
  std::memcpy(real(dst, offset), src, bytes);
  return TFL_OK;
}

tfl_status copy_d2h(int32_t, void* dst, const void* src, uint64_t offset, uint64_t bytes, void*) {
  if (copy_fails()) return torchfl::fail(TFL_DEVICE_ERROR, "the fixture's bus broke");
  std::memcpy(dst, real(const_cast<void*>(src), offset), bytes);
  return TFL_OK;
}

tfl_status copy_d2d(int32_t, void* dst, uint64_t dst_offset, const void* src, uint64_t src_offset, uint64_t bytes, void*) {
  std::memcpy(real(dst, dst_offset), real(const_cast<void*>(src), src_offset), bytes);
  return TFL_OK;
}

tfl_status last_error(char* text, uint64_t size) {
  torchfl::copy_text(torchfl::error_text().c_str(), text, size);
  return TFL_OK;
}

void* bytes_of(const tfl_tensor& t) { return t.handle == nullptr ? nullptr : real(t.handle, t.byte_offset); }

tfl_status add(const tfl_call* call) {
  return torchfl::guard([&] {
    const tfl_tensor *in = call->inputs, &out = call->outputs[0];
    if (in[0].dtype != TFL_F32 || torchfl::number(call->attrs[0], 1) != 1) return tfl_status{TFL_UNSUPPORTED};
    add_symbol(bytes_of(in[0]), bytes_of(in[1]), bytes_of(out), out.numel);
    return tfl_status{TFL_OK};
  });
}

tfl_status relu(const tfl_call* call) {
  return torchfl::guard([&] {
    const tfl_tensor &in = call->inputs[0], &out = call->outputs[0];
    if (in.dtype != TFL_F32) return tfl_status{TFL_UNSUPPORTED};
    if (workspace != 0 && in_use + workspace > limit) return torchfl::fail(TFL_OUT_OF_MEMORY, "no workspace");
    relu_symbol(bytes_of(in), bytes_of(out), out.numel);
    for (++held; holding;) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --held;
    return tfl_status{TFL_OK};
  });
}

tfl_status mm(const tfl_call* call) {
  return torchfl::guard([&] {
    const tfl_tensor &a = call->inputs[0], &b = call->inputs[1], &out = call->outputs[0];
    if (a.dtype != TFL_F32) return tfl_status{TFL_UNSUPPORTED};
    mm_symbol(bytes_of(a), bytes_of(b), bytes_of(out), out.sizes[0], out.sizes[1], a.sizes[1]);
    return tfl_status{TFL_OK};
  });
}

const uint32_t add_symbols[] = {1}, relu_symbols[] = {2}, mm_symbols[] = {3};
const tfl_kernel kernels[] = {
    {sizeof(tfl_kernel), TFL_KERNEL_INPLACE, "fx_add", "aten::add", &add, add_symbols, 1},
    {sizeof(tfl_kernel), TFL_KERNEL_INPLACE, "fx_relu", "aten::relu", &relu, relu_symbols, 1},
    {sizeof(tfl_kernel), 0, "fx_mm", "aten::mm", &mm, mm_symbols, 1},
};

tfl_device_api make_api() {
  tfl_device_api api{};
  api.struct_size = sizeof api;
  api.open = &open_runtime;
  api.init = &init;
  api.finalize = &finalize;
  api.device_count = &device_count;
  api.set_device = &set_device;
  api.device_name = &device_name;
  api.memory_info = &memory_info;
  api.alloc = &alloc;
  api.free = &release;
  api.copy_h2d = &copy_h2d;
  api.copy_d2h = &copy_d2h;
  api.copy_d2d = &copy_d2d;
  api.last_error = &last_error;
  api.address = &address;
  return api;
}

}  // namespace

FX_API const tfl_chip* torchfl_chip_v1() {
  static const tfl_device_api api = make_api();
  static const tfl_chip chip = {sizeof(tfl_chip), TFL_ABI_MAJOR, TFL_ABI_MINOR, 3,     kSymbols,
                                "fx",             "",            &api,          kernels, symbols};
  return &chip;
}
