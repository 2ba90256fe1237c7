#include "identity/swap.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace torchfl {
namespace {

bool writable(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char mode[5] = {0};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, mode) == 3 && begin <= wanted && wanted < end)
      return mode[1] == 'w';
  }
  return false;
}

}  // namespace

void Swaps::put_pointer(void** place, void* value) {
  if (!writable(place)) throw std::runtime_error("the pointer to replace lies in read-only memory");
  saved_.push_back({place, *place});
  *place = value;
}

void Swaps::undo() noexcept {
  for (; !saved_.empty(); saved_.pop_back()) *saved_.back().place = saved_.back().before;
}

}  // namespace torchfl
