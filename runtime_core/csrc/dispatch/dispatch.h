// The dispatch half's place in the core: the boxed router, the CPU fallback and convolution, as PyTorch sees them.
#pragma once

namespace pybind11 {
class module_;
}

namespace torchfl {

// Ops are stopped (device/activity.h) while any of these runs.

// Registers, on PrivateUse1: a router for every catalogue overload that some chip binds, the CPU fallback
// explicitly on every other overload that needs it, convolution, and the global fallback. Call after the
// natively registered kernels (empty, copy_, set_...) are in place and after every binding has been added: slots
// that already have a kernel are left alone. A second call adds what is new (bindings, ops of libraries that have been
// imported since) and binds the rest anew.
void register_dispatch();

// Forgets the bindings (the catalogue and the counters stay). The kernels stay: PyTorch's dispatcher reads its tables
// without locks, and another thread may be on its way into one.
void forget_chips();

// Takes the kernels back too. Only while no device has ever been used: then no thread can be in one.
void unregister_dispatch();

// The Python side's functions: add_op, add_binding, set_policy, set_python_layer, set_unsupported_type, register_dispatch,
// forget_chips, unregister_dispatch, op_counters, reset_op_counters, fallback_reasons, decide, run_kernel.
void bind_dispatch(pybind11::module_& module);

}  // namespace torchfl
