"""C++ arguments of functions over several tensors and plain pointers: addresses, each tensor's share of a run."""

from __future__ import annotations

from torchfl_sdk.match.model import Argument
from torchfl_sdk.scaffold import cxx

#: Elements of all tensors between two runs of one of them: by what an argument counts.
_EACH = {"width": "along.outer", "extent": "along.outer * along.inner"}


def addresses(a: Argument, before: list[str]) -> str:
    """The array of the tensors' addresses; adds to the lines ahead of the call."""
    element = a.ctype.rsplit("*", 1)[0].strip().removesuffix("const").strip()
    return _array(a, "tensors", element, f"auto tensors = torchfl::addresses<{cxx.pointee(element)}>(*call);", before)


def widths(a: Argument, before: list[str]) -> str:
    """The array of their shares."""
    element = cxx.bare(cxx.pointee(a.ctype))
    each = _EACH[dict(a.values)["unit"]]
    before.append(f"std::vector<{element}> shares;")
    why = cxx.string(f"an extent beyond {element}")
    line = f"if (!torchfl::runs(*call, {each}, &shares)) return torchfl::unsupported({why});"
    return _array(a, "shares", element, line, before)


def width(a: Argument, index: str) -> str:
    """One tensor's share, as an int64_t expression."""
    return f"call->inputs[{index}].numel / ({_EACH[a.value]})"


def _array(a: Argument, variable: str, element: str, line: str, before: list[str]) -> str:
    before.append(line)
    if a.value != "device":
        return f"{variable}.data()"
    before.append(f"torchfl::DeviceArray<{element}> device_{variable}(device::api, *call);")
    before.append(f"TFL_TRY(device_{variable}.fill({variable}));")
    return f"device_{variable}.data()"
