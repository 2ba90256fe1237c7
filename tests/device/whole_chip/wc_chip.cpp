// A chip that serves every op of the catalogue, by PyTorch itself: each kernel hands its call to the test's process.
//
// What a test sees is therefore the router alone: which calls it lets through, and how it packs them. KERNELS is made
// from the catalogue: one line per op.
#include "../router_chip/rt_memory.h"

#define WC_API extern "C" __attribute__((visibility("default")))

using Serve = int32_t (*)(int32_t op, const tfl_call* call);
static Serve serve = nullptr;

WC_API void wc_serve(Serve function) { serve = function; }
WC_API void* wc_real(void* handle, uint64_t offset) { return rt::real(handle, offset); }
WC_API int wc_launch() { return 0; }

namespace {

template <int Op>
tfl_status run(const tfl_call* call) {
  return serve != nullptr ? serve(Op, call) : torchfl::fail(TFL_INTERNAL, "no test serves the kernels");
}

tfl_symbol symbols[] = {{sizeof(tfl_symbol), 0, "wc_launch", nullptr, 0}};
void* library = nullptr;
const uint32_t launch_symbol[] = {0};

#define WC_KERNEL(number, op) {sizeof(tfl_kernel), 0, "wc_" #number, op, &run<number>, launch_symbol, 1},
const tfl_kernel kernels[] = {KERNELS};

tfl_device_api make_api() {
  tfl_device_api api{};
  api.struct_size = sizeof api;
  api.open = [](const char* path) { return torchfl::open_library(path, &library, symbols, 1); };
  api.init = [] { return rt::map_memory(); };
  api.device_count = [](int32_t* count) {
    *count = 1;
    return tfl_status{TFL_OK};
  };
  api.set_device = [](int32_t) { return tfl_status{TFL_OK}; };
  api.alloc = &rt::alloc;
  api.free = &rt::release;
  api.copy_h2d = &rt::copy_h2d;
  api.copy_d2h = &rt::copy_d2h;
  api.copy_d2d = &rt::copy_d2d;
  api.last_error = [](char* text, uint64_t size) {
    torchfl::copy_text(torchfl::error_text().c_str(), text, size);
    return tfl_status{TFL_OK};
  };
  return api;
}

}  // namespace

WC_API const tfl_chip* torchfl_chip_v1() {
  static const tfl_device_api api = make_api();
  static const tfl_chip chip = {sizeof(tfl_chip), TFL_ABI_MAJOR, TFL_ABI_MINOR, sizeof kernels / sizeof kernels[0],
                                1,                "wc",          "",            &api,
                                kernels,          symbols};
  return &chip;
}
