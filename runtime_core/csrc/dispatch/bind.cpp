// The Python side's functions of the dispatch half. Thin: parse, call, convert.
#include <ATen/ScalarOps.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/pybind.h>

#include "device/activity.h"
#include "device/chip.h"
#include "dispatch/adapters.h"
#include "dispatch/dispatch.h"
#include "dispatch/launch.h"
#include "dispatch/python_layers.h"
#include "dispatch/router.h"
#include "dispatch/unsupported.h"

namespace py = pybind11;

namespace torchfl {
namespace {

PyObject* unsupported_type = nullptr;  // torchfl.UnsupportedOpError

void raise_in_python(const std::string& text) {
  py::gil_scoped_acquire gil;
  PyErr_SetString(unsupported_type != nullptr ? unsupported_type : PyExc_NotImplementedError, text.c_str());
  python_error error;
  error.persist();
  throw error;
}

PyObject* layout_notice = nullptr;

void tell_python_of_layout(const std::string& op, const std::string& selector, const std::string& expected,
                           const std::string& got) {
  py::gil_scoped_acquire gil;
  try {
    py::reinterpret_borrow<py::function>(layout_notice)(op, selector, expected, got);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("torchfl's layout notice");
  }
}

std::vector<std::string> strings(const py::handle& value) { return value.cast<std::vector<std::string>>(); }

// {name, functional, inplace, out, scalar, scalar_inplace, reference, inputs, list_input, optional_inputs, input_kinds,
// output_kinds, hidden_outputs, excluded_dtypes, attrs: [(name, kind, choices, required, epsilon)], contiguous, shape_rule,
// dtype_rule}
void add_op_from(const py::dict& from) {
  OpSpec spec;
  spec.name = py::str(from["name"]);
  spec.functional = py::str(from["functional"]);
  spec.inplace = py::str(from["inplace"]);
  spec.out = py::str(from["out"]);
  spec.scalar = py::str(from["scalar"]);
  spec.scalar_inplace = py::str(from["scalar_inplace"]);
  spec.reference = py::str(from["reference"]);
  spec.list_input = from["list_input"].cast<bool>();
  for (const std::string& kind : strings(from["input_kinds"])) spec.input_kinds.push_back(tensor_kind(kind));
  for (const std::string& kind : strings(from["output_kinds"])) spec.output_kinds.push_back(tensor_kind(kind));
  spec.inputs = strings(from["inputs"]);
  for (const std::string& name : strings(from["optional_inputs"]))
    for (size_t i = 0; i < spec.inputs.size(); ++i)
      if (spec.inputs[i] == name) spec.optional_inputs |= 1u << i;
  spec.hidden_outputs = from["hidden_outputs"].cast<size_t>();
  for (const std::string& name : strings(from["excluded_dtypes"])) spec.excluded_dtypes |= 1u << dtype_by_name(name);
  for (const auto& item : from["attrs"]) {
    const auto [name, kind, choices, required, epsilon] =
        item.cast<std::tuple<std::string, std::string, std::vector<std::string>, bool, bool>>();
    spec.attrs.push_back({name, attr_kind(kind), choices, required, epsilon});
  }
  spec.contiguous = from["contiguous"].cast<bool>();
  spec.shape_rule = shape_rule(py::str(from["shape_rule"]));
  spec.dtype_rule = dtype_rule(py::str(from["dtype_rule"]));
  add_op(std::move(spec));
}

// {selector, op, impl, overloads, dtypes, constraints: [(variable, allowed | None, min | None, max | None,
// multiple_of | None)], layout, inplace, broadcast, routes, alignment, pad, shifts, checks_index}
void add_binding_from(const py::dict& from) {
  BindingSpec spec;
  spec.selector = py::str(from["selector"]);
  spec.op = py::str(from["op"]);
  spec.impl = py::str(from["impl"]);
  spec.overloads = strings(from["overloads"]);
  spec.dtypes = strings(from["dtypes"]);
  using Row = std::tuple<std::string, std::optional<std::vector<double>>, std::optional<double>, std::optional<double>,
                         std::optional<int64_t>>;
  for (auto& [variable, allowed, min, max, multiple_of] : from["constraints"].cast<std::vector<Row>>()) {
    Constraint constraint;
    constraint.name = variable;
    constraint.listed = allowed.has_value();
    if (allowed) constraint.allowed = *allowed;
    constraint.min = min;
    constraint.max = max;
    constraint.multiple_of = multiple_of;
    spec.constraints.push_back(std::move(constraint));
  }
  spec.layout = py::str(from["layout"]);
  spec.inplace = from["inplace"].cast<bool>();
  spec.broadcast = from["broadcast"].cast<bool>();
  spec.routes = from["routes"].cast<bool>();
  spec.alignment = from["alignment"].cast<uint32_t>();
  spec.pad = from["pad"].cast<bool>();
  spec.shifts = from["shifts"].cast<bool>();
  spec.checks_index = from["checks_index"].cast<bool>();
  add_binding(spec);
}

// [(op, selector, native, adapted, op_specific, decomposed, onnxruntime, cpu, declined)], only rows with a count.
py::list counters() {
  py::list rows;
  const auto& selectors = chip_selectors();
  for (const auto& [op, per_chip] : all_counts())
    for (size_t chip = 0; chip < selectors.size(); ++chip) {
      const Counts& c = per_chip[chip];
      if (c.native + c.adapted + c.op_specific + c.decomposed + c.onnxruntime + c.cpu + c.declined != 0)
        rows.append(py::make_tuple(op, selectors[chip], c.native, c.adapted, c.op_specific, c.decomposed,
                                   c.onnxruntime, c.cpu, c.declined));
    }
  return rows;
}

// [(op, selector, reason, count)]
py::list fallback_reasons() {
  py::list rows;
  const auto& selectors = chip_selectors();
  for (const auto& [chip, row] : all_reasons())
    rows.append(py::make_tuple(row.op, selectors[static_cast<size_t>(chip)], row.reason, row.count));
  return rows;
}

// PyTorch hands a number that stands for a tensor (`t * 2`) to Python as the number; the schema wants the tensor.
py::object as_argument(const c10::Argument& declared, const py::handle& value) {
  const bool number = PyBool_Check(value.ptr()) || PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()) ||
                      PyComplex_Check(value.ptr());
  if (!number || declared.type()->kind() != c10::TypeKind::TensorType) return py::reinterpret_borrow<py::object>(value);
  at::Tensor wrapped = c10::scalar_to_tensor(torch::jit::toIValue(value, c10::NumberType::get()).toScalar());
  wrapped.unsafeGetTensorImpl()->set_wrapped_number(true);
  return py::cast(wrapped);
}

// What would serve this overload: (layer, kernel, reason, selector).
py::tuple decide_overload(const std::string& overload, const py::args& args, const py::kwargs& kwargs) {
  OpScope scope;
  const size_t dot = overload.find('.');
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(
      overload.substr(0, dot).c_str(), dot == std::string::npos ? "" : overload.substr(dot + 1).c_str());
  const auto& declared = op.schema().arguments();
  py::tuple positional(args.size());
  for (size_t i = 0; i < args.size(); ++i)
    positional[i] = i < declared.size() ? as_argument(declared[i], args[i]) : py::object(args[i]);
  py::kwargs named;
  for (const auto& [name, value] : kwargs) {
    const auto index = op.schema().argumentIndexWithName(name.cast<std::string>());
    named[name] = index ? as_argument(declared[static_cast<size_t>(*index)], value)
                        : py::reinterpret_borrow<py::object>(value);
  }
  torch::jit::Stack stack = torch::jit::createStackForSchema(
      op.schema(), torch::jit::tuple_slice(positional), named, std::nullopt);
  const auto selector = [](c10::DeviceIndex device) {
    const ChipTable* table = device >= 0 ? table_of(device) : nullptr;
    return table != nullptr ? table->chip->selector() : std::string();
  };
  if (const Site* site = find_site(overload)) {
    const Explanation found = explain(*site, stack);
    return py::make_tuple(layer_name(found.layer), found.binding != nullptr ? found.binding->impl : "", found.reason,
                          selector(device_of(site->host, stack)));
  }
  const HostOp host(op, nullptr);
  const Explanation found = explain_fallback(host, stack);
  return py::make_tuple(layer_name(found.layer), found.binding != nullptr ? found.binding->impl : "", found.reason,
                        selector(device_of(host, stack)));
}

c10::IValue attr_value(const py::handle& value) {
  if (value.is_none()) return {};
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<int64_t>();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  return value.cast<std::vector<int64_t>>();
}

// A dtype by its name, as PyTorch's schemas have it.
c10::IValue dtype_value(const py::handle& value) {
  if (value.is_none()) return {};
  const int32_t wanted = dtype_by_name(value.cast<std::string>());
  for (int i = 0; i < static_cast<int>(c10::ScalarType::NumOptions); ++i)
    if (wanted >= 0 && tfl_dtype_of(static_cast<c10::ScalarType>(i)) == wanted) return static_cast<int64_t>(i);
  throw py::value_error("no chip has the dtype '" + value.cast<std::string>() + "'");
}

// Runs one kernel on device tensors without any limit of the profile: (status, output | None, error text); of an op with
// several outputs a tuple of them, None for those that the kernel does not write. With
// `inplace` the first input receives the result. With `channels_last` images are given NHWC, with `shifts` int8 as uint8.
py::tuple run_kernel(int device, const std::string& impl, const std::string& op,
                     const std::vector<std::optional<at::Tensor>>& inputs, const py::list& attrs, bool inplace,
                     bool channels_last, bool shifts) {
  OpScope scope;
  const OpSpec* spec = find_op(op);
  if (spec == nullptr) throw py::key_error("op '" + op + "' is not in the catalogue");
  Chip& chip = chip_of(static_cast<c10::DeviceIndex>(device));
  const auto binding = unlimited_binding(chip, *spec, impl);
  if (binding == nullptr) throw py::key_error(chip.selector() + " has no kernel '" + impl + "'");
  if (channels_last) binding->layout = KernelLayout::channels_last;
  binding->shifts = shifts;
  if ((spec->list_input ? inputs.empty() || inputs.size() > kMaxInputs : inputs.size() != spec->inputs.size()) || attrs.size() != spec->attrs.size())
    throw py::value_error(op + " takes " + std::to_string(spec->inputs.size()) + " inputs and " +
                          std::to_string(spec->attrs.size()) + " attributes");
  Call call;
  call.spec = spec;
  call.num_inputs = inputs.size();
  std::vector<c10::IValue> values;
  for (size_t i = 0; i < attrs.size(); ++i)
    values.push_back(spec->attrs[i].kind == AttrKind::dtype ? dtype_value(attrs[i]) : attr_value(attrs[i]));
  for (size_t i = 0; i < inputs.size(); ++i)
    call.inputs[i] = inputs[i].has_value() && inputs[i]->defined() ? &*inputs[i] : nullptr;
  for (size_t i = 0; i < values.size(); ++i) call.attr_values[i] = &values[i];
  if (inplace) {
    call.form = spec->inplace.empty() ? Form::out : Form::inplace;  // maximum has no in-place form, only out=
    call.destination = call.inputs[0];
  }
  call.device = device_of(call);
  const Reason reason = decide(call, binding.get(), /*limits=*/false);
  if (reason) return py::make_tuple("INVALID_ARGUMENT", py::none(), reason_text(reason, spec, binding.get()));
  if (call.empty) return py::make_tuple("INVALID_ARGUMENT", py::none(), "the output has no elements");
  at::Tensor outputs[kMaxOutputs];
  tfl_status status = TFL_OK;
  std::string error;
  {
    py::gil_scoped_release no_gil;
    status = launch_status(call, *binding, outputs);
    if (status != TFL_OK) error = chip.last_error();
    if (inplace) outputs[0] = *call.destination;
  }
  if (status != TFL_OK || spec->num_outputs() == 1)
    return py::make_tuple(status_name(status), status == TFL_OK ? py::cast(outputs[0]) : py::none(), error);
  py::tuple several(spec->num_outputs());
  for (size_t i = 0; i < several.size(); ++i) several[i] = outputs[i].defined() ? py::cast(outputs[i]) : py::none();
  return py::make_tuple(status_name(status), several, error);
}

}  // namespace

void bind_dispatch(py::module_& m) {
  set_unsupported_raiser(&raise_in_python);
  m.def("set_unsupported_type", [](const py::object& type) { unsupported_type = type.inc_ref().ptr(); });
  m.def("set_layout_notice", [](const py::object& notice) {
    layout_notice = notice.inc_ref().ptr();
    set_layout_notice(&tell_python_of_layout);
  });
  m.def("add_op", &add_op_from);
  m.def("add_binding", &add_binding_from);
  m.def("set_policy", &set_policy);
  m.def("register_dispatch", [] { register_dispatch(); });
  m.def("forget_chips", [] { forget_chips(); });
  m.def("unregister_dispatch", [] { unregister_dispatch(); });
  m.def("op_counters", &counters);
  m.def("reset_op_counters", [] { reset_counts(); });
  m.def("fallback_reasons", &fallback_reasons);
  m.def("decide", &decide_overload);
  bind_python_layers(m);
  m.def("run_kernel", &run_kernel, py::arg("device"), py::arg("impl"), py::arg("op"), py::arg("inputs"),
        py::arg("attrs"), py::arg("inplace") = false, py::arg("channels_last") = false, py::arg("shifts") = false);
}

}  // namespace torchfl
