"""What is known of a vendor's objects and element types while shared C++ functions are planned."""

from __future__ import annotations

from collections.abc import Callable

from torchfl_sdk.header.model import CType, HeaderModel
from torchfl_sdk.match.elements import dtype_enums, element_dtype
from torchfl_sdk.match.handles import variable_type
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.match.recognise.parts import Parts
from torchfl_sdk.match.tagged import tagged
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.members import Members
from torchfl_sdk.scaffold.compose.helper import Helper, plain
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle, Lifecycles
from torchfl_sdk.scaffold.compose.structs import tagged_number
from torchfl_sdk.scaffold.kernel_plan import NotGenerated


class Library:
    """The objects of one header by their lifecycles, its dtypes, and the shared functions planned so far.

    ``opened``: the kind of object that stands for an opened device, of which there is one for all threads; or "".
    """

    def __init__(self, model: HeaderModel, status: StatusType, *, host: bool, opened: str = "") -> None:
        self.model, self.status, self.host, self.opened = model, status, host, opened
        self.lifecycles = Lifecycles(model)
        self.parts = Parts(model)
        self.dtypes = dtype_enums(model)
        self.members = Members(model)
        self._made: dict[tuple[str, str], Helper | NotGenerated] = {}
        self._open: set[tuple[str, str]] = set()

    def once(self, kind: str, key: str, make: Callable[[str], Helper]) -> Helper:
        """What ``make`` makes for ``key``, or why it cannot; asked once."""
        mark = (kind, key)
        if mark in self._open:
            raise NotGenerated(f"making a {key} needs another one")
        if mark not in self._made:
            self._open.add(mark)
            try:
                self._made[mark] = make(key)
            except NotGenerated as e:
                self._made[mark] = e
            finally:
                self._open.discard(mark)
        found = self._made[mark]
        if isinstance(found, NotGenerated):
            raise found
        return found

    def dtype(self, t: CType, *, compute: bool = False) -> Helper:
        """``bool name(tfl_dtype, ctype*)``; ``compute``: the type to compute in, wider than half precision."""
        values = self.dtypes.get(t.name, {})
        known = {d: c for d, c in values.items() if d in cxx.TFL_DTYPES}
        if not known:
            raise NotGenerated(f"{t.spelled} has no constant for a dtype that torchfl knows")
        byte = known.get("uint8") or known.get("int8")
        if not compute and byte and ("bool" not in known or self._of_unknown_size(t, known["bool"])):
            known["bool"] = byte  # torch's are one byte, 0 or 1
        if compute and "float32" in known:
            known |= dict.fromkeys(("float16", "bfloat16"), known["float32"])
        ctype = variable_type(t)
        name = f"{'compute' if compute else 'vendor'}_{plain(ctype)}"
        rows = [
            f"    case {cxx.TFL_DTYPES[d]}:\n      *out = {c};\n      return true;" for d, c in sorted(known.items())
        ]
        what = "The vendor's type to compute in for a dtype" if compute else "The vendor's name of a dtype"
        head = f"// {what}; false if it has none.\nbool {name}(tfl_dtype dtype, {ctype}* out) {{\n  switch (dtype) {{\n"
        text = head + "\n".join(rows) + "\n    default:\n      return false;\n  }\n}"
        return Helper(name, text, ctype=ctype)

    def _of_unknown_size(self, t: CType, constant: str) -> bool:
        """True for a constant whose comment leaves open how large its elements are."""
        enum = self.model.enums.get(t.name)
        found = (c.comment for c in enum.constants if c.name == constant) if enum else ()
        return any("implementation" in text.lower() for text in found)

    def served(self, t: CType) -> tuple[str, ...]:
        return tuple(d for d in self.dtypes.get(t.name, {}) if d in cxx.TFL_DTYPES)

    def element(self, life: Lifecycle) -> str:
        """The element type of a tensor struct that has no field for it, by its pointer; ""."""
        struct = self.model.structs.get(life.key)
        fields = struct.fields if struct is not None and life.layout is not None else ()
        data = next((f.type.pointee for f in fields if life.layout is not None and f.name == life.layout.data), None)
        return (element_dtype(data) or "") if data is not None else ""

    def tagged(self, t: CType) -> Helper | None:
        """``tfl_status name(dtype, value, struct* out)`` for a struct of one number beside its type."""
        found = tagged(self.model, t, self.dtypes)
        if found is None:
            return None
        return self.once("tagged", found.ctype, lambda _: tagged_number(found, self.dtypes[found.tag.name]))

    def life(self, key: str) -> Lifecycle:
        life = self.lifecycles.by_key(key)
        if life is None or not life.makers or not life.ctype:
            raise NotGenerated(f"no function of the header makes a {key}")
        return life
