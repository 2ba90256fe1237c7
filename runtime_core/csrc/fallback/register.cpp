#include "fallback/register.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>

#include "dispatch/attention.h"
#include "dispatch/dispatch.h"
#include "dispatch/router.h"
#include "fallback/exceptions.h"
#include "fallback/fallback.h"
#include "fallback/host_op.h"
#include "fallback/sparse.h"

namespace torchfl {
namespace {

struct FallbackKernel final : c10::OperatorKernel {
  FallbackKernel(const c10::OperatorHandle& op, const OpSpec* spec) : host(op, spec) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) { fall_back(host, stack); }
  const HostOp host;
};

// convolution_backward_overrideable(grad, input, weight, ...) is convolution_backward(grad, input, weight, bias_sizes, ...).
struct ConvolutionBackwardKernel final : c10::OperatorKernel {
  explicit ConvolutionBackwardKernel(const c10::OperatorHandle& op) : num_args(op.schema().arguments().size()),
      host(c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution_backward", ""), nullptr) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    constexpr std::ptrdiff_t kBiasSizes = 3;
    stack->insert(stack->end() - static_cast<std::ptrdiff_t>(num_args) + kBiasSizes, c10::IValue());
    fall_back(host, stack);
  }
  const size_t num_args;
  const HostOp host;
};

bool has_composite(const c10::OperatorHandle& op) {
  for (c10::DispatchKey key : {c10::DispatchKey::CompositeExplicitAutogradNonFunctional,
                               c10::DispatchKey::CompositeExplicitAutograd, c10::DispatchKey::CompositeImplicitAutograd})
    if (op.hasKernelForDispatchKey(key)) return true;
  return false;
}

std::string overload_of(const c10::OperatorName& name) {
  const std::string base = name.name.substr(name.name.find("::") + 2);
  return name.overload_name.empty() ? base : base + "." + name.overload_name;
}

const OpSpec* spec_of(const std::string& overload) {
  for (const OpSpec* spec : all_ops())
    for (const std::string& form : {spec->functional, spec->scalar, spec->inplace, spec->scalar_inplace, spec->out})
      if (overload == form) return spec;
  return nullptr;
}

std::vector<std::unique_ptr<torch::Library>>& libraries() {
  static auto* all = new std::vector<std::unique_ptr<torch::Library>>;  // outlives every static destructor
  return *all;
}

}  // namespace

void register_fallbacks(torch::Library& aten, std::vector<std::unique_ptr<torch::Library>>* others) {
  auto& dispatcher = c10::Dispatcher::singleton();
  std::map<std::string, torch::Library*> by_namespace{{"aten", &aten}};
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findSchema(name);
    if (!op || op->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1)) continue;
    const std::string space = name.name.substr(0, name.name.find("::"));
    const std::string overload = space + "::" + overload_of(name);
    const bool on_cpu = op->hasKernelForDispatchKey(c10::DispatchKey::CPU);
    const bool forced = exceptions::holds(exceptions::kCompositesOnHost, overload);
    if (!forced && (!on_cpu || (space != "aten" && !has_composite(*op)))) continue;
    if (exceptions::holds(exceptions::kNotFromCpu, overload)) continue;
    torch::Library*& library = by_namespace[space];
    if (library == nullptr) {
      others->push_back(std::make_unique<torch::Library>(torch::Library::IMPL, space, c10::DispatchKey::PrivateUse1,
                                                         __FILE__, __LINE__));
      library = others->back().get();
    }
    library->impl(overload_of(name).c_str(),
                  torch::CppFunction::makeFromBoxedFunctor(std::make_unique<FallbackKernel>(*op, spec_of(overload))));
  }
  const auto backward = dispatcher.findSchemaOrThrow("aten::convolution_backward_overrideable", "");
  aten.impl("convolution_backward_overrideable",
            torch::CppFunction::makeFromBoxedFunctor(std::make_unique<ConvolutionBackwardKernel>(backward)));
}

void register_dispatch() {
  if (!libraries().empty()) return;
  auto aten = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__,
                                               __LINE__);
  std::vector<std::unique_ptr<torch::Library>> others;
  try {
    others.push_back(std::make_unique<torch::Library>(torch::Library::IMPL, "torchfl", c10::DispatchKey::PrivateUse1,
                                                      __FILE__, __LINE__));
    register_sites(*aten, *others.back());
    register_attention(*aten);
    register_composed(*aten);
    register_fallbacks(*aten, &others);
    auto global = std::make_unique<torch::Library>(torch::Library::IMPL, "_", c10::DispatchKey::PrivateUse1, __FILE__,
                                                   __LINE__);
    global->fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
    others.push_back(std::move(global));
    register_other_layouts(&others);
  } catch (...) {
    forget_sites();
    throw;
  }
  libraries() = std::move(others);
  libraries().push_back(std::move(aten));
}

void unregister_dispatch() {
  forget_sites();
  libraries().clear();
  forget_host_ops();
  clear_chip_tables();
}

}  // namespace torchfl
