// torch's autocast builtins and Tensor.is_xpu: the C function behind each is replaced, the Python object stays.
#include <torch/csrc/python_headers.h>

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/python_variable.h>

#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "identity/patches.h"
#include "identity/python_object.h"

namespace torchfl {
namespace {

constexpr std::array<const char*, 4> kAutocast = {"is_autocast_enabled", "set_autocast_enabled", "get_autocast_dtype",
                                                  "set_autocast_dtype"};
std::array<PyCFunctionWithKeywords, kAutocast.size()> torch_autocast;
getter torch_is_xpu;

// Autocast's dtype is a thread's own in torch: each thread takes the default at its first question about our device.
std::atomic<int> default_dtype{static_cast<int>(c10::ScalarType::Half)};
std::atomic<int> default_version{0};

void take_default() {
  thread_local int taken = 0;
  const int version = default_version.load(std::memory_order_acquire);
  if (taken == version) return;
  taken = version;
  at::autocast::set_autocast_dtype(c10::DeviceType::PrivateUse1,
                                   static_cast<c10::ScalarType>(default_dtype.load(std::memory_order_relaxed)));
}

bool names(PyObject* argument, const char* name) {
  return argument != nullptr && PyUnicode_Check(argument) && PyUnicode_CompareWithASCIIString(argument, name) == 0;
}

template <size_t I>
PyObject* autocast(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* positional = args != nullptr && PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  PyObject* named = kwargs != nullptr ? PyDict_GetItemString(kwargs, "device_type") : nullptr;
  const bool alias = names(positional, "xpu") || names(named, "xpu");
  if (alias || names(positional, "fl") || names(named, "fl")) take_default();
  if (!alias) return torch_autocast[I](self, args, kwargs);
  PyRef ours(PyUnicode_InternFromString("fl"));
  if (!ours) return nullptr;
  if (positional != nullptr) {
    const PyRef changed = with_first(args, std::move(ours));
    return changed ? torch_autocast[I](self, changed.get(), kwargs) : nullptr;
  }
  const PyRef changed(PyDict_Copy(kwargs));
  if (!changed || PyDict_SetItemString(changed.get(), "device_type", ours.get()) != 0) return nullptr;
  return torch_autocast[I](self, args, changed.get());
}

template <size_t I>
void patch_one(Swaps& swaps, PyObject* module) {
  const PyRef function = attribute(module, kAutocast[I]);
  if (!PyCFunction_CheckExact(function.get()))
    throw std::runtime_error(std::string("torch.") + kAutocast[I] + " is not a builtin function");
  auto* builtin = reinterpret_cast<PyCFunctionObject*>(function.get());
  if (builtin->m_ml->ml_flags != (METH_VARARGS | METH_KEYWORDS))
    throw std::runtime_error(std::string("torch.") + kAutocast[I] + " takes its arguments in another way");
  torch_autocast[I] = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void*>(builtin->m_ml->ml_meth));
  static PyMethodDef method;
  method = *builtin->m_ml;
  method.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&autocast<I>));
  swaps.put(builtin->m_ml, &method);
}

PyObject* is_xpu(PyObject* self, void* closure) {
  PyObject* answer = torch_is_xpu(self, closure);
  // A subclass's __torch_function__ has answered by coming here again for the plain tensor.
  if (answer != Py_False || !THPVariable_Check(self)) return answer;
  try {
    if (THPVariable_Unpack(self).device().type() != c10::DeviceType::PrivateUse1) return answer;
  } catch (const std::exception&) {  // a tensor without a device
    return answer;
  }
  Py_DECREF(answer);
  Py_RETURN_TRUE;
}

}  // namespace

void set_autocast_default(c10::ScalarType dtype) {
  default_dtype.store(static_cast<int>(dtype), std::memory_order_relaxed);
  default_version.fetch_add(1, std::memory_order_release);
}

void patch_autocast(Swaps& swaps) {
  const PyRef torch(PyImport_ImportModule("torch"));
  if (!torch) {
    PyErr_Clear();
    throw std::runtime_error("torch is not imported");
  }
  patch_one<0>(swaps, torch.get());
  patch_one<1>(swaps, torch.get());
  patch_one<2>(swaps, torch.get());
  patch_one<3>(swaps, torch.get());
}

void patch_is_xpu(Swaps& swaps) {
  const PyRef property = attribute(THPVariableClass, "is_xpu");
  if (Py_TYPE(property.get()) != &PyGetSetDescr_Type) throw std::runtime_error("Tensor.is_xpu is not a C property");
  auto* descriptor = reinterpret_cast<PyGetSetDescrObject*>(property.get());
  torch_is_xpu = descriptor->d_getset->get;
  static PyGetSetDef definition;
  definition = *descriptor->d_getset;
  definition.get = &is_xpu;
  swaps.put(descriptor->d_getset, &definition);
}

}  // namespace torchfl
