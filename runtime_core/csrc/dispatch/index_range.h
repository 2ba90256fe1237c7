// Whether the values of an index lie inside the dimension that they index, before a kernel is told them.
#pragma once

#include "dispatch/decide.h"

namespace torchfl {

// Why::index for a call that PyTorch refuses because of an index's values. Only for an op with an index input.
//
// Reads the index on the host side: nothing moves where that is valid (an index that came from the CPU, memory that is
// mapped); one that the device has just computed is waited for and copied, once. PyTorch's own backends leave this to an
// assertion inside each kernel; a vendor's kernel has none that anybody could know of, unless the profile says so.
Reason index_outside(const Call& call);

}  // namespace torchfl
