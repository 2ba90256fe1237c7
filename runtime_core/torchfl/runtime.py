"""Starting and stopping torchfl in a process, and what is loaded in it.

``init()`` loads the core and the chips' libraries and registers everything with PyTorch. It makes no driver call: the
first use of a device does (also ``torch.xpu.device_count()``).
"""

from __future__ import annotations

import atexit
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchfl import _loader, devices, identity
from torchfl.devices import FoundChip
from torchfl.errors import Problem, TorchflError, did_you_mean, register
from torchfl.errors import TorchflWarning as TorchflWarning
from torchfl.identity import Level
from torchfl.memory import apply_settings
from torchfl.profile import Profile

if TYPE_CHECKING:
    import torch

NAME_TAKEN = register("TFL0607", "another backend has taken torch's PrivateUse1 device", 1)
LIBRARY_REFUSED = register("TFL0608", "a chip library does not load", 2)
NOT_INITIALISED = register("TFL0609", "torchfl is not initialised", 70)
NO_DEVICE = register("TFL0610", "a chip has no usable device", 3)
NO_SYMBOL = register("TFL0611", "the chip's symbol table has no such symbol", 2)
INTEL_TORCH = register("TFL0612", "this torch has Intel XPU support of its own", 1)
CANNOT_ADD = register("TFL0617", "a chip cannot be added to those that are loaded", 1)

#: torch's own name for the device; users say "xpu" (see :mod:`torchfl.identity`).
BACKEND = "fl"


@dataclass(frozen=True)
class LoadedChip:
    """A chip that was found. ``error`` is "" where it works; the device range is known once the driver has started."""

    selector: str
    profile: Profile = field(repr=False)
    first_device: int
    num_devices: int
    error: str


@dataclass
class _State:
    found: dict[str, FoundChip]
    loaded: dict[str, FoundChip]  # those whose library the core has loaded
    errors: dict[str, str]
    level: Level = Level.OFF


_lock = threading.RLock()
_state: _State | None = None
_was_shut_down = False


def init(chip_dirs: str | Path | Iterable[str | Path] = ()) -> None:
    """Makes the chips found in ``chip_dirs``, ``TORCHFL_DEVICE_DIR`` and installed packages usable from PyTorch.

    ``chip_dirs`` is one folder or several. Compiles the core first where that has not been done (a minute, once). May
    be called before or after ``import torch``, and again: chips that are new are added, as long as no device has been
    used yet. A chip that cannot be loaded, and a folder of the environment that is not there, cost one warning each and
    are left out; asking for such a chip raises its error.

    ``TORCHFL_IDENTITY`` says how far the name ``xpu`` reaches (see :mod:`torchfl.identity`); a torch with Intel XPU
    support keeps the name for itself, and the device is ``fl``.

    Raises TorchflError: what the profiles' and the core's modules raise, TFL0607 where another backend holds torch's
    PrivateUse1 device, TFL0613 for an unknown TORCHFL_IDENTITY.
    """
    activate(chip_dirs, compile_core=True)


def activate(chip_dirs: str | Path | Iterable[str | Path] = (), *, compile_core: bool) -> None:
    """:func:`init`, where ``compile_core`` says whether a missing core may be compiled (``import torch`` must not)."""
    global _state
    with _lock:
        folders = (chip_dirs,) if isinstance(chip_dirs, (str, Path)) else tuple(chip_dirs)
        passed_over: list[Problem] = []
        found = devices.find_chips(folders, passed_over=passed_over)
        core = _loader.load(compile_if_missing=compile_core)
        # Importing torch, which load() does, may have activated the chips of the environment meanwhile.
        first = _state is None
        state = _state or _State({}, {}, {})
        if first:
            apply_settings(core)
            state.level = _register_device(core)
        passed_over += _add_chips(core, state, found)
        _register_ops(core, state)
        if first:
            _install_python_side(core, state)
        _state = state
        _warn(state, folders, passed_over)


def _register_device(core: Any) -> Level:
    import torch
    from torch.utils import backend_registration

    level = identity.wanted_level()
    if level is not Level.OFF and torch.xpu._is_compiled():
        problem = Problem(
            INTEL_TORCH,
            "this torch is built for Intel's XPU and keeps the name xpu: the device is named fl here",
            "use a CPU build of torch, or name the device fl",
        )
        warnings.warn(f"torchfl: {problem}", TorchflWarning, stacklevel=5)
        level = Level.OFF
    taken = backend_registration._privateuse1_backend_name
    if taken not in ("privateuseone", BACKEND):
        raise TorchflError(
            Problem(NAME_TAKEN, f"torch's PrivateUse1 device is named '{taken}'", "use one such backend in a process")
        )
    if taken != BACKEND:
        backend_registration.rename_privateuse1_backend(BACKEND)
    core.register_identity(alias=level >= Level.ALIAS)
    return level


def _add_chips(core: Any, state: _State, found: Iterable[FoundChip]) -> list[Problem]:
    """Loads what is new. Returns what is to be said of chips that stay as they were loaded before."""
    kept = []
    for chip in found:
        loaded = state.loaded.get(chip.selector)
        if loaded is not None:
            if loaded.path.resolve() != chip.path.resolve():
                cause = f"{chip.path} is not looked at: {chip.selector} is loaded from {loaded.path}"
                kept.append(Problem(CANNOT_ADD, cause, "call torchfl.shutdown() first"))
            continue
        state.found[chip.selector] = chip
        state.errors.pop(chip.selector, None)
        try:
            _load_library(core, chip)
        except TorchflError as error:
            state.errors[chip.selector] = str(error)
        else:
            state.loaded[chip.selector] = chip
    return kept


def _load_library(core: Any, chip: FoundChip) -> None:
    if chip.profile is None:
        assert chip.error is not None
        raise chip.error
    library = chip.profile.chip_library
    if not library.is_file():
        raise TorchflError(
            Problem(
                devices.NOT_BUILT,
                f"{library.name} has not been built",
                f"torchfl-build {chip.dir}",
                where=chip.selector,
            )
        )
    if core.in_bad_fork():
        cause = "this process was forked after the first use of a device, which no vendor's driver survives"
        raise TorchflError(Problem(CANNOT_ADD, cause, "start workers with multiprocessing's 'spawn' method"))
    if core.devices_started():
        cause = f"devices are in use, and {chip.selector} would change their numbers"
        raise TorchflError(
            Problem(CANNOT_ADD, cause, "name every chip in the first init(), or call torchfl.shutdown()")
        )
    try:
        runtime_so, unknown = chip.profile.runtime_so, ""
    except TorchflError as error:  # an unset variable: reported when the device is used
        runtime_so, unknown = "", str(error)
    try:
        core.load_chip(
            chip.selector, str(library.absolute()), runtime_so, unknown, chip.profile.memory.mode == "mapped"
        )
    except RuntimeError as error:
        raise TorchflError(
            Problem(LIBRARY_REFUSED, str(error), f"torchfl-build {chip.dir}", where=chip.selector)
        ) from error


def _register_ops(core: Any, state: _State) -> None:
    """Binds ops to the chips as they are now. Other threads' ops wait meanwhile; after a shutdown they may go again."""
    from torchfl import router

    chips = [(s, c.profile) for s, c in sorted(state.loaded.items()) if c.profile is not None]
    shut = core.pause_ops()
    try:
        # Kernels leave the dispatcher only while no thread can be in one; see forget_chips() in the core.
        core.forget_chips() if core.devices_ever_started() else core.unregister_dispatch()
        router.bind(core, chips)
        core.register_dispatch()
    except BaseException:
        core.let_ops_go(shut)
        raise
    core.let_ops_go()


def _install_python_side(core: Any, state: _State) -> None:
    import torch
    from torch.utils import backend_registration

    from torchfl import autograd_threads, device_module

    if not hasattr(torch, BACKEND):
        torch._register_device_module(BACKEND, device_module)  # type: ignore[no-untyped-call]
        backend_registration.generate_methods_for_privateuse1_backend(for_storage=True)
        atexit.register(core.begin_exit)
        atexit.register(autograd_threads.wait)  # before it: handlers run last in, first out
    dtype = _autocast_dtype(chip.profile for chip in state.loaded.values())
    core.set_autocast_default(dtype)
    torch.set_autocast_dtype(BACKEND, getattr(torch, dtype))
    state.level = identity.install(core, state.level)


def _autocast_dtype(profiles: Iterable[Profile | None]) -> str:
    """The half type that more ops of the chips take; torch's own choice, float16, where they take as many."""
    claims = [dtype for profile in profiles if profile for op in profile.ops for dtype in op.dtype_support]
    return "bfloat16" if claims.count("bfloat16") > claims.count("float16") else "float16"


def _warn(state: _State, folders: tuple[str | Path, ...], passed_over: Sequence[Problem]) -> None:
    for problem in passed_over:
        warnings.warn(f"torchfl: {problem}", TorchflWarning, stacklevel=4)
    if not state.found and not passed_over:
        problem = devices.no_profile_problem(devices.search_dirs(folders))
        warnings.warn(f"torchfl: {problem}", TorchflWarning, stacklevel=4)
    for selector, error in sorted(state.errors.items()):
        warnings.warn(f"torchfl: {selector} is not usable: {error}", TorchflWarning, stacklevel=4)


def shutdown() -> None:
    """Releases the devices and undoes every change to torch; ``init()`` may follow.

    Tensors that are alive keep their values on the host and work again after the next ``init()``. The device's name
    stays until the process ends, as torch has no way to take it back. Other threads may be using devices: the ops that
    they are in end as usual, and later ones raise a RuntimeError that names this function.

    Raises RuntimeError inside an op, such as a layer of the fallback written in Python.
    """
    global _state, _was_shut_down
    with _lock:
        if _state is None:
            return
        core = _loader.loaded()
        assert core is not None
        core.shut_ops()
        identity.remove(core)
        core.release_devices()
        core.forget_chips()
        core.unregister_identity()
        _state = None
        _was_shut_down = True


def is_initialized() -> bool:
    """Whether ``init()`` has been called, and ``shutdown()`` not since."""
    return _state is not None


def chips() -> tuple[LoadedChip, ...]:
    """Every chip with a readable profile, sorted by selector, usable or not. Makes no driver call."""
    state, core = _require()
    known = {info["selector"]: info for info in core.chips()}
    out = []
    for selector, chip in sorted(state.found.items()):
        if chip.profile is None:
            continue
        info = known.get(selector, {"first_device": 0, "num_devices": 0, "error": state.errors.get(selector, "")})
        out.append(LoadedChip(selector, chip.profile, info["first_device"], info["num_devices"], info["error"]))
    return tuple(out)


def chip_at(index: int) -> LoadedChip:
    """The chip that device ``index`` belongs to. Raises IndexError."""
    for chip in chips():
        if chip.first_device <= index < chip.first_device + chip.num_devices:
            return chip
    raise IndexError(f"device index {index} belongs to no chip")


def device(selector: str) -> torch.device:
    """The torch.device of ``family:chip[:n]``. Starts the driver.

    Raises TorchflError: TFL0205 for a malformed selector, TFL0203 for an unknown chip, TFL0610 where the chip or that
    device of it cannot be used (with the cause).
    """
    import torch

    _, core = _require()
    wanted = devices.parse_selector(selector)
    chip = _chip(wanted.device_type)
    if not chip.error:
        core.start_devices()
        chip = _chip(wanted.device_type)
    local = wanted.index or 0
    if chip.error or local >= chip.num_devices:
        cause = chip.error or f"it has {chip.num_devices} device(s), numbered from 0"
        raise TorchflError(Problem(NO_DEVICE, cause, "torchfl doctor", where=selector))
    return torch.device(BACKEND, chip.first_device + local)


def _chip(selector: str) -> LoadedChip:
    for chip in chips():
        if chip.selector == selector:
            return chip
    state, _ = _require()
    if selector in state.errors:
        raise TorchflError(Problem(NO_DEVICE, state.errors[selector], "torchfl doctor", where=selector))
    known = [chip.selector for chip in chips()]
    near = did_you_mean(selector, known)
    fix = f"did you mean {near}?" if near else f"loaded: {', '.join(known) or 'none'}"
    raise TorchflError(Problem(devices.UNKNOWN_CHIP, f"no chip '{selector}' is loaded", fix))


def _require() -> tuple[_State, Any]:
    core = _loader.loaded()
    if _state is None or core is None:
        cause = "torchfl.shutdown() has been called" if _was_shut_down else "torchfl is not initialised"
        raise TorchflError(Problem(NOT_INITIALISED, cause, "call torchfl.init() first"))
    return _state, core


def symbol_calls(selector: str) -> dict[str, int]:
    """How often each vendor symbol of a chip was entered, since the library was loaded."""
    _, core = _require()
    chip = _chip(devices.parse_selector(selector).device_type)
    _need_loaded(chip)
    return dict(core.symbol_calls(chip.selector))


@contextmanager
def noop_symbols(selector: str, names: Iterable[str]) -> Iterator[None]:
    """Within the block, the named vendor symbols count calls, do nothing and report success.

    The gate proves with it that a result comes from the chip. Affects every thread. Raises TorchflError (TFL0611) for
    a name that the chip's symbol table lacks.
    """
    _, core = _require()
    chip = _chip(devices.parse_selector(selector).device_type)
    _need_loaded(chip)
    wanted = tuple(names)
    known = core.symbol_calls(chip.selector)
    problems = [
        Problem(NO_SYMBOL, f"{selector} has no symbol '{name}'", did_you_mean(name, known))
        for name in wanted
        if name not in known
    ]
    if problems:
        raise TorchflError(problems)
    try:
        for name in wanted:
            core.set_symbol_mode(chip.selector, name, 1)
        yield
    finally:
        for name in wanted:
            core.set_symbol_mode(chip.selector, name, 0)


def _need_loaded(chip: LoadedChip) -> None:
    state, _ = _require()
    if chip.selector not in state.loaded:
        raise TorchflError(Problem(NO_DEVICE, chip.error, "torchfl doctor", where=chip.selector))


@dataclass(frozen=True)
class CopyCounters:
    """Copies and bytes since the start or the last reset: to the device, from it, within it, and on the host."""

    h2d: int
    h2d_bytes: int
    d2h: int
    d2h_bytes: int
    d2d: int
    d2d_bytes: int
    host: int
    host_bytes: int


def copy_counters() -> CopyCounters:
    """What has moved between host and devices."""
    _, core = _require()
    return CopyCounters(**core.copy_counters())


def reset_copy_counters() -> None:
    """Sets every copy counter to 0."""
    _, core = _require()
    core.reset_copy_counters()


def xpu_empty_cache() -> None:
    """Gives cached device memory back to the drivers; the same as ``torch.xpu.empty_cache()``."""
    core = _loader.loaded()
    if core is not None:
        core.empty_cache()
