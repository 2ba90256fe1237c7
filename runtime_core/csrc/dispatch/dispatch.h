// The dispatch half's place in the core: the boxed router, the CPU fallback and convolution, as PyTorch sees them.
#pragma once

namespace pybind11 {
class module_;
}

namespace torchfl {

// Registers, on PrivateUse1: a router for every catalogue overload that some chip binds, the CPU fallback
// explicitly on every other overload that needs it, convolution, and the global fallback. Call after the
// natively registered kernels (empty, copy_, set_...) are in place and after every binding has been added: slots
// that already have a kernel are left alone. A second call does nothing.
void register_dispatch();

// Takes all of that back, and forgets the bindings (the catalogue and the counters stay).
void unregister_dispatch();

// The Python side's functions: add_op, add_binding, set_policy, set_python_layer, set_unsupported_type, register_dispatch,
// unregister_dispatch, op_counters, reset_op_counters, fallback_reasons, decide, run_kernel.
void bind_dispatch(pybind11::module_& module);

}  // namespace torchfl
