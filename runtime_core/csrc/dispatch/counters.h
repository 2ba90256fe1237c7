// Which layer served which op on which chip, how often, and why it was not the chip's kernel. No torch here.
//
// Counting is one relaxed atomic add. A reason is kept once per distinct (op, chip, cause) with its count.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "dispatch/op_spec.h"

namespace torchfl {

// Why a call did not go to the chip's kernel, or why that kernel needs an adapter or cannot be used.
enum class Why : uint8_t {
  none,
  no_entry,           // the profile does not name the op
  unverified,         // its entry has not been proved
  no_kernel,          // the chip library lacks the kernel that the entry names
  unserved,           // the entry asks for something that this release does not do
  dtype,              // index: the tfl_dtype, or -1 for one that no chip has
  mixed_dtypes,       // the op wants one dtype
  constraint,         // index: of the broken constraint; value: what broke it
  rank,               // beyond kMaxRank
  shapes,             // the shapes do not fit: the CPU raises
  empty_input,        // an input without elements, but an output with some
  device,             // tensors of different devices
  host_operand,       // a CPU tensor that is not a 0-dim operand
  lazy_bits,          // a lazily negated or conjugated tensor
  layout,             // not a strided tensor
  memory_format,      // a cast that also asks for another layout or order of elements
  excluded,           // index: the tfl_dtype, of an operand that PyTorch refuses or has rules of its own for
  number,             // index: an input; a number that the dtype holds only as infinity, or as next to nothing
  attribute,          // index: an attribute whose value the kernel interface cannot carry
  destination_dtype,  // of another dtype than the result: the CPU casts, or raises
  destination_shape,  // in-place on a smaller tensor: the CPU raises
  overlap,            // the destination overlaps itself or an input
  list_length,        // a list of more tensors than a call can hold
  gradient,           // backward needs outputs that the kernel does not give
  declined,           // the kernel returned UNSUPPORTED
  copy_dtype,         // a copy_ into another dtype: the host casts
  copy_order,         // a copy_ into another order of elements that no kernel gives: the host copies one by one
  index,              // an index lies outside the dimension that it indexes: the CPU raises
  missing_symbol,     // the vendor's library lacks a function that the kernel needs
  layer,              // index: a PolicyStep::Kind of the policy that was asked and did not serve the call
};

struct Reason {
  Why why = Why::none;
  int32_t index = 0;
  double value = 0;

  explicit operator bool() const { return why != Why::none; }
};

struct ChipCounters {
  std::atomic<bool> layout_told{false};  // that images are converted: once
  std::atomic<uint64_t> native{0}, adapted{0}, op_specific{0}, decomposed{0}, onnxruntime{0}, cpu{0}, declined{0};
};

// A snapshot of ChipCounters.
struct Counts {
  uint64_t native = 0, adapted = 0, op_specific = 0, decomposed = 0, onnxruntime = 0, cpu = 0, declined = 0;
};

struct ReasonCount {
  std::string op, selector, reason;
  uint64_t count;
};

// One per overload that was ever counted, for the life of the process.
class OpRecord {
 public:
  explicit OpRecord(std::string op_name) : name(std::move(op_name)) {}

  const std::string name;  // "aten::add.Tensor"

  // `chip`: its ordinal (chip_table.h), below kMaxChips.
  ChipCounters& counters(int chip) {
    ChipCounters* known = counters_[static_cast<size_t>(chip)].load(std::memory_order_acquire);
    return known != nullptr ? *known : make_counters(chip);
  }

  // Adds one to a known reason; false where it is new and wants its text. After kMaxReasons distinct ones of an
  // op, further ones of a known kind share one entry.
  bool count_reason(int chip, const Reason& reason);
  void add_reason(int chip, const Reason& reason, std::string text);

 private:
  friend std::vector<std::pair<std::string, std::vector<Counts>>> all_counts();
  friend std::vector<std::pair<int, ReasonCount>> all_reasons();
  friend void reset_counts();
  static constexpr size_t kMaxReasons = 64;

  struct Entry {
    int chip;
    Reason reason;
    std::string text;
    uint64_t count;
  };
  ChipCounters& make_counters(int chip);

  std::array<std::atomic<ChipCounters*>, kMaxChips> counters_{};
  std::mutex reasons_mutex_;
  std::vector<Entry> reasons_;
};

inline void count(std::atomic<uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

OpRecord& record_of(const std::string& overload);

// Per op name, one Counts per chip ordinal; ops that were never counted are left out.
std::vector<std::pair<std::string, std::vector<Counts>>> all_counts();
// With the chip's ordinal; `selector` is left empty.
std::vector<std::pair<int, ReasonCount>> all_reasons();
void reset_counts();

}  // namespace torchfl
