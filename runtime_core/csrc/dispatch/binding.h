// What the loaded profiles bind: kernels with their limits, and the order of layers where a kernel cannot serve.
//
// Everything here is written at load, before register_dispatch(), and only read afterwards, without locks.
#pragma once

#include <c10/core/Device.h>

#include <memory>
#include <string>
#include <vector>

#include "dispatch/accepted.h"
#include "dispatch/constraints.h"
#include "dispatch/counters.h"
#include "dispatch/op_spec.h"

namespace torchfl {

class Chip;

enum class KernelLayout : uint8_t { contiguous, matrix, strided, channels_last };

// One entry of a profile's supported_ops, or a kernel that its fallback policy names.
struct Binding {
  const OpSpec* spec = nullptr;
  Chip* chip = nullptr;
  const tfl_kernel* kernel = nullptr;  // nullptr: `blocked` says why
  std::string impl;
  uint32_t dtypes = 0;  // bit i: tfl_dtype i
  std::vector<Constraint> constraints;
  KernelLayout layout = KernelLayout::contiguous;
  bool inplace = false, broadcast = false;
  bool first_output = false;  // of several outputs the kernel writes the first alone
  bool any_order = false;  // images may be contiguous or channels-last, each by itself
  bool pad = false;        // sizes are rounded up to the constraints' multiple_of
  bool shifts = false;     // int8 is given as uint8 with zero point 128
  bool checks_index = false;  // the kernel refuses an index outside its dimension: nobody else has to look
  uint32_t alignment = 0;  // bytes; 0 or 1: none needed
  Why blocked = Why::none;
  std::string blocked_text;
  mutable Accepted accepted;  // the one thing that changes after load
};

struct PolicyStep {
  enum Kind : uint8_t { cpu, error, kernel, decompose, onnxruntime } kind;
  static constexpr int kKinds = 5;
  const Binding* binding = nullptr;  // of `kernel`
};
// The word of the profile; "kernel" for one that the policy names.
const char* step_name(PolicyStep::Kind kind) noexcept;

// The layers after the chip's kernel, in order; an empty one means `cpu`.
struct Policy {
  std::vector<PolicyStep> steps;
};

// What the profile of one chip says.
struct ChipTable {
  Chip* chip = nullptr;
  int ordinal = 0;  // index of the counters
  Policy fallback;
  std::vector<std::pair<std::string, Policy>> op_fallback;        // by overload, base name or catalogue name
  std::vector<std::pair<std::string, const Binding*>> bindings;  // by overload: "aten::add_.Tensor"
  std::vector<std::unique_ptr<Binding>> owned;

  const Binding* binding(const std::string& overload) const;
  // `spec` may be nullptr.
  const Policy& policy(const std::string& overload, const OpSpec* spec) const;
};

// The table of a loaded chip, made at the first call. Throws std::invalid_argument for an unknown selector and
// beyond kMaxChips.
ChipTable& chip_table(const std::string& selector);
const std::vector<std::unique_ptr<ChipTable>>& chip_tables();
void clear_chip_tables();
// By ordinal, of every chip that had a table in this process.
const std::vector<std::string>& chip_selectors();

// The table behind a device index; nullptr for a chip whose profile was never given (kernels are then unbound).
const ChipTable* table_of(c10::DeviceIndex device);

// What a profile entry says, as the Python side gives it.
struct BindingSpec {
  std::string selector, op, impl;
  std::vector<std::string> overloads;  // that this entry serves
  std::vector<std::string> dtypes;
  std::vector<Constraint> constraints;  // name, allowed, min, max, multiple_of; the variable is found here
  std::string layout;                   // contiguous | matrix | strided | channels_last
  bool inplace = false, broadcast = false, routes = true, pad = false, shifts = false, checks_index = false;
  uint32_t alignment = 0;
};

// Throws std::invalid_argument: an unknown op, dtype or constraint variable.
void add_binding(const BindingSpec& spec);

// The layers for one op (catalogue name, base name or overload), or the chip's default for "". A layer is "cpu",
// "error", "decompose", "onnxruntime" or the name of a kernel for a catalogue op. Throws std::invalid_argument for any other word.
void set_policy(const std::string& selector, const std::string& op, const std::vector<std::string>& layers);

// A kernel bound without any limit, for run_kernel and op-specific fallback; nullptr where the chip lacks it.
std::unique_ptr<Binding> unlimited_binding(Chip& chip, const OpSpec& spec, const std::string& impl);

// "float32" for TFL_F32; "" for a number that is none.
const char* dtype_name(int32_t dtype) noexcept;
int32_t dtype_by_name(const std::string& name);  // -1 where there is none
// "float16, int8" of a dtype mask, in the order of tfl_dtype.
std::string dtype_names(uint32_t mask);

}  // namespace torchfl
