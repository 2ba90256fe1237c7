"""Whether any op of a header can run at once, or whether it only builds graphs or runs compiled models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from torchfl_sdk.header.model import CType, Function, HeaderModel
from torchfl_sdk.match.model import Eager, OpMatch, RoleMatch
from torchfl_sdk.match.tokens import split, words

_GRAPH = frozenset(words("graph network subgraph model builder net program interpreter engine"))
_GRAPHS = frozenset(words("graph cgraph subgraph network"))
_BUILD = frozenset(words("build compile optimize finalize finish prepare load create parse"))
_RUN = frozenset(words("compute execute run invoke infer inference submit enqueue forward dispatch"))
#: Words of functions that run no model although they say "run": getters, callbacks, kernels.
_NO_RUN = frozenset(words("kernel function func host get set query mode callback register"))
#: Methods by which a class that has collected ops makes code of them, and runs it; and what such names are not.
_MAKES = frozenset(words("build compile codegen gen finalize instantiate lower prepare"))
_RUNS_ALL = frozenset(words("execute launch run infer invoke"))
_ASKS = frozenset(words("get set is has check query create_"))
_MANY_NODES = 5
_PLAIN = ("void", "char", "int", "float", "double", "bool", "long", "short", "unsigned")
_LOCAL = frozenset(words("local localtensor register registers fragment fragments tile accumulator"))
#: What a kernel asks the place of: itself among those that run beside it.
_WHERE = frozenset(words("core subcore block thread lane warp program subblock subgroup workgroup"))
_OFFER_DEVICE = "what would help: functions that the host calls on device buffers; these are for writing such kernels"
_OFFER_GRAPH = (
    "what would help: functions that run one op on device buffers at once (inputs, outputs, a queue), "
    "or a torch.compile backend that hands whole graphs to this builder"
)
_OFFER_MODEL = (
    "what would help: single-op entry points; a compiled model can serve torch.compile'd or exported programs, "
    "not eager ops"
)


def verdict(model: HeaderModel, matches: Sequence[OpMatch], roles: Sequence[RoleMatch] = ()) -> Eager:
    """Usable unless every op found only adds a node to a graph, or the header only loads and runs models."""
    said = _builder(model, matches) or _woven(model, matches)
    if said:
        return Eager(False, said, _OFFER_GRAPH)
    if matches and all(m.style == "graph" for m in matches):
        first = matches[0].function
        return Eager(
            False, f"its op functions add nodes to a graph ({first} and others); none runs an op", _OFFER_GRAPH
        )
    said = _on_device(model, matches, roles)
    if said:
        return Eager(False, said, _OFFER_DEVICE)
    tokens = [set(split(f.name)) for f in (*model.functions, *model.methods)]
    graphs = [
        f.name
        for f in model.functions
        if set(split(f.name)) & _GRAPHS
        and set(split(f.name)) & _RUN
        and any(_type_words(inner) & _GRAPHS for p in f.params for inner in (p.type, p.type.pointee) if inner)
    ]
    if matches and graphs and all(not {"output", "inout"} & {r for _, r in m.arguments} for m in matches):
        said = f"its op functions return nodes ({matches[0].function} and others), which {graphs[0]} runs as a graph"
        return Eager(False, said, _OFFER_GRAPH)
    if matches:
        return Eager(True)
    methods = [m for m in model.methods if _adds_node(m.name)]
    if len(methods) >= 3:
        owner = methods[0].namespace or "a class"
        return Eager(
            False, f"{owner} builds a graph ({methods[0].name.rsplit('::', 1)[-1]} and {len(methods) - 1} more methods "
            "add layers to it); none runs an op", _OFFER_GRAPH,
        )  # fmt: skip
    said = _builds_graphs(model) or _runs_models(model)
    if said:
        return Eager(False, said, _OFFER_MODEL)
    if any(role.role == "malloc" for role in roles):
        return Eager(True)  # a runtime's header: the ops are in another
    builds = any(w & _GRAPH and w & _BUILD for w in tokens)
    builds = builds or any(p.name.lower() in ("model", "graph", "blob") for f in model.functions for p in f.params)
    runs = any(w & _RUN and (w & _GRAPH or builds) for w in tokens)
    compiles = any("compile" in w for w in tokens) and any(w & _RUN and w & {"executable", "program"} for w in tokens)
    builds, runs = builds or compiles, runs or compiles
    if builds and runs:
        return Eager(False, "it loads and runs whole models or graphs; no function computes one op", _OFFER_MODEL)
    return Eager(True)


def _builder(model: HeaderModel, matches: Sequence[OpMatch]) -> str:
    """What shows that a class collects ops as nodes, makes code of them and runs them as one, or ""."""
    methods: dict[str, list[Function]] = {}
    classes = {m.namespace for m in model.methods}
    for method in (*model.methods, *(f for f in model.untrusted if f.namespace in classes)):
        if method.namespace and method.linkage == "c++":
            methods.setdefault(method.namespace, []).append(method)
    for owner, own in methods.items():
        tokens = [set(split(m.name.rsplit("::", 1)[-1])) for m in own]
        makes = next((m for m, w in zip(own, tokens, strict=True) if w & _MAKES and not w & _ASKS), None)
        runs = next((m for m, w in zip(own, tokens, strict=True) if w & _RUNS_ALL and not w & _ASKS), None)
        runs = runs or next((m for m in model.methods if m.name.rsplit("::", 1)[-1] in _RUNS_ALL), None)  # its base
        if makes is None or runs is None:
            continue
        nodes = {m.name for m in own if _returns_node(m)}
        outside = {m.function for m in matches if not m.function.startswith(f"{owner}::")}
        if len(nodes) >= _MANY_NODES and 2 * len(outside) < len(nodes):
            made, run = (m.name.rsplit("::", 1)[-1] for m in (makes, runs))
            first = min(nodes).rsplit("::", 1)[-1]
            return f"{owner} collects ops as nodes ({first} and others), which {made} makes ready and {run} runs as one"
    return ""


def _returns_node(method: Function) -> bool:
    """True for a method that gives an object of the type of an operand, or a collection of them."""
    result = _object(method.result.canonical)
    return bool(result) and any(_object(p.type.canonical) == result for p in method.params)


def _object(canonical: str) -> str:
    """The class of a pointer, a reference or a smart pointer; "" for a type without one."""
    shared = re.search(r"(?:shared|unique|intrusive)_ptr<([\w:]+)", canonical)
    if shared:
        return shared[1]
    plain = re.fullmatch(r"(?:const )?([A-Za-z_][\w:]*?) *[*&]+(?: *const)?", canonical)
    return plain[1] if plain and plain[1] not in _PLAIN and not plain[1].endswith("_t") else ""


#: Values of a graph that no op gives, and how one is marked as a result; a call that only does this moves no data.
_LEAVES = frozenset(words("input placeholder parameter argument variable feed"))
_MARKS = frozenset(words("output result results outputs mark root"))


def _woven(model: HeaderModel, matches: Sequence[OpMatch]) -> str:
    """What shows that functions give values of a graph that another makes ready, whatever the words for it; or "".

    All take the same object first and give what they take; inputs are declared on it without data, results are marked
    on it or it is turned into another object that no op takes.
    """
    functions = {f.name: f for f in model.functions}
    found = [functions[m.function] for m in matches if m.function in functions]
    if not found or any({"output", "inout"} & {r for _, r in m.arguments[1:]} for m in matches):
        return ""
    owners = Counter(_struct(f.params[0].type) for f in found if f.params)
    owner, count = owners.most_common(1)[0] if owners else ("", 0)
    values = Counter(_value(f.result) for f in found)
    value = values.most_common(1)[0][0]
    if not owner or not value or 10 * count < 9 * len(found) or 10 * values[value] < 9 * len(found):
        return ""
    own = [f for f in model.functions if f.params and _struct(f.params[0].type) == owner]
    nodes = [f for f in own if _value(f.result) == value and any(_value(p.type) == value for p in f.params[1:])]
    if len(nodes) < _MANY_NODES:
        return ""
    own = [f for f in own if f not in nodes]
    plain = [f for f in own if not any(_is_memory(p.type) for p in f.params)]
    leaf = next((f for f in plain if _value(f.result) == value and set(split(f.name)) & _LEAVES), None)
    mark = next(
        (f for f in plain if set(split(f.name)) & _MARKS and any(_value(p.type) == value for p in f.params)), None
    )
    ready = next((f for f in own if (made := _gives(f)) and made != owner and not any(
        _struct(p.type) == made for g in found for p in g.params)), None)  # fmt: skip
    if leaf is None or (mark is None and ready is None):
        return ""
    done = f", which {ready.name} makes ready" if ready is not None else ""
    return f"its op functions give values of a graph in a {owner} ({found[0].name} and others){done}; none runs an op"


def _struct(type_: CType) -> str:
    inner = type_.pointee if type_.kind == "pointer" else None
    return inner.name if inner is not None and inner.kind in ("struct", "void") and inner.name else ""


def _value(type_: CType) -> str:
    """The name of a number or of an object by pointer that stands for a value."""
    return type_.aliases[0] if type_.aliases else _struct(type_)


def _is_memory(type_: CType) -> bool:
    return type_.kind == "pointer" and type_.pointee is not None and type_.pointee.kind in ("void", "float")


def _gives(function: Function) -> str:
    """The struct of which a function gives an object, by address or as its result."""
    given = (p.type.pointee for p in function.params if p.type.kind == "pointer" and p.type.pointee is not None)
    return next((s for t in (*given, function.result) if (s := _struct(t))), "")


def _in_registers(function: Function) -> bool:
    """Whether it takes or gives what only a core has: vectors in registers, memory of its own."""
    types = [function.result, *(p.type for p in function.params)]
    return any("vector_size" in t.canonical or "address_space" in t.canonical for t in types)


def _on_device(model: HeaderModel, matches: Sequence[OpMatch], roles: Sequence[RoleMatch]) -> str:
    """What shows that a header's functions are called inside a device's kernel, or ""."""
    matched = {m.function for m in matches}
    found = [f for f in (*model.functions, *model.methods) if f.name in matched] or list(model.functions)
    if len(found) < 3:
        return ""
    local = [f for f in found if any(_type_words(p.type) & _LOCAL for p in f.params)]
    if 2 * len(local) > len(found):
        return f"its functions work on registers or local memory of a running kernel ({local[0].name} and others)"
    registers = [f for f in found if _in_registers(f)]
    if 2 * len(registers) > len(found):
        return f"its functions take and give registers of a running kernel ({registers[0].name} and others)"
    asks = [f for f in model.functions if not f.params and f.result.kind == "int" and _WHERE & set(split(f.name))
            and {"index", "idx", "id"} & set(split(f.name))]  # fmt: skip
    if len(asks) > 1 and not any(r.role in ("malloc", "memcpy", "memcpy_h2d", "stream_create") for r in roles):
        return f"its functions run inside a kernel, which asks where it runs ({asks[0].name} and others)"
    pointers = any(p.type.kind in ("pointer", "array", "struct") or p.type.pointee for f in found for p in f.params)
    if all(f.inline for f in found) and not pointers:
        return f"its functions are inline and take numbers only ({found[0].name} and others): they run inside a kernel"
    return ""


def _type_words(type_: CType) -> set[str]:
    if type_.canonical.startswith("std::"):
        return set()  # what it holds may be anything
    return {w for name in (type_.canonical, type_.spelled, *type_.aliases) for w in split(name)}


def _builds_graphs(model: HeaderModel) -> str:
    """What shows that ops become nodes of a graph, which is compiled and launched, or ""."""
    tokens = {f.name: set(split(f.name)) for f in model.functions}
    if any("launch" in w and w & {"kernel", "func", "function"} for w in tokens.values()):
        return ""  # kernels can be launched one by one
    nodes = [n for n, w in tokens.items() if w & {"node", "operation", "layer"} and w & {"add", "create"}]
    built = next((n for n, w in tokens.items() if w & _GRAPH and w & _BUILD and not w & {"create", "load"}), "")
    return f"ops are nodes ({nodes[0]}) of a graph that {built} makes ready" if nodes and built else ""


def _runs_models(model: HeaderModel) -> str:
    """What shows that a header sets inputs, runs something whole and gets outputs, or ""."""
    tokens = {f.name: set(split(f.name)) for f in model.functions}
    runs = next((n for n, w in tokens.items() if w & _RUN and not w & _NO_RUN), "")
    inputs = next((n for n, w in tokens.items() if w & {"input", "inputs"}), "")
    outputs = next((n for n, w in tokens.items() if w & {"output", "outputs"}), "")
    if runs and inputs and outputs:
        return f"it binds inputs ({inputs}), runs a whole model ({runs}) and fetches outputs ({outputs})"
    return ""


def _adds_node(name: str) -> bool:
    words = split(name.rsplit("::", 1)[-1])
    return (
        len(words) > 1 and words[0] in ("add", "append", "insert") and words[-1] in ("layer", "node", "op", "operation")
    )
