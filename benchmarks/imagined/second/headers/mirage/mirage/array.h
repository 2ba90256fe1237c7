// An imagined vendor's header.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mirage {

using Shape = std::vector<int32_t>;

struct Dtype {
  enum class Val { bool_, uint8, int8, int32, int64, float16, bfloat16, float32, complex64 };
  Val val;
  uint8_t size;
};

struct Chip {
  enum class Kind { host, mirage };
  Kind kind;
  int index;
};

struct Lane {
  int index;
  Chip chip;
};

using Where = std::variant<std::monostate, Lane, Chip>;

/// A value. Work is recorded when arrays are made and done by eval().
class array {
 public:
  explicit array(float value);
  array(std::initializer_list<float> data);
  array(const void* data, Shape shape, Dtype dtype);
  array(const array& other) = default;

  const Shape& shape() const;
  size_t size() const;
  size_t nbytes() const;
  Dtype dtype() const;
  void eval();
  bool is_available() const;
  void detach();
  template <typename T> T item();
  template <typename T> T* data();

 private:
  struct Desc;
  std::shared_ptr<Desc> desc_;
};

// runtime
Chip default_chip();
void set_default_chip(const Chip& c);
int chip_count();
Lane new_lane(Chip c);
void synchronize(Lane l);
void synchronize();
void eval(const std::vector<array>& outputs);
void async_eval(const std::vector<array>& outputs);
size_t get_active_memory();
size_t get_peak_memory();
void clear_cache();
void* raw_malloc(size_t size);
void raw_free(void* p);

}  // namespace mirage
