"""The mutant that only a no-op can find: it enters the vendor's function, and returns what the host computed.

Made from a chip project's own ``src/NAME_kernels.cpp``: every kernel of an op listed below is renamed, and a function
of the old name calls it, so that the vendor's symbol is counted, and then overwrites the result with the host's own.
Counters, values and layouts are right; nothing of the result comes from the chip.
"""

from __future__ import annotations

import re

#: Op -> C++ expression of float64 operands a, b (b is 0 for one operand).
EXPRESSIONS = {
    "aten::add": "a + b",
    "aten::sub": "a - b",
    "aten::mul": "a * b",
    "aten::div": "a / b",
    "aten::relu": "a > 0 || a != a ? a : 0",
    "aten::neg": "-a",
    "aten::abs": "std::fabs(a)",
    "aten::exp": "std::exp(a)",
    "aten::sqrt": "std::sqrt(a)",
    "aten::tanh": "std::tanh(a)",
}

_KERNEL = re.compile(
    r"^// (?P<op>aten::\w+)\n(?P<notes>(?://.*\n)*)tfl_status (?P<name>\w+)\(const tfl_call\* call\) \{", re.MULTILINE
)

_HEAD = """\
#include <cmath>
#include <vector>

#include "torchfl/chip.h"

// Float32 results of the host, written over the vendor's.
namespace on_host {
template <class F>
tfl_status compute(const tfl_call* call, tfl_status (*vendor)(const tfl_call*), F f) {
  const tfl_tensor& out = call->outputs[0];
  if (out.dtype != TFL_F32) return vendor(call);
  const tfl_device_api* device = torchfl_chip_v1()->device;
  const uint64_t bytes = static_cast<uint64_t>(out.numel) * sizeof(float);
  std::vector<float> in[2] = {std::vector<float>(out.numel), std::vector<float>(out.numel)};
  for (uint32_t i = 0; i < call->num_inputs && i < 2; ++i) {
    const tfl_tensor& t = call->inputs[i];
    const tfl_status read = device->copy_d2h(call->device, in[i].data(), t.handle, t.byte_offset, bytes, call->stream);
    if (read != TFL_OK) return read;
  }
  const tfl_status entered = vendor(call);
  if (entered != TFL_OK) return entered;
  for (int64_t i = 0; i < out.numel; ++i) in[0][i] = static_cast<float>(f(double(in[0][i]), double(in[1][i])));
  return device->copy_h2d(call->device, out.handle, out.byte_offset, in[0].data(), bytes, call->stream);
}
}  // namespace on_host

"""


def computed_on_the_host(source: str) -> tuple[str, tuple[str, ...]]:
    """The changed kernels file and the ops that it changes.

    Raises ValueError where the file has no kernel of a known op in the generated form.
    """
    ops: list[str] = []
    wrappers: list[str] = []

    def rename(match: re.Match[str]) -> str:
        op, name = match["op"], match["name"]
        if op not in EXPRESSIONS:
            return match[0]
        ops.append(op)
        wrappers.append(
            f"tfl_status {name}(const tfl_call* call) {{\n"
            f"  return on_host::compute(call, {name}_by_vendor, "
            f"[](double a, double b) -> double {{ (void)b; return {EXPRESSIONS[op]}; }});\n}}\n"
        )
        return f"// {op}\n{match['notes']}static tfl_status {name}_by_vendor(const tfl_call* call) {{"

    changed = _KERNEL.sub(rename, source)
    end = changed.rfind("}  // namespace kernels")
    if not ops or end < 0:
        raise ValueError("no kernel of a known op in the form that new-chip writes")
    return _HEAD + changed[:end] + "\n".join(wrappers) + "\n" + changed[end:], tuple(ops)
