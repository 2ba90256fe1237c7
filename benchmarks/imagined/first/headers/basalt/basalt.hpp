// basalt runtime, C++ interface                                          -*- C++ -*-
//
// An imagined vendor's header.
//
// Objects are cheap handles: copying one does not copy the thing. All errors are thrown as basalt::Error.

#ifndef BASALT_HPP
#define BASALT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if __cplusplus >= 202002L
#define BASALT_NODISCARD [[nodiscard]]
#else
#define BASALT_NODISCARD
#endif

namespace basalt {

inline namespace v3 {

enum class Errc : int {
  ok = 0,
  no_driver,
  no_device,
  out_of_memory,
  bad_argument,
  bad_image,
  timed_out,
  device_fault,
};

class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& what) : std::runtime_error(what), code_(code) {}
  Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

/// Where the two sides of a copy are.
enum class Dir { host_to_device, device_to_host, device_to_device, automatic };

struct Properties {
  std::string name;
  std::string uuid;
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_units = 0;
  std::uint32_t warp = 32;
  std::uint32_t max_threads = 1024;
  std::pair<int, int> capability{};
};

namespace platform {

void start();                       ///< once a process; later calls do nothing
void stop() noexcept;
BASALT_NODISCARD int device_count();
BASALT_NODISCARD Properties properties(int device);
void use_device(int device);        ///< for the calling thread
BASALT_NODISCARD int current_device();
void synchronize();                 ///< everything of the current device
BASALT_NODISCARD std::string driver_version();

}  // namespace platform

class Event;

class Stream {
 public:
  enum Priority { low = -1, normal = 0, high = 1 };

  BASALT_NODISCARD static Stream create(Priority priority = normal);
  BASALT_NODISCARD static Stream default_stream();
  void destroy();
  void synchronize() const;
  BASALT_NODISCARD bool done() const;
  void wait_for(const Event& event);
  void host_call(std::function<void()> fn);
  BASALT_NODISCARD void* raw() const noexcept;

 private:
  std::shared_ptr<struct StreamState> state_;
};

class Event {
 public:
  BASALT_NODISCARD static Event create(bool timing = true);
  void destroy();
  void record(Stream& stream);
  void synchronize() const;
  BASALT_NODISCARD bool done() const;
  BASALT_NODISCARD static std::chrono::duration<double, std::milli> between(const Event& first, const Event& second);

 private:
  std::shared_ptr<struct EventState> state_;
};

namespace memory {

BASALT_NODISCARD void* allocate(std::size_t bytes);
BASALT_NODISCARD void* allocate_on(int device, std::size_t bytes, std::size_t alignment);
void deallocate(void* pointer);
BASALT_NODISCARD void* allocate_pinned(std::size_t bytes);
void deallocate_pinned(void* pointer);
void copy(void* to, const void* from, std::size_t bytes, Dir dir = Dir::automatic);
void copy_async(void* to, const void* from, std::size_t bytes, Dir dir, Stream& stream);
void copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
             std::size_t height, Dir dir);
void set(void* pointer, int byte, std::size_t bytes);
void set_async(void* pointer, int byte, std::size_t bytes, Stream& stream);
struct Usage {
  std::size_t free;
  std::size_t total;
};
BASALT_NODISCARD Usage usage();
BASALT_NODISCARD bool is_device_pointer(const void* pointer);

/// A pool that keeps what was given back.
class Pool {
 public:
  explicit Pool(std::size_t reserve);
  ~Pool();
  BASALT_NODISCARD void* take(std::size_t bytes, Stream& stream);
  void give(void* pointer, Stream& stream);
  void trim(std::size_t keep);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace memory

class Kernel {
 public:
  struct Extent {
    std::uint32_t x = 1, y = 1, z = 1;
  };
  void launch(Stream& stream, Extent grid, Extent block, std::size_t shared, void** arguments);
  template <typename... Args>
  void operator()(Stream& stream, Extent grid, Extent block, Args... args) {
    void* list[] = {static_cast<void*>(&args)..., nullptr};
    launch(stream, grid, block, 0, list);
  }
  BASALT_NODISCARD int registers() const;

 private:
  friend class Module;
  void* handle_ = nullptr;
};

class Module {
 public:
  BASALT_NODISCARD static Module from_file(const std::string& path);
  BASALT_NODISCARD static Module from_source(std::string_view source, const std::vector<std::string>& options);
  BASALT_NODISCARD Kernel kernel(std::string_view name) const;
  BASALT_NODISCARD void* symbol(std::string_view name, std::size_t* bytes) const;

 private:
  std::shared_ptr<void> handle_;
};

namespace graph {

class Capture {
 public:
  explicit Capture(Stream& stream);
  ~Capture();
  void end();
  void replay(Stream& stream);
};

}  // namespace graph

namespace profiler {
void begin(const std::string& file);
void end();
void push_range(std::string_view name);
void pop_range();
}  // namespace profiler

}  // namespace v3
}  // namespace basalt

#endif  // BASALT_HPP
