// Level I of the identity: Python sees the device as "xpu". Each patch replaces pointers inside torch's Python types
// and builtins, in place, so that every table that holds those objects (dynamo's, torch.overrides') stays right.
// What each is for, how it is checked and undone: torchfl/identity/table.py. All need the GIL.
#pragma once

#include <c10/core/ScalarType.h>

#include "identity/python_object.h"
#include "identity/swap.h"

namespace torchfl {

void patch_device_type(Swaps& swaps);     // torch.device: construction, printing, comparison, hash, .type, pickling
void patch_constructors(Swaps& swaps);    // torch.Generator, torch.Stream, torch.Event given an "xpu" device
void patch_autocast_default(Swaps& swaps);  // torch.get_autocast_dtype("fl") in a new thread: the profile's
void patch_autocast(Swaps& swaps);        // torch.is_autocast_enabled and its three relatives, given "xpu"
void patch_is_xpu(Swaps& swaps);          // torch.Tensor.is_xpu
void patch_methods(Swaps& swaps);         // torch.Tensor.xpu, pin_memory, is_pinned

// One of our devices for "xpu", "xpu:1" and a torch.device of torch's XPU type; nothing, and no Python error, for any other
// argument.
PyRef as_our_device(PyObject* argument);

// The dtype of torch.autocast("xpu") without a dtype, in every thread that has not set one since.
void set_autocast_default(c10::ScalarType dtype);
c10::ScalarType autocast_default();

}  // namespace torchfl
