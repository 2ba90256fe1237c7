// A boxed call copies every argument to a stack, and its CPU kernel takes them from there: an allocation, and for each tensor
// references that come and go (dispatch/entries.cpp). The commonest signatures are therefore entered unboxed and call the
// CPU's kernel unboxed; they see the stack only where the policy asks another layer than the CPU. Everything else about the
// two ways is the same.
#include "fallback/entries.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/activity.h"
#include "device/chip.h"
#include "device/generator.h"
#include "dispatch/layers.h"
#include "dispatch/router.h"
#include "fallback/host_call.h"

namespace torchfl {
namespace {

using at::OptionalIntArrayRef;
using at::Scalar;
using at::Tensor;
using Shared = std::shared_ptr<const FallbackKernel>;

template <class T>
constexpr bool is_tensor = std::is_same_v<std::decay_t<T>, Tensor>;
template <class T>
constexpr bool is_written = std::is_same_v<T, Tensor&>;

struct BoxedEntry final : c10::OperatorKernel {
  explicit BoxedEntry(Shared shared) : kernel(std::move(shared)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) { kernel->run(stack); }
  const Shared kernel;
};

template <class T>
const Tensor* first_of_ours(const T& value) {
  if constexpr (is_tensor<T>)
    return is_ours(value) ? &value : nullptr;
  else
    return nullptr;
}

// What the CPU's kernel gets for an argument of type T.
template <class T>
decltype(auto) on_host(HostCall& call, c10::DeviceIndex device, std::remove_reference_t<T>& given) {
  if constexpr (is_written<T>) {
    return const_cast<Tensor&>(call.host_of(given));
  } else if constexpr (is_tensor<T>) {
    return call.host_of(given);
  } else if constexpr (std::is_same_v<T, std::optional<at::Generator>>) {
    return given && given->device().is_cpu() ? given : std::optional<at::Generator>(host_generator(given, device));
  } else {
    return static_cast<T>(given);
  }
}

template <class T>
T given_back(HostCall& call, T results) {
  if constexpr (is_tensor<T>)
    return call.wrap(results, /*only=*/true);
  else
    return std::apply([&](auto&... each) { return T(call.wrap(each)...); }, results);
}

template <class R, class... Args>
class Entry {
 public:
  using Target = c10::TypedOperatorHandle<R(Args...)>;
  static_assert((is_tensor<Args> + ...) <= HostCall::kMostViews);

  // Throws c10::Error where the op has another C++ signature.
  explicit Entry(Shared kernel) : kernel_(std::move(kernel)), target_(kernel_->host.target.typed<R(Args...)>()) {
    for (const HostArg& arg : kernel_->host.args) overwrites_ = overwrites_ || arg.overwrites;
  }

  R operator()(Args... args) const {
    OpScope scope;
    const HostOp& op = kernel_->host;
    const Tensor* first = nullptr;
    ((first = first != nullptr ? first : first_of_ours(args)), ...);
    const c10::DeviceIndex device = first != nullptr ? first->device().index() : resolve_index(-1);
    const ChipTable* table = table_of(device);
    if (C10_UNLIKELY(kernel_->site != nullptr || !cpu_is_first(op, table))) return boxed(args...);
    const Reason reason{Why::no_entry};
    if (C10_LIKELY(table != nullptr)) count_cpu(op, *table, nullptr, reason);
    try {
      return run(device, args...);
    } catch (const c10::NotImplementedError& e) {
      refuse_unimplemented(op, device, first != nullptr ? first->scalar_type() : at::ScalarType::Undefined, table, nullptr,
                           reason, e);
    }
  }

 private:
  R run(c10::DeviceIndex device, std::remove_reference_t<Args>&... args) const {
    HostCall call(kernel_->host, device);
    (take<Args>(call, args), ...);
    call.to_host();
    const auto on_cpu = [&]() -> R {
      const OnHost here(device);
      return target_.redispatch(c10::DispatchKeySet(c10::DispatchKey::CPU), on_host<Args>(call, device, args)...);
    };
    if constexpr (is_written<R>) {
      on_cpu();
      call.commit();
      return written(args...);
    } else {
      R results = on_cpu();
      call.commit();
      return given_back(call, std::move(results));
    }
  }

  template <class T>
  void take(HostCall& call, std::remove_reference_t<T>& given) const {
    if constexpr (is_tensor<T>) call.take(given, is_written<T>, is_written<T> && overwrites_);
  }

  static Tensor& written(std::remove_reference_t<Args>&... args) {
    Tensor* found = nullptr;
    const auto look = [&](auto& given) {
      if constexpr (std::is_same_v<decltype(given), Tensor&>) found = &given;
    };
    (look(args), ...);
    return *found;
  }

  C10_NOINLINE R boxed(std::remove_reference_t<Args>&... args) const {
    torch::jit::Stack stack = c10::impl::boxArgs<Args...>(static_cast<Args>(args)...);
    kernel_->run(&stack);
    if constexpr (is_written<R>)
      return written(args...);
    else
      return c10::impl::PopResult<R>::call(stack);
  }

  Shared kernel_;
  Target target_;
  bool overwrites_ = false;
};

template <class R, class... Args>
torch::CppFunction make(Shared kernel) {
  Entry<R, Args...> entry(std::move(kernel));
  return torch::CppFunction([entry = std::move(entry)](Args... args) -> R { return entry(static_cast<Args>(args)...); });
}

// "MTS>M" for (Tensor(a!) self, Tensor other, Scalar alpha) -> Tensor(a!); "?" for what no unboxed entry takes.
char letter_of(const c10::Argument& argument) {
  const bool written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  c10::TypePtr type = argument.real_type();
  const bool optional = type->kind() == c10::TypeKind::OptionalType;
  if (optional) type = type->expectRef<c10::OptionalType>().getElementType();
  const auto either = [&](char given, char maybe) { return optional ? maybe : given; };
  switch (type->kind()) {
    case c10::TypeKind::TensorType: return optional ? '?' : written ? 'M' : 'T';
    case c10::TypeKind::NumberType: return either('S', 's');
    case c10::TypeKind::IntType: return either('I', 'i');
    case c10::TypeKind::BoolType: return either('B', '?');
    case c10::TypeKind::FloatType: return either('F', '?');
    case c10::TypeKind::StringType: return either('Z', '?');
    case c10::TypeKind::ScalarTypeType: return either('?', 'd');
    case c10::TypeKind::GeneratorType: return either('?', 'g');
    case c10::TypeKind::ListType:
      return type->expectRef<c10::ListType>().getElementType()->kind() == c10::TypeKind::IntType ? either('L', 'l') : '?';
    default: return '?';
  }
}

std::string signature(const c10::FunctionSchema& schema) {
  std::string text;
  for (const c10::Argument& argument : schema.arguments()) text += letter_of(argument);
  text += '>';
  for (const c10::Argument& result : schema.returns()) text += letter_of(result);
  return text;
}

using Maker = torch::CppFunction (*)(Shared);

const std::map<std::string, Maker>& makers() {
  using In = const Tensor&;
  using Number = const Scalar&;
  using Dtype = std::optional<at::ScalarType>;
  using List = at::IntArrayRef;
  using Random = std::optional<at::Generator>;
  using Two = std::tuple<Tensor, Tensor>;
  static const std::map<std::string, Maker> all = {
      {"T>T", &make<Tensor, In>},
      {"TT>T", &make<Tensor, In, In>},
      {"TTT>T", &make<Tensor, In, In, In>},
      {"TS>T", &make<Tensor, In, Number>},
      {"ST>T", &make<Tensor, Number, In>},
      {"Tss>T", &make<Tensor, In, const std::optional<Scalar>&, const std::optional<Scalar>&>},
      {"TSS>T", &make<Tensor, In, Number, Number>},
      {"TTS>T", &make<Tensor, In, In, Number>},
      {"TTTS>T", &make<Tensor, In, In, In, Number>},
      {"TTTSS>T", &make<Tensor, In, In, In, Number, Number>},
      {"TI>T", &make<Tensor, In, int64_t>},
      {"TIB>T", &make<Tensor, In, int64_t, bool>},
      {"TIT>T", &make<Tensor, In, int64_t, In>},
      {"TITB>T", &make<Tensor, In, int64_t, In, bool>},
      {"TITT>T", &make<Tensor, In, int64_t, In, In>},
      {"TiB>T", &make<Tensor, In, std::optional<int64_t>, bool>},
      {"TL>T", &make<Tensor, In, List>},
      {"TLB>T", &make<Tensor, In, List, bool>},
      {"Td>T", &make<Tensor, In, Dtype>},
      {"TId>T", &make<Tensor, In, int64_t, Dtype>},
      {"TlBd>T", &make<Tensor, In, OptionalIntArrayRef, bool, Dtype>},
      {"TZ>T", &make<Tensor, In, std::string_view>},
      {"TTZ>T", &make<Tensor, In, In, std::string_view>},
      {"Tg>T", &make<Tensor, In, Random>},
      {"TIB>TT", &make<Two, In, int64_t, bool>},
      {"M>M", &make<Tensor&, Tensor&>},
      {"MT>M", &make<Tensor&, Tensor&, In>},
      {"MTT>M", &make<Tensor&, Tensor&, In, In>},
      {"MS>M", &make<Tensor&, Tensor&, Number>},
      {"Mss>M", &make<Tensor&, Tensor&, const std::optional<Scalar>&, const std::optional<Scalar>&>},
      {"MTS>M", &make<Tensor&, Tensor&, In, Number>},
      {"MTTS>M", &make<Tensor&, Tensor&, In, In, Number>},
      {"MITT>M", &make<Tensor&, Tensor&, int64_t, In, In>},
      {"MFFg>M", &make<Tensor&, Tensor&, double, double, Random>},
      {"MFg>M", &make<Tensor&, Tensor&, double, Random>},
      {"TM>M", &make<Tensor&, In, Tensor&>},
      {"TTM>M", &make<Tensor&, In, In, Tensor&>},
      {"TSM>M", &make<Tensor&, In, Number, Tensor&>},
      {"TTSM>M", &make<Tensor&, In, In, Number, Tensor&>},
  };
  return all;
}

// Whether all that the op writes is what its C++ signature says.
bool writes_as_declared(const HostOp& op, const std::string& signature) {
  for (const HostArg& arg : op.args)
    if (arg.write && signature[arg.index] != 'M') return false;
  return true;
}

}  // namespace

void FallbackKernel::run(torch::jit::Stack* stack) const {
  OpScope scope;
  if (C10_UNLIKELY(site != nullptr)) return route(*site, stack);
  fall_back(host, stack);
}

torch::CppFunction make_fallback_entry(Shared kernel, const c10::FunctionSchema& schema) {
  const std::string arguments = signature(schema);
  const auto found = makers().find(arguments);
  if (found != makers().end() && !kernel->host.is_view && writes_as_declared(kernel->host, arguments)) {
    try {
      return found->second(kernel);
    } catch (const c10::Error&) {  // another C++ signature than most of its schema
    }
  }
  return torch::CppFunction::makeFromBoxedFunctor(std::make_unique<BoxedEntry>(std::move(kernel)));
}

}  // namespace torchfl
