// An imagined vendor's header.
// Tessera SDK - core types: devices, queues, buffers and views.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  int code() const noexcept;
};

struct bf16 { std::uint16_t bits; };
struct f16 { std::uint16_t bits; };

struct device_info {
  std::string name;
  std::size_t memory_bytes;
  unsigned clusters;
};

/// Number of cards in the machine.
std::size_t num_devices();
device_info describe(std::size_t ordinal);

class event {
 public:
  void wait() const;
  bool ready() const noexcept;
  double seconds_since(const event& earlier) const;

 private:
  std::shared_ptr<void> impl_;
};

/// An in-order queue of one card.
class queue {
 public:
  explicit queue(std::size_t ordinal = 0);
  ~queue();
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  void finish();
  event submit_marker();
  void depends_on(const event& e);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// Raw card memory.
void* card_alloc(queue& q, std::size_t bytes, std::size_t align = 256);
void card_free(queue& q, void* p) noexcept;
event upload(queue& q, void* card, const void* host, std::size_t bytes);
event download(queue& q, void* host, const void* card, std::size_t bytes);
event move_on_card(queue& q, void* to, const void* from, std::size_t bytes);

/// A non-owning view of rank R; strides are counted in elements.
template <typename T, std::size_t R>
struct view {
  T* data = nullptr;
  std::array<std::int64_t, R> extent{};
  std::array<std::int64_t, R> stride{};
};

template <typename T>
using vec = view<T, 1>;
template <typename T>
using mat = view<T, 2>;
template <typename T>
using img = view<T, 4>;  // n, h, w, c

}  // namespace tessera
