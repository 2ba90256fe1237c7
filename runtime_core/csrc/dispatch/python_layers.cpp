#include "dispatch/python_layers.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/csrc/utils/tensor_memoryformats.h>

#include <array>

#include "device/chip.h"

namespace py = pybind11;

namespace torchfl {
namespace {

constexpr c10::DispatchKeySet kAboveBackend =
    c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;

std::array<PyObject*, PolicyStep::kKinds>& servers() {
  static std::array<PyObject*, PolicyStep::kKinds> all{};  // owned references, kept to the end of the process
  return all;
}

bool python_ends() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

std::string full_name(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

// On the stack dtypes, layouts and memory formats are integers; Python's functions want the objects.
py::object to_python(const c10::Argument& declared, const c10::IValue& value) {
  c10::TypePtr type = declared.real_type();
  if (type->kind() == c10::TypeKind::OptionalType) type = type->expectRef<c10::OptionalType>().getElementType();
  const auto borrowed = [](auto* object) {
    return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(object));
  };
  if (value.isInt()) {
    const int64_t number = value.toInt();
    if (type->kind() == c10::TypeKind::ScalarTypeType)
      return borrowed(torch::getTHPDtype(static_cast<at::ScalarType>(number)));
    if (type->kind() == c10::TypeKind::LayoutType) return borrowed(torch::getTHPLayout(static_cast<at::Layout>(number)));
    if (type->kind() == c10::TypeKind::MemoryFormatType)
      return borrowed(torch::utils::getTHPMemoryFormat(static_cast<at::MemoryFormat>(number)));
  }
  return torch::jit::toPyObject(value);
}

// (selector, overload, args, kwargs), as the layer's methods take them.
py::tuple call_of(const HostOp& op, const ChipTable& table, const torch::jit::Stack& stack) {
  const auto& declared = op.target.schema().arguments();
  const size_t base = stack.size() - op.num_args;
  py::list args;
  py::dict kwargs;
  for (size_t i = 0; i < op.num_args; ++i) {
    py::object value = to_python(declared[i], stack[base + i]);
    if (declared[i].kwarg_only())
      kwargs[py::str(declared[i].name())] = value;
    else
      args.append(value);
  }
  return py::make_tuple(table.chip->selector(), full_name(op.target.operator_name()), py::tuple(args), kwargs);
}

void put_results(const HostOp& op, const py::object& result, torch::jit::Stack* stack) {
  const auto& returns = op.target.schema().returns();
  torch::jit::Stack values;
  if (returns.size() == 1) {
    values.push_back(torch::jit::toIValue(result, returns[0].type()));
  } else if (!returns.empty()) {
    const auto several = result.cast<py::sequence>();
    for (size_t i = 0; i < returns.size(); ++i) values.push_back(torch::jit::toIValue(several[i], returns[i].type()));
  }
  torch::jit::drop(*stack, op.num_args);
  for (c10::IValue& value : values) stack->push_back(std::move(value));
}

// Calls a method that gives (whether it serves, the result or a text, whether the answer holds for every call of the
// op); `use` takes the result where it serves. The GIL is held meanwhile.
template <class Use>
bool ask(PolicyStep::Kind layer, const char* method, const HostOp& op, const ChipTable& table,
         const torch::jit::Stack& stack, std::string* text, Use use) {
  const uint32_t bit = 1u << layer;
  if (op.hopeless.load(std::memory_order_relaxed) & bit) {
    *text = "the op has none";
    return false;
  }
  if (servers()[layer] == nullptr || python_ends()) {
    *text = "Python is not available";
    return false;
  }
  py::gil_scoped_acquire gil;
  try {
    c10::impl::ExcludeDispatchKeyGuard below(kAboveBackend);
    const py::handle server = servers()[layer];
    const auto answer = server.attr(method)(*call_of(op, table, stack)).cast<py::tuple>();
    if (answer[0].cast<bool>()) {
      use(answer[1]);
      return true;
    }
    *text = py::str(answer[1]);
    if (answer[2].cast<bool>()) op.hopeless.fetch_or(bit, std::memory_order_relaxed);
    return false;
  } catch (py::error_already_set& error) {
    error.restore();
    python_error passed;
    passed.persist();
    throw passed;
  }
}

}  // namespace

bool offered_by_python(PolicyStep::Kind layer, const HostOp& op, const ChipTable& table,
                       const torch::jit::Stack& stack, std::string* text) {
  return ask(layer, "offer", op, table, stack, text, [&](const py::object& said) { *text = py::str(said); });
}

bool serve_in_python(PolicyStep::Kind layer, const HostOp& op, const ChipTable& table, torch::jit::Stack* stack,
                     std::string* why) {
  return ask(layer, "serve", op, table, *stack, why,
             [&](const py::object& result) { put_results(op, result, stack); });
}

void bind_python_layers(py::module_& m) {
  m.def("set_python_layer", [](const std::string& name, const py::object& server) {
    for (int kind = 0; kind < PolicyStep::kKinds; ++kind) {
      if (name != step_name(static_cast<PolicyStep::Kind>(kind))) continue;
      Py_XDECREF(servers()[static_cast<size_t>(kind)]);
      servers()[static_cast<size_t>(kind)] = py::object(server).release().ptr();
      return;
    }
    throw py::key_error(name);
  });
}

}  // namespace torchfl
