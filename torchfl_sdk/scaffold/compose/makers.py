"""C++ functions that describe a tensor to the vendor, by whatever its objects are made and filled with."""

from __future__ import annotations

import re

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.handles import object_key
from torchfl_sdk.match.model import StatusType
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.classes.tensors import Tensors
from torchfl_sdk.scaffold.compose.code import Code
from torchfl_sdk.scaffold.compose.description import TensorArguments
from torchfl_sdk.scaffold.compose.helper import Helper, plain
from torchfl_sdk.scaffold.compose.keepers import Keepers
from torchfl_sdk.scaffold.compose.lifecycle import Lifecycle
from torchfl_sdk.scaffold.compose.structs import tensor_struct
from torchfl_sdk.scaffold.kernel_plan import NotGenerated


class Makers(Keepers):
    """The shared functions of one header, each planned at most once."""

    def __init__(self, model: HeaderModel, status: StatusType, *, host: bool, opened: str = "") -> None:
        super().__init__(model, status, host=host, opened=opened)
        self.tensors = Tensors(self)

    def tensor(self, key: str) -> Helper:
        """``tfl_status name(call, tensor, shape, ctype* out)`` for the descriptor or tensor object ``key``."""
        return self.once("tensor", key, self._tensor)

    def _tensor(self, key: str) -> Helper:
        filled = self.lifecycles.by_key(key)
        if filled is not None and filled.layout is not None:
            return tensor_struct(self, filled.layout, self._field_type(key, filled.layout.dtype))
        life = self.life(key)
        reasons: list[str] = []
        for with_rank in (True, False):
            for maker in life.makers:
                for filler in (None, *life.fillers):
                    try:
                        return self._describe(life, maker, filler, with_rank)
                    except NotGenerated as e:
                        reasons.append(str(e))
        why = next((r for r in reasons if "describes no" not in r), reasons[0] if reasons else "nothing makes one")
        raise NotGenerated(f"no function describes a tensor by a {life.ctype or key}: {why}")

    def _field_type(self, key: str, field: str) -> CType | None:
        """The type of a struct's field, which may be one of a struct within it; None for no field."""
        t: CType | None = None
        for name in filter(None, field.split(".")):
            t = next(f.type for f in self.model.structs[t.name if t is not None else key].fields if f.name == name)
        return t

    def _describe(self, life: Lifecycle, maker: Function, filler: Function | None, with_rank: bool) -> Helper:
        code = Code(self.status, names={"call", "t", "shape", "out"})
        before: list[str] = []
        found: set[str] = set()
        deferred = TensorArguments(self, life.key, code, before, found)
        steps = [f for f in (maker, filler) if f is not None]
        for function in steps:
            arguments = deferred.of(function)
            self._make(code, function, arguments, life.key)
        sized = "sizes" in found or {"size.0", "size.1", "size.2", "size.3"} <= found
        nested = {"description", "data"} <= found
        if not nested and (not sized or ("rank" in found) != with_rank):
            raise NotGenerated(f"{steps[-1].name} describes no tensor of any extents")
        if filler is not None and len(maker.params) > 1 + bool(object_key(maker.params[-1].type)):
            raise NotGenerated(f"{maker.name} describes no tensor alone")
        if nested:
            pass  # the description inside has checked the extents
        elif not with_rank:
            why = cxx.string("its extents are not those of images")
            code.lines.insert(0, f"if (shape.rank != 4) return torchfl::unsupported({why});")
        else:
            why = cxx.string("more dimensions than the vendor takes")
            code.lines.insert(0, f"if (shape.rank == 0) return torchfl::unsupported({why});")
        name = f"make_{plain(life.ctype)}"
        what = f"Describes a dense tensor to the vendor, by {' and '.join(f.name for f in steps)}."
        body = "\n".join(f"  {line}" for line in [*code.lines, "return TFL_OK;"])
        unused = [n for n in ("call", "t") if not re.search(rf"\b{n}\b", body)]
        parameters = [
            "const tfl_call* call",
            "const tfl_tensor& t",
            "const torchfl::Shape& shape",
            f"{life.ctype}* out",
        ]
        parameters = [p.rsplit(" ", 1)[0] if p.rsplit(" ", 1)[1] in unused else p for p in parameters]
        text = f"// {what}\n{cxx.call(f'tfl_status {name}', parameters, ' {')}\n{body}\n}}"
        return Helper(name, text, tuple(before), tuple(code.used), life.ctype, "data" in found)

    def _make(self, code: Code, function: Function, arguments: list[str], key: str) -> None:
        if object_key(function.result) == key:
            code.use(function)
            code.add(cxx.call(f"*out = vendor::{function.name}", arguments, ";", 2))
            why = cxx.string(f"{function.name} made no object of these values")
            code.add(f"if (*out == nullptr) return torchfl::unsupported({why});")
        else:
            code.call(function, arguments)
