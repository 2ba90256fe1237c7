// Halcyon Runtime for C++17
// An imagined vendor's header.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halcyon {

inline constexpr int kMajor = 1;
inline constexpr int kMinor = 4;

enum class Errc { ok = 0, no_device, out_of_memory, bad_argument, timeout, device_lost };
std::error_code make_error_code(Errc e) noexcept;
const char* describe(Errc e) noexcept;

enum class MemKind : std::uint8_t { hbm, scratchpad, host_coherent };
enum class Access : std::uint8_t { read = 1, write = 2, read_write = 3 };

class Device;
class Timeline;
class Program;

/// Move-only owner of a piece of device memory.
class Allocation {
 public:
  Allocation() = default;
  Allocation(Allocation&& other) noexcept;
  Allocation& operator=(Allocation&& other) noexcept;
  ~Allocation();

  std::uint64_t address() const noexcept;
  std::size_t size() const noexcept;
  MemKind kind() const noexcept;
  Allocation subrange(std::size_t first, std::size_t bytes) const;
  void reset() noexcept;
  void* map(Access access);
  void unmap() noexcept;

 private:
  struct Rep;
  std::shared_ptr<Rep> rep_;
};

/// A point in a timeline. Cheap to copy.
class Ticket {
 public:
  bool reached() const noexcept;
  void wait() const;
  bool wait_for(std::chrono::nanoseconds limit) const;
  std::chrono::nanoseconds time() const;

 private:
  std::shared_ptr<void> rep_;
};

/// In-order sequence of work.
class Timeline {
 public:
  Ticket write(const Allocation& to, const void* from, std::size_t bytes, std::size_t offset = 0);
  Ticket read(void* to, const Allocation& from, std::size_t bytes, std::size_t offset = 0);
  Ticket copy(const Allocation& to, const Allocation& from, std::size_t bytes);
  Ticket fill(const Allocation& to, std::uint8_t value, std::size_t bytes);
  Ticket launch(const Program& program, std::string_view entry, std::initializer_list<std::uint64_t> words, std::array<std::uint32_t, 3>* grid = nullptr);
  Ticket host_task(std::function<void()> task);
  Ticket signal();
  void after(const Ticket& ticket);
  void drain();
  bool idle() const noexcept;
  void set_priority(int priority);

 private:
  friend class Device;
  std::shared_ptr<void> rep_;
};

struct Properties {
  std::string name;
  std::string serial;
  std::size_t hbm_bytes;
  unsigned tiles;
  unsigned clock_mhz;
};

class Device {
 public:
  static std::size_t count() noexcept;
  static std::shared_ptr<Device> open(std::size_t ordinal);

  Properties properties() const;
  Allocation allocate(std::size_t bytes, MemKind kind = MemKind::hbm, std::size_t alignment = 512);
  std::pair<std::size_t, std::size_t> free_and_total() const;
  Timeline make_timeline(int priority = 0);
  Program load(std::string_view path);
  Program load_image(const void* image, std::size_t bytes);
  void quiesce();
  void hard_reset();
  double power_watts() const;
  void on_fault(std::function<void(std::string_view)> handler);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

class Program {
 public:
  std::vector<std::string> entries() const;
  std::size_t code_bytes() const noexcept;

 private:
  std::shared_ptr<void> rep_;
};

/// Host memory that devices reach without a copy.
void* pinned_new(std::size_t bytes);
void pinned_delete(void* p) noexcept;
void adopt_host_range(void* p, std::size_t bytes);
void disown_host_range(void* p) noexcept;

void enable_logging(std::string_view level);
std::string version();

}  // namespace halcyon

template <>
struct std::is_error_code_enum<halcyon::Errc> : std::true_type {};
