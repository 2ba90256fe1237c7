#include "dispatch/unsupported.h"

#include <c10/util/Exception.h>

#include "dispatch/decide.h"

namespace torchfl {
namespace {

void (*raiser)(const std::string&) = nullptr;

// The available dtype that a person would cast to: of the same kind, the widest of common use first.
std::string nearest_dtype(at::ScalarType from, uint32_t available) {
  constexpr int32_t floats[] = {TFL_F32, TFL_F16, TFL_BF16, TFL_F64};
  constexpr int32_t integers[] = {TFL_I64, TFL_I32, TFL_I16, TFL_I8, TFL_U8, TFL_BOOL};
  const bool floating = c10::isFloatingType(from);
  const auto pick = [&](const auto& order) -> std::string {
    for (int32_t dtype : order)
      if (available >> dtype & 1u) return dtype_name(dtype);
    return "";
  };
  std::string near = floating ? pick(floats) : pick(integers);
  if (near.empty()) near = floating ? pick(integers) : pick(floats);
  return near;
}

}  // namespace

std::string unsupported_text(const std::string& op, const std::string& selector, at::ScalarType dtype,
                             const Binding* binding, const Reason& reason, const std::string& cpu_error) {
  const bool usable = binding != nullptr && binding->blocked == Why::none;
  const uint32_t available = usable ? binding->dtypes : 0;
  const int32_t number = tfl_dtype_of(dtype);
  const std::string name = number >= 0 ? dtype_name(number) : c10::toString(dtype);
  std::string text = "Op " + op + " not supported on device " + selector + " with dtype " + name;
  const bool about_dtype = reason.why == Why::dtype || reason.why == Why::mixed_dtypes;
  if (!about_dtype && reason.why != Why::no_entry && reason)
    text += ": " + reason_text(reason, binding != nullptr ? binding->spec : nullptr, binding);
  text += ". Available dtypes: [" + dtype_names(available) + "]. Suggested fix: ";
  const std::string near = nearest_dtype(dtype, available);
  if (about_dtype && !near.empty())
    text += "cast input to torch." + near + ".";
  else if (!cpu_error.empty())
    text += usable ? "change the call to what the profile allows; the CPU has no kernel for it either."
                   : "use an op or dtype that the CPU has; it says: " + cpu_error + ".";
  else
    text += std::string(usable ? "change the call to what the profile allows, or " : "") +
            "let the profile's fallback_policy use 'cpu' for " + op + ".";
  return text;
}

void raise_unsupported(const std::string& text) {
  if (raiser != nullptr) raiser(text);
  TORCH_CHECK_NOT_IMPLEMENTED(false, text);
}

void set_unsupported_raiser(void (*function)(const std::string&)) { raiser = function; }

}  // namespace torchfl
