#include "fallback/register.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <map>

#include "device/activity.h"
#include "dispatch/attention.h"
#include "dispatch/dispatch.h"
#include "dispatch/rearrange.h"
#include "dispatch/router.h"
#include "fallback/entries.h"
#include "fallback/exceptions.h"
#include "fallback/fallback.h"
#include "fallback/host_op.h"
#include "fallback/sparse.h"
#include "memory/copy.h"
#include "memory/pieces.h"

namespace torchfl {
namespace {

// Those that are registered, by overload. Changed while ops are stopped; the dispatcher owns them.
std::map<std::string, FallbackKernel*>& fallback_kernels() {
  static auto* all = new std::map<std::string, FallbackKernel*>;
  return *all;
}

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

void forget_kernels() {
  forget_sites();
  fallback_kernels().clear();
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
    const OpSpec* spec = spec_of(overload);
    if (space != "aten" && spec == nullptr) {  // its author may have, or may yet bring, a kernel for "xpu"
      library->impl(overload_of(name).c_str(), torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
      continue;
    }
    auto kernel = std::make_shared<FallbackKernel>(*op, spec);
    fallback_kernels()[overload] = kernel.get();
    library->impl(overload_of(name).c_str(), make_fallback_entry(std::move(kernel), op->schema()));
  }
}

bool may_route_through_fallback(const std::string& overload) { return fallback_kernels().count(overload) != 0; }

void route_through_fallback(const std::string& overload, std::shared_ptr<const Site> site) {
  fallback_kernels().at(overload)->site = std::move(site);
}

namespace {

void register_convolution_backward(torch::Library& aten) {
  auto& dispatcher = c10::Dispatcher::singleton();
  const auto backward = dispatcher.findSchemaOrThrow("aten::convolution_backward_overrideable", "");
  aten.impl("convolution_backward_overrideable",
            torch::CppFunction::makeFromBoxedFunctor(std::make_unique<ConvolutionBackwardKernel>(backward)));
}

// What stands for itself, whatever chips there are.
void register_fixed(torch::Library& aten, std::vector<std::unique_ptr<torch::Library>>* others) {
  register_attention(aten);
  register_composed(aten);
  register_convolution_backward(aten);
  auto global = std::make_unique<torch::Library>(torch::Library::IMPL, "_", c10::DispatchKey::PrivateUse1, __FILE__,
                                                 __LINE__);
  global->fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
  others->push_back(std::move(global));
  register_other_layouts(others);
}

std::unique_ptr<torch::Library> library_of(const char* space) {
  return std::make_unique<torch::Library>(torch::Library::IMPL, space, c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
}

}  // namespace

void register_dispatch() {
  const bool first = libraries().empty();
  set_rearrange(&rearranged);
  set_copy_notice(&count_host_copy);
  bind_sites();
  bind_host_ops();
  auto aten = library_of("aten"), own = library_of("torchfl");
  std::vector<std::unique_ptr<torch::Library>> others;
  try {
    register_sites(*aten, *own);
    if (first) register_fixed(*aten, &others);
    register_fallbacks(*aten, &others);
  } catch (...) {
    if (first) forget_kernels();
    throw;
  }
  for (auto& library : others) libraries().push_back(std::move(library));
  libraries().push_back(std::move(aten));
  libraries().push_back(std::move(own));
}

void forget_chips() {
  clear_chip_tables();
  bind_sites();
  bind_host_ops();
}

void unregister_dispatch() {
  forget_kernels();
  libraries().clear();
  forget_host_ops();
  clear_chip_tables();
}

}  // namespace torchfl
