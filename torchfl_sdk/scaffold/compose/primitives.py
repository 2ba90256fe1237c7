"""Primitives: an object made from a description, run over a list of (number, tensor object) pairs on a queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from torchfl_sdk.header.model import CType, Function, Struct
from torchfl_sdk.match.handles import object_key, out_key, variable_type
from torchfl_sdk.match.recognise.parts import Part
from torchfl_sdk.match.tokens import split
from torchfl_sdk.scaffold import cxx
from torchfl_sdk.scaffold.compose.composer import Composer
from torchfl_sdk.scaffold.compose.state import variable
from torchfl_sdk.scaffold.kernel_plan import NotGenerated

_RUNS = frozenset(("run", "execute", "exec", "launch", "invoke", "submit", "compute"))
#: Role of a tensor -> how vendors end the constants that number the arguments, the most exact first.
_ENDS: dict[str, tuple[str, ...]] = {
    "input": ("src 0", "input 0", "src", "input", "x"),
    "input2": ("src 1", "input 1", "other", "y"),
    "weight": ("weights", "weight", "weights 0", "filter"),
    "bias": ("bias",),
    "list": ("multiple src", "multiple input", "multiple srcs", "multiple inputs", "list"),
    "output": ("dst", "dst 0", "output", "output 0", "out"),
}

_NORM_ENDS: dict[str, tuple[str, ...]] = {
    "weight": ("scale", "gamma"),
    "bias": ("shift", "beta"),
    "running_mean": ("mean",),
    "running_var": ("variance", "var"),
}


def run(
    composer: Composer, function: Function, roles: Mapping[str, str], key: str, description: str
) -> tuple[str, ...]:
    """Write the calls that make a primitive from ``description`` and run it; the function that computes."""
    made, primitive = description, key
    executor = _executor(composer, key)
    if executor is None:
        maker, primitive = _maker(composer, key)
        life = composer.makers.lifecycles.by_key(primitive)
        assert life is not None
        made = composer.code.own(life.ctype, life.end, "primitive")
        out = f"{made}.out()"
        arguments = []
        for p in composer.makers.parts.of(maker):
            if out_key(p.param.type) == primitive:
                arguments.append(out)
            elif object_key(p.param.type) == key:
                arguments.append(description)
            else:
                role = composer.roles(maker).get(p.name, "")
                arguments.append(composer.argument(maker, p, role, ""))
        composer.code.call(maker, arguments)
        executor = _executor(composer, primitive)
    if executor is None:
        raise NotGenerated("no function runs what it makes")
    tensors = [r.removeprefix("desc.") for r in roles.values() if r.startswith("desc.") and r != "desc.stat"]
    if "output" not in tensors and composer.op.output_kinds[0] == "common":
        tensors.append("output")  # described like the input
    listed = composer.op.list_input and any(r.startswith("list.") for r in roles.values())
    if composer.kind == "norm":
        tensors += [name for name in composer.op.inputs[1:] if name not in tensors]
    pairs = _pairs(composer, executor, tensors, listed=listed)
    arguments = []
    for p in composer.makers.parts.of(executor):
        t = p.param.type
        if object_key(t) == primitive:
            arguments.append(made)
        elif _pair_struct(composer, t) is not None:
            arguments.append(f"{pairs}.data()" if listed else pairs)
        elif p.sort == "int":
            arguments.append(f"static_cast<{variable_type(t)}>(std::size({pairs}))")
        elif p.sort == "stream" or object_key(t):
            own = composer.makers.host
            arguments.append(composer.kept(object_key(t)) if own else composer.argument(executor, p, "stream", ""))
        else:
            raise NotGenerated(f"nothing says what {executor.name} should get as {p.name!r}")
    composer.code.call(executor, arguments)
    return (executor.name,)


def describe(
    composer: Composer, function: Function, roles: Mapping[str, str], parts: Sequence[Part]
) -> tuple[str, ...]:
    """The function fills a struct that describes the op, from which another makes what a primitive is made from."""
    place = next(p for p in parts if roles[p.name] == "out_desc")
    life = composer.makers.lifecycles.of(place.param.type)
    if life is None or not life.held:
        raise NotGenerated(f"{place.name!r} is a {place.param.type.spelled}, for which no kernel has room")
    described = composer.objects["out_desc"] = composer.code.hold(life.ctype, variable(place.name))
    composer.code.call(function, composer.arguments(function, roles))
    composer.code.filled(life, described)
    maker, taken, key = _from_description(composer, life.key)
    made = composer.makers.lifecycles.by_key(key)
    assert made is not None
    name, out = composer.code.place(made, made.ctype, "description")
    arguments = []
    for p in composer.makers.parts.of(maker):
        if out_key(p.param.type) == key:
            arguments.append(out)
        elif p.name == taken.name:
            arguments.append(described)
        elif object_key(p.param.type) == key:
            arguments.append("nullptr")  # a hint from another of its kind, which backward passes have
        else:
            arguments.append(composer.argument(maker, p, composer.roles(maker).get(p.name, ""), ""))
    composer.code.call(maker, arguments)
    return run(composer, function, roles, key, name)


def _from_description(composer: Composer, key: str) -> tuple[Function, Part, str]:
    """The function that takes the described op and makes what a primitive is made from, its argument, and that kind."""
    for function in composer.model.functions:
        parts = composer.makers.parts.of(function) if "create" in split(function.name) else ()
        made = [out_key(p.param.type) for p in parts if out_key(p.param.type)]
        taken = [p for p in parts if object_key(p.param.type) == key or _any_description(composer, p)]
        if len(made) != 1 or len(taken) != 1 or composer.makers.lifecycles.by_key(made[0]) is None:
            continue
        if _executor(composer, made[0]) is not None or _makes_primitives(composer, made[0]):
            return function, taken[0], made[0]
    raise NotGenerated("no function makes from its description something that runs")


def _makes_primitives(composer: Composer, key: str) -> bool:
    try:
        return bool(_maker(composer, key))
    except NotGenerated:
        return False


def _any_description(composer: Composer, part: Part) -> bool:
    """A pointer to a description of whichever op."""
    t = part.param.type
    if t.kind != "pointer" or t.pointee is None or t.pointee.kind != "void":
        return False
    life = composer.makers.lifecycles.of(t)
    return bool({"desc", "descriptor"} & {*part.words, *part.type_words}) and not (life and life.makers)


def _maker(composer: Composer, key: str) -> tuple[Function, str]:
    """The function that makes from one description the object that is run, and that object's key."""
    life = composer.makers.lifecycles.by_key(key)
    for user in life.users if life else []:
        made = [out_key(p.param.type) for p in composer.makers.parts.of(user) if out_key(p.param.type)]
        words = set(split(user.name))
        if len(made) == 1 and made[0] != key and "create" in words and _executor(composer, made[0]) is not None:
            return user, made[0]
    raise NotGenerated("no function makes from its description something that runs")


def _executor(composer: Composer, key: str) -> Function | None:
    """The function that runs an object over a list of numbered tensors."""
    life = composer.makers.lifecycles.by_key(key)
    for user in life.users if life else []:
        if set(split(user.name)) & _RUNS and any(_pair_struct(composer, p.type) for p in user.params):
            return user
    return None


def _pair_struct(composer: Composer, t: CType) -> Struct | None:
    """The struct of a number and a tensor object, if a parameter is a list of such."""
    if t.kind not in ("pointer", "array") or t.pointee is None or t.pointee.kind != "struct":
        return None
    struct = composer.model.structs.get(t.pointee.name)
    if struct is None or not struct.complete or len(struct.fields) != 2:
        return None
    number, tensor = struct.fields
    return struct if number.type.kind == "int" and object_key(tensor.type) else None


def _pairs(composer: Composer, executor: Function, tensors: Sequence[str], *, listed: bool) -> str:
    """The list of numbered tensor objects, as a variable; an optional tensor's object may be null. ``listed``: those of
    the op's list come behind, counted from the constant of the first."""
    struct = next(s for s in (_pair_struct(composer, p.type) for p in executor.params) if s is not None)
    key = object_key(struct.fields[1].type)
    rows = []
    for role in dict.fromkeys(tensors):
        tensor = composer.tensor(role)
        if not tensor:
            continue
        composer.tensors.add(tensor)
        rows.append(f"{{{_number(composer, role)}, {composer.described(key, tensor)}}}")
    ctype = struct.typedefs[0] if struct.typedefs else struct.name
    if listed:
        objects = composer.listed(key)
        first, number = _number(composer, "list"), cxx.bare(struct.fields[0].type.spelled)
        name = composer.code.name("arguments")
        composer.code.add(
            f"std::vector<{ctype}> {name} = {{{', '.join(rows)}}};",
            f"for (uint32_t i = 0; i < call->num_inputs; ++i) {name}.push_back("
            f"{{static_cast<{number}>({first} + i), {objects}[i]}});",
        )
        return name
    name = composer.code.name("arguments")
    composer.code.add(f"const {ctype} {name}[] = {{{', '.join(rows)}}};")
    return name


def _number(composer: Composer, role: str) -> str:
    """The constant that numbers a tensor's argument; in a list of constants of one beginning."""
    found = list(_argument_constants(composer))
    ends = _NORM_ENDS if composer.kind == "norm" and role in _NORM_ENDS else _ENDS
    for end in ends.get(role, ()):
        wanted = end.split()
        for words, name in found:
            if words == wanted:
                return name
    raise NotGenerated(f"no constant numbers the argument for the role {role!r}")


def _argument_constants(composer: Composer) -> Iterator[tuple[list[str], str]]:
    """Constants whose names hold ``arg``, with the words behind it."""
    names = [*composer.model.constants, *composer.model.aliases]
    names += [c.name for e in composer.model.enums.values() for c in e.constants]
    for name in names:
        words = split(name)
        at = next((i for i, w in enumerate(words) if w in ("arg", "argument")), -1)
        if at >= 0:
            behind = [w for word in words[at + 1 :] for w in _parted(word)]
            yield behind, name


def _parted(word: str) -> list[str]:
    """``src0`` as two words."""
    digits = word.lstrip("abcdefghijklmnopqrstuvwxyz")
    return [word.removesuffix(digits), digits] if digits and digits.isdigit() and digits != word else [word]
