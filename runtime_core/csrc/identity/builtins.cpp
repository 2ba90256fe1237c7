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
std::array<PyCFunctionWithKeywords, kAutocast.size()> below_alias, below_default;
getter torch_is_xpu;

// Autocast's dtype is a thread's own in torch: each thread takes the default when it first asks for or sets our dtype.
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

// The device_type argument of an autocast builtin, borrowed; nullptr where there is none.
PyObject* device_type(PyObject* args, PyObject* kwargs) {
  if (args != nullptr && PyTuple_GET_SIZE(args) > 0) return PyTuple_GET_ITEM(args, 0);
  return kwargs != nullptr ? PyDict_GetItemString(kwargs, "device_type") : nullptr;
}

template <size_t I>
PyObject* with_default(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (names(device_type(args, kwargs), "fl")) take_default();
  return below_default[I](self, args, kwargs);
}

template <size_t I>
PyObject* with_alias(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!names(device_type(args, kwargs), "xpu")) return below_alias[I](self, args, kwargs);
  PyRef ours(PyUnicode_InternFromString("fl"));
  if (!ours) return nullptr;
  if (args != nullptr && PyTuple_GET_SIZE(args) > 0) {
    const PyRef changed = with_first(args, std::move(ours));
    return changed ? below_alias[I](self, changed.get(), kwargs) : nullptr;
  }
  const PyRef changed(PyDict_Copy(kwargs));
  if (!changed || PyDict_SetItemString(changed.get(), "device_type", ours.get()) != 0) return nullptr;
  return below_alias[I](self, args, changed.get());
}

// Puts `function` in the place of the builtin's C function, which `below` then holds; `method` must outlive torch.
void replace_builtin(Swaps& swaps, PyObject* module, const char* name, PyCFunctionWithKeywords function,
                     PyCFunctionWithKeywords* below, PyMethodDef* method) {
  const PyRef found = attribute(module, name);
  if (!PyCFunction_CheckExact(found.get())) throw std::runtime_error(std::string("torch.") + name + " is not a builtin function");
  auto* builtin = reinterpret_cast<PyCFunctionObject*>(found.get());
  if (builtin->m_ml->ml_flags != (METH_VARARGS | METH_KEYWORDS))
    throw std::runtime_error(std::string("torch.") + name + " takes its arguments in another way");
  *below = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void*>(builtin->m_ml->ml_meth));
  *method = *builtin->m_ml;
  method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
  swaps.put(builtin->m_ml, method);
}

template <size_t I>
void alias_one(Swaps& swaps, PyObject* module) {
  static PyMethodDef method;
  replace_builtin(swaps, module, kAutocast[I], &with_alias<I>, &below_alias[I], &method);
}

template <size_t I>
void default_one(Swaps& swaps, PyObject* module) {
  static PyMethodDef method;
  replace_builtin(swaps, module, kAutocast[I], &with_default<I>, &below_default[I], &method);
}

PyRef torch_module() {
  PyRef torch(PyImport_ImportModule("torch"));
  if (!torch) {
    PyErr_Clear();
    throw std::runtime_error("torch is not imported");
  }
  return torch;
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

c10::ScalarType autocast_default() {
  return static_cast<c10::ScalarType>(default_dtype.load(std::memory_order_relaxed));
}

void patch_autocast_default(Swaps& swaps) {
  const PyRef torch = torch_module();
  default_one<2>(swaps, torch.get());
  default_one<3>(swaps, torch.get());
}

void patch_autocast(Swaps& swaps) {
  const PyRef torch = torch_module();
  alias_one<0>(swaps, torch.get());
  alias_one<1>(swaps, torch.get());
  alias_one<2>(swaps, torch.get());
  alias_one<3>(swaps, torch.get());
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
