// A loaded chip library, and the map from PyTorch's device indices to chips.
//
// Chips are loaded by init() without any driver call. The first use of the device opens and initialises every
// loaded chip (in the order of their selectors) and gives each one a consecutive range of device indices. After
// a fork whose parent had done that, every function here that needs the driver raises: vendor runtimes do not
// survive a fork.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "torchfl/chip.h"

namespace torchfl {

// A status other than OK, UNSUPPORTED, OUT_OF_MEMORY and NOT_READY, as torch.AcceleratorError in Python.
// error_code is the tfl_status.
class ChipError : public c10::AcceleratorError {
 public:
  ChipError(c10::SourceLocation where, tfl_status status, std::string message)
      : c10::AcceleratorError(where, status, std::move(message)) {}
};

namespace detail {
// 0: the driver has not been used; 1: ready; 2: forked from a process that had used it.
extern std::atomic<int> driver_state;
void start_devices();
}  // namespace detail

// The name of a status: "OK", "UNSUPPORTED", "OUT_OF_MEMORY"...
const char* status_name(tfl_status status) noexcept;

class Chip {
 public:
  // dlopens the chip library (RTLD_LOCAL) and checks its version, struct sizes and required functions.
  // Throws std::runtime_error that names the library and what is wrong with it. No driver call.
  // `runtime_so` is the vendor's library, given to the chip's open(); `runtime_so_error` is why it is not known
  // (an unset environment variable), reported at first use.
  // `mapped`: the device uses host memory in place (`memory.mode: mapped`), which needs the library's map_host().
  Chip(std::string selector, std::string library, std::string runtime_so, std::string runtime_so_error, bool mapped);
  Chip(const Chip&) = delete;
  Chip& operator=(const Chip&) = delete;

  const std::string& selector() const { return selector_; }
  const std::string& library() const { return library_; }
  const tfl_chip* abi() const { return abi_; }

  // Every device function of this core's version; NULL where the library has none.
  const tfl_device_api& api() const { return api_; }

  // The kernel table, copied into this core's struct version. Pointers stay valid for the process.
  const std::vector<tfl_kernel>& kernels() const { return kernels_; }
  const tfl_kernel* find_kernel(const std::string& name) const;  // nullptr where there is none

  // The vendor symbols, in place (their members are accessed with relaxed atomics).
  uint32_t num_symbols() const { return abi_->num_symbols; }
  tfl_symbol* symbol(uint32_t index) const;

  // Whether storages live in host memory that is mapped for the device.
  bool mapped() const { return mapped_; }

  // The dtypes that some bound kernel computes in; set while ops are bound.
  bool computes(c10::ScalarType dtype) const { return dtypes_ >> static_cast<int>(dtype) & 1u; }
  void add_dtype(c10::ScalarType dtype) { dtypes_ |= uint64_t{1} << static_cast<int>(dtype); }

  // Valid after the driver has been initialised (see ensure_devices); 0 and 0 before, and for a chip that failed.
  int first_device() const { return first_device_; }
  int device_count() const { return device_count_; }

  // Opens and initialises the vendor's runtime and counts its devices, once per process. Throws the first
  // failure again on every later call.
  void ensure_init();

  // The text of a failed ensure_init(), or "".
  const std::string& init_error() const { return init_error_; }

  // Calls finalize() and close() if ensure_init() had succeeded. The library itself stays loaded.
  void finalize() noexcept;

  // Throws unless `status` is OK: c10::OutOfMemoryError for OUT_OF_MEMORY, ChipError otherwise (also for
  // UNSUPPORTED and NOT_READY, so test for those first). `what` is the call, e.g. "synchronize".
  void check(tfl_status status, const char* what) const {
    if (C10_UNLIKELY(status != TFL_OK)) raise(status, what);
  }
  [[noreturn]] void raise(tfl_status status, const std::string& what) const;

  // The calling thread's last vendor error text, or "".
  std::string last_error() const;

 private:
  friend void detail::start_devices();
  void load();
  void start();  // open, init, device_count

  const std::string selector_, library_, runtime_so_, runtime_so_error_;
  const bool mapped_;
  uint64_t dtypes_ = 0;
  const tfl_chip* abi_ = nullptr;
  tfl_device_api api_{};
  std::vector<tfl_kernel> kernels_;
  int first_device_ = 0, device_count_ = 0;
  bool started_ = false;
  std::string init_error_;
};

// Initialises every loaded chip on the first call (a chip that fails keeps its error and gets no index; the
// others work) and raises after such a fork. One relaxed load once ready: call it at the top of every op.
inline void ensure_devices() {
  if (C10_UNLIKELY(detail::driver_state.load(std::memory_order_acquire) != 1)) detail::start_devices();
}

// True in a child of a process that had used the device. Never calls the driver.
inline bool in_bad_fork() noexcept { return detail::driver_state.load(std::memory_order_relaxed) == 2; }

// True once the driver has been initialised in this process.
inline bool devices_started() noexcept { return detail::driver_state.load(std::memory_order_relaxed) == 1; }

// The same at any time before, shutdowns since included: device tensors may exist.
bool devices_ever_started() noexcept;

// All loaded chips, sorted by selector. No driver call.
const std::vector<Chip*>& chips();
Chip* find_chip(const std::string& selector);  // nullptr where there is none

// The chip behind a device index; throws for an index that no chip has. Calls ensure_devices().
Chip& chip_of(c10::DeviceIndex index);

// Throws for an index that no chip has. Starts the driver to know, save for the first device, which every caller may name.
void check_index(c10::DeviceIndex index);

// The chip's own index (tfl_tensor.device, tfl_call.device) of a device index.
int32_t local_index(c10::DeviceIndex index);

// Devices of all chips together. Starts the driver; throws only after a fork.
c10::DeviceIndex device_count();

// The calling thread's current device index, and its change. set_current_device() throws for an index that no
// chip has and makes the chip's device current in its runtime too.
c10::DeviceIndex current_device() noexcept;
void set_current_device(c10::DeviceIndex index);

// Waits for all work on a device.
void synchronize(c10::DeviceIndex index);

// Free and total bytes of a device; throws where the chip cannot tell.
std::pair<uint64_t, uint64_t> memory_info(c10::DeviceIndex index);

// The device's name, or the chip's selector where the driver has none.
std::string device_name(c10::DeviceIndex index);

// `index` itself, or the current device for -1.
inline c10::DeviceIndex resolve_index(c10::DeviceIndex index) { return index < 0 ? current_device() : index; }

// Selects local device `index` of `chip` for the calling thread; a no-op where the runtime has no set_device().
void make_current(const Chip& chip, int32_t local);

// True from the moment the interpreter or process begins to exit: device memory is then left to the system.
bool exiting() noexcept;
void begin_exit() noexcept;

}  // namespace torchfl
