// Replacing pointers inside objects that belong to Python and torch, and putting them back.
#pragma once

#include <string>
#include <vector>

namespace torchfl {

// The pointers that one patch has replaced. Used under the GIL. A place in read-only memory (a table that another
// torch declares const) is refused with an exception instead of a crash.
class Swaps {
 public:
  template <class T>
  void put(T& place, T value) {
    static_assert(sizeof(T) == sizeof(void*));
    put_pointer(reinterpret_cast<void**>(&place), reinterpret_cast<void*>(value));
  }
  void undo() noexcept;  // last first
  bool empty() const noexcept { return saved_.empty(); }

 private:
  struct Saved {
    void** place;
    void* before;
  };
  void put_pointer(void** place, void* value);

  std::vector<Saved> saved_;
};

}  // namespace torchfl
