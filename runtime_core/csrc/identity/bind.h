#pragma once

#include <pybind11/pybind11.h>

namespace torchfl {

void bind_identity(pybind11::module_& module);

}  // namespace torchfl
