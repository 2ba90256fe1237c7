// The functions that PyTorch's dispatcher calls for an overload that the CPU serves.
#pragma once

#include <torch/library.h>

#include <memory>

#include "fallback/host_op.h"

namespace torchfl {

struct Site;

// One registered overload.
struct FallbackKernel {
  FallbackKernel(const c10::OperatorHandle& op, const OpSpec* spec) : host(op, spec) {}
  void run(torch::jit::Stack* stack) const;

  const HostOp host;
  std::shared_ptr<const Site> site;  // where calls go that a chip may serve by now; set while ops are stopped
};

// With its own C++ signature for the commonest ones, else boxed.
torch::CppFunction make_fallback_entry(std::shared_ptr<const FallbackKernel> kernel, const c10::FunctionSchema& schema);

}  // namespace torchfl
