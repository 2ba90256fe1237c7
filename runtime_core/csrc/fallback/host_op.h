// One overload as the fallback sees it: which arguments matter, and what its schema says or fails to say.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "dispatch/binding.h"

namespace torchfl {

struct HostArg {
  enum Kind : uint8_t { tensor, tensor_list, optional_tensor_list, device, generator } kind;
  uint16_t index;
  bool write = false;
  bool overwrites = false;  // writes all of it without reading
  int16_t write_when = -1;  // index of a bool argument that must be true for the write to happen
};

struct HostOp {
  HostOp(const c10::OperatorHandle& op, const OpSpec* spec);
  ~HostOp();
  HostOp(const HostOp&) = delete;
  HostOp& operator=(const HostOp&) = delete;

  const c10::OperatorHandle target;  // what runs on the CPU
  const std::string name;            // "aten::add.Tensor"
  const std::string public_name;     // "aten::add": as in profiles
  const OpSpec* const spec;          // nullptr for an op outside the catalogue
  OpRecord& record;
  size_t num_args, num_returns;
  std::vector<HostArg> args;  // the arguments that can hold a tensor, a device or a generator
  bool is_view = false;       // declared: results alias an argument, and nothing is written
  bool mixes_devices = false, setup = false;
  bool beyond_views = false;  // reads or writes elements of a storage that no argument's view holds
  mutable std::array<const Policy*, kMaxChips> policies{};  // nullptr: `cpu`; changed while ops are stopped
  mutable std::atomic<uint32_t> hopeless{0};        // bit i: the layer PolicyStep::Kind i has nothing for this op
};

// The device index that a call belongs to: of its first device tensor, else of its device argument, else the current.
c10::DeviceIndex device_of(const HostOp& op, const torch::jit::Stack& stack);

// Runs the op on the host sides of its tensors and replaces its arguments by its results. Neither counts nor asks the
// policy. Throws what the CPU kernel throws.
void run_on_host(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device);

// The whole fallback of an op that no kernel was bound to: policy, counters, reason, run.
void fall_back(const HostOp& op, torch::jit::Stack* stack);

// Counts a call that the CPU serves, with its reason.
void count_cpu(const HostOp& op, const ChipTable& table, const Binding* binding, const Reason& reason);

// The layer after `reason` kept the chip's kernel from a call, where the policy says `cpu`: counts and runs.
// NotImplementedError of the CPU becomes UnsupportedOpError.
void serve_on_cpu(const HostOp& op, torch::jit::Stack* stack, c10::DeviceIndex device, const ChipTable* table,
                  const Binding* binding, const Reason& reason);

// Raises UnsupportedOpError in the place of what the CPU raised.
[[noreturn]] void refuse_unimplemented(const HostOp& op, c10::DeviceIndex device, at::ScalarType dtype,
                                       const ChipTable* table, const Binding* binding, const Reason& reason,
                                       const c10::NotImplementedError& e);

// Raises UnsupportedOpError for a call that no layer of the policy may serve.
[[noreturn]] void refuse(const HostOp& op, const torch::jit::Stack& stack, const ChipTable* table,
                         const Binding* binding, const Reason& reason);

// Gives every HostOp the policies of the chips as they are now; ops are stopped.
void bind_host_ops();
// Forgets what the global fallback knows of ops.
void forget_host_ops();

}  // namespace torchfl
