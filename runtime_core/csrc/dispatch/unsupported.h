// torchfl.UnsupportedOpError: its text, and how C++ raises it.
#pragma once

#include <c10/core/ScalarType.h>

#include <string>

#include "dispatch/binding.h"

namespace torchfl {

// "Op aten::bmm not supported on device xpu:x1 with dtype float32. Available dtypes: [float16]. Suggested fix: cast
// input to torch.float16."
// `op` is the profile's name of the op. `binding` may be nullptr. `reason` is what kept the chip's kernel from it,
// `cpu_error` what the CPU said where it was tried too ("" if the policy did not let it).
std::string unsupported_text(const std::string& op, const std::string& selector, at::ScalarType dtype,
                             const Binding* binding, const Reason& reason, const std::string& cpu_error);

[[noreturn]] void raise_unsupported(const std::string& text);

// How to raise it as a Python exception; set by the module. Without it c10::NotImplementedError is thrown.
void set_unsupported_raiser(void (*raiser)(const std::string&));

}  // namespace torchfl
