"""Whether any op of a header can run at once, or whether it only builds graphs or runs compiled models."""

from __future__ import annotations

import re
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
    said = _builder(model, matches)
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


def _on_device(model: HeaderModel, matches: Sequence[OpMatch], roles: Sequence[RoleMatch]) -> str:
    """What shows that a header's functions are called inside a device's kernel, or ""."""
    matched = {m.function for m in matches}
    found = [f for f in (*model.functions, *model.methods) if f.name in matched] or list(model.functions)
    if len(found) < 3:
        return ""
    local = [f for f in found if any(_type_words(p.type) & _LOCAL for p in f.params)]
    if 2 * len(local) > len(found):
        return f"its functions work on registers or local memory of a running kernel ({local[0].name} and others)"
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
