#include "identity/bind.h"

#include <torch/csrc/utils/pybind.h>

#include <map>
#include <stdexcept>
#include <string>

#include "identity/alias.h"
#include "identity/patches.h"

namespace py = pybind11;

namespace torchfl {
namespace {

struct Patch {
  void (*apply)(Swaps&);
  Swaps swaps;
};

Patch& patch_named(const std::string& name) {
  static auto* patches = new std::map<std::string, Patch>{{"device", {&patch_device_type, {}}},
                                                          {"constructors", {&patch_constructors, {}}},
                                                          {"autocast default", {&patch_autocast_default, {}}},
                                                          {"autocast", {&patch_autocast, {}}},
                                                          {"device methods", {&patch_methods, {}}},
                                                          {"is_xpu", {&patch_is_xpu, {}}}};  // leaked, as torch's types
  const auto found = patches->find(name);
  if (found == patches->end()) throw py::key_error(name);
  return found->second;
}

void apply(const std::string& name) {
  Patch& patch = patch_named(name);
  if (!patch.swaps.empty()) return;
  try {
    patch.apply(patch.swaps);
  } catch (...) {
    patch.swaps.undo();
    throw;
  }
}

}  // namespace

void bind_identity(py::module_& m) {
  m.def("register_identity", &register_identity, py::arg("alias") = true);
  m.def("unregister_identity", &unregister_identity);
  m.def("apply_patch", &apply);
  m.def("undo_patch", [](const std::string& name) { patch_named(name).swaps.undo(); });
  m.def("set_autocast_default", [](const std::string& dtype) {
    if (dtype != "float16" && dtype != "bfloat16") throw py::value_error(dtype);
    set_autocast_default(dtype == "bfloat16" ? c10::ScalarType::BFloat16 : c10::ScalarType::Half);
  });
  m.def("autocast_default", &autocast_default);
}

}  // namespace torchfl
