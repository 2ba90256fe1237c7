// Why a call does not go to the chip's kernel, in words. No torch here.
#pragma once

#include "dispatch/binding.h"

namespace torchfl {

// A sentence part: "K = 300, but K must be a multiple of 128". `spec` and `binding` are those that the decision was
// made with; either may be nullptr where the reason does not speak of it.
std::string reason_text(const Reason& reason, const OpSpec* spec, const Binding* binding);

}  // namespace torchfl
