// Small helpers over CPython's API.
#pragma once

#include <Python.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace torchfl {

// Owns one reference. Needs the GIL.
class PyRef {
 public:
  explicit PyRef(PyObject* owned) noexcept : object_(owned) {}
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }
  PyObject* get() const noexcept { return object_; }
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  PyObject* object_;
};

// An attribute that must be there. Throws std::runtime_error, with no Python error set.
inline PyRef attribute(PyObject* object, const char* name) {
  PyRef found(PyObject_GetAttrString(object, name));
  if (!found) {
    PyErr_Clear();
    throw std::runtime_error(std::string("torch has no attribute ") + name);
  }
  return found;
}

// A copy of a tuple with another first item; empty, with a Python error set, where memory is out.
inline PyRef with_first(PyObject* tuple, PyRef first) {
  const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
  PyRef copy(PyTuple_New(size));
  if (!copy) return copy;
  PyTuple_SET_ITEM(copy.get(), 0, first.release());
  for (Py_ssize_t i = 1; i < size; ++i) PyTuple_SET_ITEM(copy.get(), i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  return copy;
}

}  // namespace torchfl
