// The boxed router: one kernel per catalogue overload that a loaded profile concerns.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "dispatch/layers.h"

namespace torchfl {

// One routed overload: where its arguments are, and what each chip binds to it.
struct Site {
  Site(const c10::OperatorHandle& op, const OpSpec* spec, Form form);  // std::invalid_argument: schema and spec differ

  const OpSpec* spec;
  Form form;
  std::array<uint8_t, kMaxInputs> input_args{};
  int8_t number_input = -1;  // the input for which this form takes a number
  std::array<uint8_t, kMaxAttrs> attr_args{};
  uint8_t destination_arg = 0;
  HostOp host;
  std::array<const Binding*, kMaxChips> bindings{};  // by chip ordinal

  void bind();  // to the chips as they are now; ops are stopped

  void read(const torch::jit::Stack& stack, Call* call) const;
};

// Gives `call` a number for one of its inputs, as PyTorch wraps it in a tensor.
void set_number(Call* call, int input, const at::Scalar& value);

// The chip's own kernel, if it serves the call; else the layers after it need the arguments on a stack.
class Attempt {
 public:
  // `call`: read from the arguments, with its device.
  Attempt(const Site& site, Call& call) : site_(site), call_(call) {}
  // True where the kernel ran; then `results`, with room for the op's outputs, are set as launch() does.
  bool run(at::Tensor* results);
  // After run() gave false: replaces the arguments on the stack by the result of the layer that serves them.
  void run_elsewhere(torch::jit::Stack* stack);
  // Counts a call that the CPU serves without it: for the reason that run() found, or for this one.
  void count_on_cpu(const Reason& reason);

 private:
  const Site& site_;
  Call& call_;
  const ChipTable* table_ = nullptr;
  const Binding* binding_ = nullptr;
  Reason reason_;
};

void route(const Site& site, torch::jit::Stack* stack);
Explanation explain(const Site& site, const torch::jit::Stack& stack);
// For an op that no site serves: what fall_back() would do, and for copy_ what memory/copy.h does.
Explanation explain_fallback(const HostOp& op, const torch::jit::Stack& stack);

// Counts a copy_ that the host computed, with its reason (set_copy_notice()).
void count_host_copy(const at::Tensor& self, const at::Tensor& src);

// The site of an overload ("aten::add.Tensor"), or nullptr where none is registered.
const Site* find_site(const std::string& overload);

// The kernel that PyTorch calls for a site: with its own C++ signature for the commonest ones, else boxed.
torch::CppFunction make_entry(std::shared_ptr<const Site> site, const c10::FunctionSchema& schema);

// Registers a kernel for every catalogue overload that some chip's profile concerns, in PyTorch's namespace and ours.
void register_sites(torch::Library& aten, torch::Library& own);
void bind_sites();  // all of them anew
void forget_sites();

}  // namespace torchfl
