// Methods of torch.Tensor that read a device in C++, where "xpu" and its index mean another backend: the C function behind
// each is replaced, the Python object stays.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/Device.h>
#include <torch/csrc/autograd/python_variable.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "identity/patches.h"
#include "identity/python_object.h"

namespace torchfl {
namespace {

// What a method's own code is to be given in the place of its device argument; nothing where that may stay as it is.
using Rewrite = PyRef (*)(PyObject* argument);

// Tensor.xpu() wants torch's XPU type, which an index or a device of ours is not; "xpu:1" is, and .to() makes it ours.
PyRef as_name(PyObject* argument) {
  c10::DeviceIndex index = -1;
  if (PyIndex_Check(argument) && !PyBool_Check(argument) && !THPVariable_Check(argument)) {  // NumPy's integers too
    const Py_ssize_t given = PyNumber_AsSsize_t(argument, nullptr);
    if (PyErr_Occurred() != nullptr) PyErr_Clear();
    if (given < 0 || given > INT8_MAX) return PyRef(nullptr);
    index = static_cast<c10::DeviceIndex>(given);
  } else if (THPDevice_Check(argument)) {
    const c10::Device device = reinterpret_cast<THPDevice*>(argument)->device;
    if (device.type() != c10::DeviceType::PrivateUse1) return PyRef(nullptr);
    index = device.index();
  } else {
    return PyRef(nullptr);
  }
  return PyRef(index < 0 ? PyUnicode_FromString("xpu") : PyUnicode_FromFormat("xpu:%d", static_cast<int>(index)));
}

struct Method {
  const char* name;
  Rewrite rewrite;
};
constexpr std::array<Method, 3> kMethods = {{{"xpu", &as_name}, {"pin_memory", &as_our_device}, {"is_pinned", &as_our_device}}};
std::array<PyCFunctionWithKeywords, kMethods.size()> below;  // torch's own, valid while the patch is in place

template <size_t I>
PyObject* with_device(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (args != nullptr && PyTuple_GET_SIZE(args) > 0) {
    if (PyRef device = kMethods[I].rewrite(PyTuple_GET_ITEM(args, 0))) {
      const PyRef changed = with_first(args, std::move(device));
      return changed ? below[I](self, changed.get(), kwargs) : nullptr;
    }
  } else if (kwargs != nullptr) {
    PyObject* given = PyDict_GetItemString(kwargs, "device");
    if (const PyRef device = given != nullptr ? kMethods[I].rewrite(given) : PyRef(nullptr)) {
      const PyRef changed(PyDict_Copy(kwargs));
      if (!changed || PyDict_SetItemString(changed.get(), "device", device.get()) != 0) return nullptr;
      return below[I](self, args, changed.get());
    }
  }
  return below[I](self, args, kwargs);
}

template <size_t I>
void replace_one(Swaps& swaps) {
  static PyMethodDef method;
  const std::string name = std::string("Tensor.") + kMethods[I].name;
  const PyRef found = attribute(THPVariableClass, kMethods[I].name);
  if (Py_TYPE(found.get()) != &PyMethodDescr_Type) throw std::runtime_error(name + " is not a C method");
  auto* descriptor = reinterpret_cast<PyMethodDescrObject*>(found.get());
  if (descriptor->d_method->ml_flags != (METH_VARARGS | METH_KEYWORDS))
    throw std::runtime_error(name + " takes its arguments in another way");
  below[I] = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void*>(descriptor->d_method->ml_meth));
  method = *descriptor->d_method;
  method.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&with_device<I>));
  swaps.put(descriptor->d_method, &method);
}

}  // namespace

void patch_methods(Swaps& swaps) {
  replace_one<0>(swaps);
  replace_one<1>(swaps);
  replace_one<2>(swaps);
}

}  // namespace torchfl
