// One chip library: loading and checking it, starting its driver, turning its statuses into exceptions.
#include "device/chip.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>
#include <unordered_set>

extern "C" {
extern const uint32_t tfl_v1_chip_size, tfl_v1_device_api_size, tfl_v1_kernel_size, tfl_v1_symbol_size;
}

namespace torchfl {
namespace {

[[noreturn]] void refuse(const std::string& library, const std::string& why) {
  throw std::runtime_error(library + ": " + why);
}

void need_size(const std::string& library, const char* what, uint32_t size, uint32_t least) {
  if (size < least)
    refuse(library, std::string(what) + " says it has " + std::to_string(size) + " bytes, version 1.0 has " +
                        std::to_string(least) + "; build the chip again with torchfl-build");
}

void* open_library(const std::string& library, const std::string& path) {
  dlerror();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    refuse(library, std::string("cannot be loaded: ") + (why ? why : "dlopen failed"));
  }
  return handle;
}

// The dynamic loader gives every caller the same instance of a file; a file of its own in memory has one of its own. Its
// descriptor stays open: the loader knows libraries by their names, and the next descriptor may get the same number.
void* open_copy(const std::string& library) {
  const int from = open(library.c_str(), O_RDONLY | O_CLOEXEC);
  const int to = memfd_create("torchfl-chip", MFD_CLOEXEC);
  struct stat info{};
  bool copied = from >= 0 && to >= 0 && fstat(from, &info) == 0;
  for (off_t at = 0; copied && at < info.st_size;) copied = sendfile(to, from, &at, static_cast<size_t>(info.st_size - at)) > 0;
  if (from >= 0) close(from);
  if (!copied) refuse(library, "cannot be loaded a second time, for another chip: " + std::string(std::strerror(errno)));
  return open_library(library, "/proc/self/fd/" + std::to_string(to));
}

// Two chips may name one library (a profile that extends another's does), and each counts calls and switches symbols of its
// own. An instance stays loaded, and with its selector: its tables are referred to for the life of the process.
void* instance_of(const std::string& library, const std::string& selector) {
  using File = std::pair<dev_t, ino_t>;
  static auto* instances = new std::map<File, std::map<std::string, void*>>;  // under the registry's lock
  struct stat info{};
  if (stat(library.c_str(), &info) != 0) return open_library(library, library);  // which says what is wrong
  auto& known = (*instances)[{info.st_dev, info.st_ino}];
  const auto found = known.find(selector);
  if (found != known.end()) return found->second;
  return known[selector] = known.empty() ? open_library(library, library) : open_copy(library);
}

}  // namespace

const char* status_name(tfl_status status) noexcept {
  switch (status) {
    case TFL_OK: return "OK";
    case TFL_UNSUPPORTED: return "UNSUPPORTED";
    case TFL_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case TFL_NOT_READY: return "NOT_READY";
    case TFL_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case TFL_DEVICE_ERROR: return "DEVICE_ERROR";
    case TFL_NO_DRIVER: return "NO_DRIVER";
    case TFL_MISSING_SYMBOL: return "MISSING_SYMBOL";
    case TFL_INTERNAL: return "INTERNAL";
    default: return "UNKNOWN_STATUS";
  }
}

Chip::Chip(std::string selector, std::string library, std::string runtime_so, std::string runtime_so_error, bool mapped)
    : selector_(std::move(selector)),
      library_(std::move(library)),
      runtime_so_(std::move(runtime_so)),
      runtime_so_error_(std::move(runtime_so_error)),
      mapped_(mapped) {
  load();
}

void Chip::load() {
  void* handle = instance_of(library_, selector_);
  auto entry = reinterpret_cast<tfl_chip_v1_fn>(dlsym(handle, "torchfl_chip_v1"));
  if (entry == nullptr) refuse(library_, "exports no torchfl_chip_v1(); it is not a torchfl chip library of version 1");
  abi_ = entry();
  if (abi_ == nullptr) refuse(library_, "torchfl_chip_v1() returned NULL");
  if (abi_->struct_size < offsetof(tfl_chip, abi_minor)) refuse(library_, "tfl_chip.struct_size is not set");
  if (abi_->abi_major != TFL_ABI_MAJOR)
    refuse(library_, "speaks chip ABI " + std::to_string(abi_->abi_major) + ", this core speaks " +
                         std::to_string(TFL_ABI_MAJOR) + "; build the chip again with torchfl-build");
  need_size(library_, "tfl_chip", abi_->struct_size, tfl_v1_chip_size);

  if (abi_->device == nullptr) refuse(library_, "has no device functions (tfl_chip.device is NULL)");
  need_size(library_, "tfl_device_api", abi_->device->struct_size, tfl_v1_device_api_size);
  std::memcpy(&api_, abi_->device, std::min<size_t>(sizeof api_, abi_->device->struct_size));
  std::string missing;
#define TFL_NEED_REQUIRED(name) \
  if (api_.name == nullptr) missing += std::string(missing.empty() ? "" : ", ") + #name;
#define TFL_NEED_OPTIONAL(name)
#define TFL_ENTRY(need, name, params, doc) TFL_NEED_##need(name)
#include "torchfl/entry_points.def"
#undef TFL_ENTRY
#undef TFL_NEED_OPTIONAL
#undef TFL_NEED_REQUIRED
  if (!missing.empty()) refuse(library_, "lacks required device functions: " + missing);
  if (mapped_ && api_.map_host == nullptr)
    refuse(library_, "has no map_host(), which the profile's `memory.mode: mapped` needs");

  if (abi_->num_kernels != 0) {
    if (abi_->kernels == nullptr) refuse(library_, "counts kernels but has no kernel table");
    const uint32_t stride = abi_->kernels->struct_size;
    need_size(library_, "tfl_kernel", stride, tfl_v1_kernel_size);
    std::unordered_set<std::string> names;
    const char* row = reinterpret_cast<const char*>(abi_->kernels);
    for (uint32_t i = 0; i < abi_->num_kernels; ++i, row += stride) {
      tfl_kernel kernel{};
      std::memcpy(&kernel, row, std::min<size_t>(sizeof kernel, stride));
      if (kernel.name == nullptr || kernel.op == nullptr || kernel.run == nullptr)
        refuse(library_, "kernel " + std::to_string(i) + " lacks a name, an op or a function");
      if (!names.insert(kernel.name).second) refuse(library_, std::string("two kernels are called ") + kernel.name);
      for (uint32_t s = 0; s < kernel.num_symbols; ++s)
        if (kernel.symbols[s] >= abi_->num_symbols)
          refuse(library_, std::string("kernel ") + kernel.name + " names a symbol outside the symbol table");
      kernels_.push_back(kernel);
    }
  }
  if (abi_->num_symbols != 0) {
    if (abi_->symbols == nullptr) refuse(library_, "counts symbols but has no symbol table");
    need_size(library_, "tfl_symbol", abi_->symbols->struct_size, tfl_v1_symbol_size);
  }
}

const tfl_kernel* Chip::find_kernel(const std::string& name) const {
  for (const auto& kernel : kernels_)
    if (name == kernel.name) return &kernel;
  return nullptr;
}

tfl_symbol* Chip::symbol(uint32_t index) const {
  return reinterpret_cast<tfl_symbol*>(reinterpret_cast<char*>(abi_->symbols) +
                                       size_t{index} * abi_->symbols->struct_size);
}

std::string Chip::last_error() const {
  if (api_.last_error == nullptr) return "";
  char text[1024] = {0};
  if (api_.last_error(text, sizeof text) != TFL_OK) return "";
  text[sizeof text - 1] = 0;
  return text;
}

void Chip::raise(tfl_status status, const std::string& what) const {
  const std::string vendor = last_error();
  std::string message = selector_ + ": " + what + " failed: " + status_name(status);
  if (!vendor.empty()) message += ": " + vendor;
  const c10::SourceLocation where{__func__, __FILE__, static_cast<uint32_t>(__LINE__)};
  if (status == TFL_OUT_OF_MEMORY) throw c10::OutOfMemoryError(where, std::move(message));
  throw ChipError(where, status, std::move(message));
}

void Chip::ensure_init() {
  ensure_devices();
  TORCH_CHECK(started_, init_error_);
}

void Chip::start() {
  if (!runtime_so_error_.empty()) throw std::runtime_error(selector_ + ": " + runtime_so_error_);
  tfl_status status = api_.open(runtime_so_.c_str());
  if (status != TFL_OK) {
    const std::string why = last_error();
    std::string libraries = runtime_so_;
    std::replace(libraries.begin(), libraries.end(), '\n', ' ');
    throw std::runtime_error(selector_ + ": failed to load " + libraries + ": " +
                             (why.empty() ? status_name(status) : why) +
                             "; `torchfl doctor` and `ldd " + libraries + "` say more");
  }
  check(api_.init(), "initialising the driver");
  int32_t count = 0;
  check(api_.device_count(&count), "counting devices");
  if (count <= 0) throw std::runtime_error(selector_ + ": the driver found no device");
  device_count_ = count;
  started_ = true;
}

void Chip::finalize() noexcept {
  if (!started_) return;
  if (api_.finalize != nullptr) api_.finalize();
  if (api_.close != nullptr) api_.close();
  started_ = false;
  first_device_ = device_count_ = 0;
}

}  // namespace torchfl
