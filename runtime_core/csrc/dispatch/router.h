// The boxed router: one kernel per catalogue overload that a loaded profile concerns.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "dispatch/decide.h"
#include "fallback/host_op.h"

namespace torchfl {

// One routed overload: where its arguments are, and what each chip binds to it.
struct Site {
  Site(const c10::OperatorHandle& op, const OpSpec* spec, Form form);  // std::invalid_argument: schema and spec differ

  const OpSpec* spec;
  Form form;
  std::array<uint8_t, kMaxInputs> input_args{};
  std::array<uint8_t, kMaxAttrs> attr_args{};
  uint8_t destination_arg = 0;
  HostOp host;
  std::array<const Binding*, kMaxChips> bindings{};  // by chip ordinal

  Call read(const torch::jit::Stack& stack) const;
};

enum class Layer : uint8_t { native, op_specific, cpu, error, empty, view };
const char* layer_name(Layer layer) noexcept;

// What route() would do with a call. `binding` is the kernel of the layers native and op_specific.
struct Explanation {
  Layer layer;
  const Binding* binding = nullptr;
  std::string reason;  // why it is not the chip's own kernel; for native which adapters are needed
};

void route(const Site& site, torch::jit::Stack* stack);
Explanation explain(const Site& site, const torch::jit::Stack& stack);
// For an op that no site serves: what fall_back() would do.
Explanation explain_fallback(const HostOp& op, const torch::jit::Stack& stack);

// The site of an overload ("aten::add.Tensor"), or nullptr where none is registered.
const Site* find_site(const std::string& overload);

// Registers a kernel for every catalogue overload that some chip's profile concerns.
void register_sites(torch::Library& aten);
void forget_sites();

}  // namespace torchfl
