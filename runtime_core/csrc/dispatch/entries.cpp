// The functions that PyTorch's dispatcher calls for a routed overload.
//
// A boxed call copies every argument to a stack. In PyTorch 2.13 the second reference to a tensor that Python
// holds takes the GIL, to keep its Python object, and giving it back takes it again: four times in an addition, some
// 150 ns. The commonest signatures are therefore entered unboxed and put on a stack only where the chip's kernel does
// not serve the call. Everything else about the two ways is the same.
#include <ATen/ops/_to_copy_native.h>

#include "device/activity.h"
#include "dispatch/router.h"
#include "memory/copy.h"

namespace torchfl {
namespace {

using at::Scalar;
using at::Tensor;

// One argument of an unboxed call: a tensor, or a value.
struct Argument {
  Argument(const Tensor& t) : tensor(&t) {}  // NOLINT: implicit on purpose
  Argument(const Scalar& s) : value(s.isIntegral(/*includeBool=*/false) && !s.isSymbolic() ? c10::IValue(s.toLong()) : c10::IValue(s)) {}
  Argument(int64_t i) : value(i) {}
  Argument(bool b) : value(b) {}

  const Tensor* tensor = nullptr;
  c10::IValue value;
};

void read(const Site& site, const Argument* given, Call* call) {
  call->spec = site.spec;
  call->form = site.form;
  call->num_inputs = site.spec->inputs.size();
  for (size_t i = 0; i < site.spec->inputs.size(); ++i) {
    const Tensor* t = given[site.input_args[i]].tensor;
    call->inputs[i] = t != nullptr && t->defined() ? t : nullptr;
  }
  if (C10_UNLIKELY(site.number_input >= 0))
    set_number(call, site.number_input, given[site.input_args[static_cast<size_t>(site.number_input)]].value.toScalar());
  for (size_t i = 0; i < site.spec->attrs.size(); ++i) call->attr_values[i] = &given[site.attr_args[i]].value;
  if (site.form != Form::functional) call->destination = given[site.destination_arg].tensor;
  call->device = device_of(*call);
}

// The result of a functional form; undefined for the others, which write their destination.
template <class... Args>
Tensor enter(const Site& site, const Args&... args) {
  OpScope scope;
  const Argument given[] = {args...};
  Call call;
  read(site, given, &call);
  Attempt attempt(site, call);
  Tensor result;
  if (C10_LIKELY(attempt.run(&result))) return result;
  torch::jit::Stack stack;
  stack.reserve(sizeof...(Args) + 1);
  (stack.emplace_back(args), ...);
  attempt.run_elsewhere(&stack);
  return std::move(stack.back()).toTensor();
}

using Shared = std::shared_ptr<const Site>;

template <class... Args>
torch::CppFunction functional(Shared site) {
  return torch::CppFunction([site = std::move(site)](Args... args) -> Tensor { return enter(*site, args...); });
}

template <class... Args>
torch::CppFunction inplace(Shared site) {
  return torch::CppFunction([site = std::move(site)](Tensor& self, Args... args) -> Tensor& {
    enter(*site, self, args...);
    return self;
  });
}

template <class... Args>
torch::CppFunction into(Shared site) {
  return torch::CppFunction([site = std::move(site)](Args... args, Tensor& out) -> Tensor& {
    enter(*site, args..., out);
    return out;
  });
}

struct BoxedEntry final : c10::OperatorKernel {
  explicit BoxedEntry(Shared shared) : site(std::move(shared)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) { route(*site, stack); }
  const Shared site;
};

// _to_copy moves between devices too, and to layouts and memory formats. The router serves what stays where it is and
// changes its dtype alone; everything else is PyTorch's own composition of empty and copy_. A cast that no kernel serves
// is computed by the CPU there, and counted as such.
Tensor to_copy(const Site& site, const Tensor& self, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
               std::optional<at::Device> device, std::optional<bool> pin_memory, bool non_blocking,
               std::optional<at::MemoryFormat> format) {
  OpScope scope;
  const bool stays = self.device().type() == c10::DeviceType::PrivateUse1 && (!device || *device == self.device());
  const bool plain = (!layout || *layout == at::kStrided) && self.layout() == at::kStrided && !pin_memory.value_or(false) &&
                     (!format || *format == at::MemoryFormat::Preserve ||
                      (*format == at::MemoryFormat::Contiguous && self.is_contiguous()));
  if (stays && dtype && *dtype != self.scalar_type()) {
    const c10::IValue wanted(static_cast<int64_t>(*dtype));
    Call call;
    call.spec = site.spec;
    call.form = Form::functional;
    call.num_inputs = 1;
    call.inputs[0] = &self;
    call.attr_values[0] = &wanted;
    call.device = self.device().index();
    Tensor result;
    Attempt attempt(site, call);
    if (plain && attempt.run(&result)) return result;
    if (self.numel() != 0) attempt.count_on_cpu(plain ? Reason{} : Reason{Why::memory_format});
    const PartOfOp counted;
    return at::native::_to_copy(self, dtype, layout, device, pin_memory, non_blocking, format);
  }
  return at::native::_to_copy(self, dtype, layout, device, pin_memory, non_blocking, format);
}

// "TTS" for (Tensor self, Tensor other, Scalar alpha); "?" for a type that no unboxed entry takes.
std::string signature(const c10::FunctionSchema& schema) {
  std::string text;
  for (const c10::Argument& argument : schema.arguments()) {
    switch (argument.real_type()->kind()) {
      case c10::TypeKind::TensorType: text += 'T'; break;
      case c10::TypeKind::NumberType: text += 'S'; break;
      case c10::TypeKind::IntType: text += 'I'; break;
      case c10::TypeKind::BoolType: text += 'B'; break;
      default: text += '?';
    }
  }
  return text;
}

}  // namespace

torch::CppFunction make_entry(std::shared_ptr<const Site> site, const c10::FunctionSchema& schema) {
  const std::string arguments = signature(schema);
  if (schema.name() == "aten::_to_copy")
    return torch::CppFunction([site = std::move(site)](const Tensor& self, std::optional<at::ScalarType> dtype,
                                                       std::optional<at::Layout> layout, std::optional<at::Device> device,
                                                       std::optional<bool> pin_memory, bool non_blocking,
                                                       std::optional<at::MemoryFormat> format) {
      return to_copy(*site, self, dtype, layout, device, pin_memory, non_blocking, format);
    });
  if (site->form == Form::functional && schema.returns().size() == 1) {
    if (arguments == "T") return functional<const Tensor&>(std::move(site));
    if (arguments == "TS") return functional<const Tensor&, const Scalar&>(std::move(site));
    if (arguments == "TIB") return functional<const Tensor&, int64_t, bool>(std::move(site));
    if (arguments == "TT") return functional<const Tensor&, const Tensor&>(std::move(site));
    if (arguments == "TTS") return functional<const Tensor&, const Tensor&, const Scalar&>(std::move(site));
    if (arguments == "TTTSS")
      return functional<const Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&>(std::move(site));
  }
  if (site->form == Form::inplace) {
    if (arguments == "T") return inplace<>(std::move(site));
    if (arguments == "TT") return inplace<const Tensor&>(std::move(site));
    if (arguments == "TTS") return inplace<const Tensor&, const Scalar&>(std::move(site));
  }
  if (site->form == Form::out && schema.returns().size() == 1) {
    if (arguments == "TT") return into<const Tensor&>(std::move(site));
    if (arguments == "TTT") return into<const Tensor&, const Tensor&>(std::move(site));
    if (arguments == "TTST") return into<const Tensor&, const Tensor&, const Scalar&>(std::move(site));
    if (arguments == "TTTSST")
      return into<const Tensor&, const Tensor&, const Tensor&, const Scalar&, const Scalar&>(std::move(site));
  }
  return torch::CppFunction::makeFromBoxedFunctor(std::make_unique<BoxedEntry>(std::move(site)));
}

}  // namespace torchfl
