// torch.device, torch.Generator, torch.Stream and torch.Event as Python sees them.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/Device.h>
#include <torch/csrc/Event.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/Stream.h>

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "identity/patches.h"
#include "identity/python_object.h"

namespace torchfl {
namespace {

constexpr auto kOurs = c10::DeviceType::PrivateUse1;

// torch's own functions, valid while the patch is in place.
newfunc torch_new;
reprfunc torch_repr, torch_str;
richcmpfunc torch_compare;
hashfunc torch_hash;
getter torch_type;
PyCFunction torch_reduce;

c10::Device& device_in(PyObject* object) { return reinterpret_cast<THPDevice*>(object)->device; }

c10::Device ours(c10::Device device) {
  return device.type() == c10::DeviceType::XPU ? c10::Device(kOurs, device.index()) : device;
}

bool is_ours(PyObject* object) { return ours(device_in(object)).type() == kOurs; }

// The object itself, or for one that still carries torch's XPU type (made before init, or by torch's C++) one of ours.
PyRef normalised(PyObject* object) {
  if (THPDevice_Check(object) && device_in(object).type() == c10::DeviceType::XPU)
    return PyRef(THPDevice_New(ours(device_in(object))));
  return PyRef(Py_NewRef(object));
}

PyObject* new_device(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* made = torch_new(type, args, kwargs);
  if (made != nullptr && THPDevice_Check(made)) device_in(made) = ours(device_in(made));
  return made;
}

PyObject* device_repr(PyObject* self) {
  if (!is_ours(self)) return torch_repr(self);
  const c10::Device device = device_in(self);
  if (!device.has_index()) return PyUnicode_FromString("device(type='xpu')");
  return PyUnicode_FromFormat("device(type='xpu', index=%d)", static_cast<int>(device.index()));
}

PyObject* device_str(PyObject* self) {
  if (!is_ours(self)) return torch_str(self);
  const c10::Device device = device_in(self);
  if (!device.has_index()) return PyUnicode_FromString("xpu");
  return PyUnicode_FromFormat("xpu:%d", static_cast<int>(device.index()));
}

PyObject* device_compare(PyObject* a, PyObject* b, int operation) {
  const PyRef left = normalised(a), right = normalised(b);
  return left && right ? torch_compare(left.get(), right.get(), operation) : nullptr;
}

Py_hash_t device_hash(PyObject* self) {
  const PyRef normal = normalised(self);
  return normal ? torch_hash(normal.get()) : -1;
}

PyObject* device_type(PyObject* self, void* closure) {
  static PyObject* name = PyUnicode_InternFromString("xpu");  // leaked: as long-lived as torch's type
  return is_ours(self) ? Py_NewRef(name) : torch_type(self, closure);
}

PyObject* device_reduce(PyObject* self, PyObject* unused) {
  if (!is_ours(self)) return torch_reduce(self, unused);
  const c10::Device device = device_in(self);
  auto* type = reinterpret_cast<PyObject*>(&THPDeviceType);
  if (!device.has_index()) return Py_BuildValue("(O(s))", type, "xpu");
  return Py_BuildValue("(O(si))", type, "xpu", static_cast<int>(device.index()));
}

// A type's slot, and the wrapper by which Python code names it (torch.device.__repr__).
template <class F>
void swap_slot(Swaps& swaps, PyTypeObject* type, F& slot, F replacement, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const PyRef wrapper = attribute(reinterpret_cast<PyObject*>(type), name);
    if (Py_TYPE(wrapper.get()) != &PyWrapperDescr_Type)
      throw std::runtime_error(std::string(type->tp_name) + "." + name + " is not a slot's wrapper");
    auto* descriptor = reinterpret_cast<PyWrapperDescrObject*>(wrapper.get());
    if (descriptor->d_wrapped != reinterpret_cast<void*>(slot))
      throw std::runtime_error(std::string(type->tp_name) + "." + name + " does not call the type's slot");
    swaps.put(descriptor->d_wrapped, reinterpret_cast<void*>(replacement));
  }
  swaps.put(slot, replacement);
}

std::map<PyTypeObject*, newfunc>& torch_constructors() {
  static auto* map = new std::map<PyTypeObject*, newfunc>;  // leaked: used until the interpreter is gone
  return *map;
}

}  // namespace

PyRef as_our_device(PyObject* argument) {
  if (THPDevice_Check(argument)) {
    if (device_in(argument).type() != c10::DeviceType::XPU) return PyRef(nullptr);
    return normalised(argument);
  }
  if (!PyUnicode_Check(argument)) return PyRef(nullptr);
  const char* text = PyUnicode_AsUTF8(argument);
  if (text != nullptr && std::strncmp(text, "xpu", 3) == 0) {
    PyRef made(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&THPDeviceType), argument));
    if (made) {
      device_in(made.get()) = ours(device_in(made.get()));
      return made;
    }
  }
  PyErr_Clear();  // torch's constructor says what is wrong with the string
  return PyRef(nullptr);
}

namespace {

PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  newfunc original = nullptr;
  for (PyTypeObject* base = type; base != nullptr && original == nullptr; base = base->tp_base) {
    const auto found = torch_constructors().find(base);
    if (found != torch_constructors().end()) original = found->second;
  }
  if (original == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "torchfl: a constructor is called while torchfl shuts down");
    return nullptr;
  }
  PyRef new_args(nullptr), new_kwargs(nullptr);
  if (args != nullptr && PyTuple_GET_SIZE(args) > 0) {
    if (PyRef device = as_our_device(PyTuple_GET_ITEM(args, 0))) {
      new_args = with_first(args, std::move(device));
      if (!new_args) return nullptr;
    }
  }
  if (kwargs != nullptr) {
    if (PyObject* given = PyDict_GetItemString(kwargs, "device")) {
      if (const PyRef device = as_our_device(given)) {
        new_kwargs = PyRef(PyDict_Copy(kwargs));
        if (!new_kwargs || PyDict_SetItemString(new_kwargs.get(), "device", device.get()) != 0) return nullptr;
      }
    }
  }
  return original(type, new_args ? new_args.get() : args, new_kwargs ? new_kwargs.get() : kwargs);
}

}  // namespace

void patch_device_type(Swaps& swaps) {
  PyTypeObject* type = &THPDeviceType;
  auto* object = reinterpret_cast<PyObject*>(type);
  const PyRef type_attribute = attribute(object, "type"), reduce = attribute(object, "__reduce__");
  if (Py_TYPE(type_attribute.get()) != &PyGetSetDescr_Type || Py_TYPE(reduce.get()) != &PyMethodDescr_Type)
    throw std::runtime_error("torch.device.type or __reduce__ is not implemented in C as expected");
  auto* type_descriptor = reinterpret_cast<PyGetSetDescrObject*>(type_attribute.get());
  auto* reduce_descriptor = reinterpret_cast<PyMethodDescrObject*>(reduce.get());
  if (reduce_descriptor->d_method->ml_flags != METH_NOARGS) throw std::runtime_error("torch.device.__reduce__ takes arguments");
  torch_new = type->tp_new;
  torch_repr = type->tp_repr;
  torch_str = type->tp_str;
  torch_compare = type->tp_richcompare;
  torch_hash = type->tp_hash;
  torch_type = type_descriptor->d_getset->get;
  torch_reduce = reduce_descriptor->d_method->ml_meth;
  // torch's tables lie in read-only memory; the descriptors that point to them do not.
  static PyGetSetDef type_getter;
  static PyMethodDef reduce_method;
  type_getter = *type_descriptor->d_getset;
  type_getter.get = &device_type;
  reduce_method = *reduce_descriptor->d_method;
  reduce_method.ml_meth = &device_reduce;
  swaps.put(type->tp_new, &new_device);
  swap_slot(swaps, type, type->tp_repr, &device_repr, {"__repr__"});
  swap_slot(swaps, type, type->tp_str, &device_str, {"__str__"});
  swap_slot(swaps, type, type->tp_richcompare, &device_compare, {"__eq__", "__ne__"});
  swap_slot(swaps, type, type->tp_hash, &device_hash, {"__hash__"});
  swaps.put(type_descriptor->d_getset, &type_getter);
  swaps.put(reduce_descriptor->d_method, &reduce_method);
  PyType_Modified(type);
}

void patch_constructors(Swaps& swaps) {
  for (PyTypeObject* type : {reinterpret_cast<PyTypeObject*>(THPGeneratorClass), THPStreamClass, THPEventClass}) {
    if (type == nullptr) throw std::runtime_error("torch.Generator, torch.Stream or torch.Event is missing");
    // Kept after shutdown: a subclass made meanwhile has copied the slot.
    torch_constructors().emplace(type, type->tp_new);
    swaps.put(type->tp_new, &construct);
    PyType_Modified(type);
  }
}

}  // namespace torchfl
