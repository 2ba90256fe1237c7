// A chip that serves every op of the catalogue, by PyTorch itself: each kernel hands its call to the test's process.
//
// What a test sees is therefore the router alone: which calls it lets through, and how it packs them. KERNELS is made
// from the catalogue: one line per op.
#include "../router_chip/rt_chip.h"

using Serve = int32_t (*)(int32_t op, const tfl_call* call);
static Serve serve = nullptr;

RT_API void wc_serve(Serve function) { serve = function; }
RT_API void* wc_real(void* handle, uint64_t offset) { return rt::real(handle, offset); }
RT_API int wc_launch() { return 0; }

namespace {

template <int Op>
tfl_status run(const tfl_call* call) {
  return serve != nullptr ? serve(Op, call) : torchfl::fail(TFL_INTERNAL, "no test serves the kernels");
}

tfl_symbol symbols[] = {{sizeof(tfl_symbol), 0, "wc_launch", nullptr, 0}};
const uint32_t launch_symbol[] = {0};

#define WC_KERNEL(number, op) {sizeof(tfl_kernel), 0, "wc_" #number, op, &run<number>, launch_symbol, 1},
const tfl_kernel kernels[] = {KERNELS};

tfl_device_api make_api() {
  tfl_device_api api = rt::device_api<symbols, 1>();
  api.set_device = [](int32_t) { return tfl_status{TFL_OK}; };
  return api;
}

}  // namespace

RT_API const tfl_chip* torchfl_chip_v1() {
  static const tfl_device_api api = make_api();
  static const tfl_chip chip = rt::chip("wc", api, kernels, symbols);
  return &chip;
}
