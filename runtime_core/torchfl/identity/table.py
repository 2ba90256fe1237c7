"""Every change to torch that the name ``xpu`` needs, in the order in which they are applied.

Each entry says what it changes and why, how ``init`` checks that it took, and how ``shutdown`` undoes it. No check
starts the driver. The pointers that the C++ half replaces are in ``csrc/identity``.
"""

from __future__ import annotations

import pickle
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchfl.identity import (
    Level,
    compiling,
    custom_ops,
    data_parallel,
    dlpack,
    flex_attention,
    methods,
    probes,
    process_group,
    profiling,
    sending,
    xpu_module,
)


@dataclass(frozen=True)
class Patch:
    """One change. ``check`` raises where it did not take; ``undo`` also works on a half-applied change.

    Where it fails, level ``breaks`` cannot be held, if it names one; ``loss`` says what else a user goes without.
    """

    name: str
    level: Level
    changes: str
    why: str
    apply: Callable[[Any], None]
    check: Callable[[Any], None]
    undo: Callable[[Any], None]
    breaks: Level | None = None
    loss: str = ""


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise RuntimeError(f"self-check failed: {what}")


def _check_xpu_module(core: Any) -> None:
    from torchfl import device_module

    _require(torch.xpu.device_count is device_module.device_count, "torch.xpu.device_count is not ours")
    _require(not torch.xpu._is_compiled(), "torch.xpu._is_compiled() became true")


def _check_device_type(core: Any) -> None:
    device, other, cpu = torch.device("xpu", 0), torch.device("fl:0"), torch.device("cpu")
    _require((str(device), device.type, device.index) == ("xpu:0", "xpu", 0), "str or type of a device")
    _require(repr(device) == "device(type='xpu', index=0)", "repr of a device")
    _require(repr(torch.device("xpu")) == "device(type='xpu')", "repr of a device without an index")
    _require(device == other and hash(device) == hash(other), "xpu:0 and fl:0 are two devices")
    _require(device != torch.device("xpu:1") and device != torch.device("xpu") and device != cpu, "comparison")
    _require(device.__eq__("xpu:0") is NotImplemented, "comparison with a string")
    again = pickle.loads(pickle.dumps(device))
    _require(again == device and b"xpu" in pickle.dumps(device), "pickling")
    _require((repr(cpu), str(cpu), cpu.type) == ("device(type='cpu')", "cpu", "cpu"), "the CPU's device changed")
    _require(pickle.loads(pickle.dumps(cpu)) == cpu and hash(cpu) == hash(torch.device("cpu")), "the CPU's device")


def _check_constructors(core: Any) -> None:
    generator = torch.Generator(device="xpu:0")
    _require(generator.device == torch.device("xpu:0"), "torch.Generator(device='xpu:0')")
    _require(torch.Event("xpu:0").device.type == "xpu", "torch.Event('xpu:0')")
    _require(torch.Generator().device.type == "cpu", "torch.Generator() is not the CPU's")


def _check_autocast_default(core: Any) -> None:
    seen: list[torch.dtype] = []
    thread = threading.Thread(target=lambda: seen.append(torch.get_autocast_dtype("fl")))
    thread.start()
    thread.join()
    _require(seen == [core.autocast_default()], "get_autocast_dtype in a new thread")


def _check_autocast(core: Any) -> None:
    before = torch.get_autocast_dtype("fl"), torch.is_autocast_enabled("fl")
    try:
        torch.set_autocast_dtype("xpu", torch.bfloat16)
        torch.set_autocast_enabled("xpu", True)
        _require(torch.get_autocast_dtype("fl") == torch.bfloat16, "set_autocast_dtype('xpu')")
        _require(torch.is_autocast_enabled("fl"), "set_autocast_enabled('xpu')")
        _require(torch.is_autocast_enabled("xpu") and not torch.is_autocast_enabled("cpu"), "is_autocast_enabled")
        _require(torch.get_autocast_dtype(device_type="xpu") == torch.bfloat16, "get_autocast_dtype by keyword")
    finally:
        torch.set_autocast_dtype("fl", before[0])
        torch.set_autocast_enabled("fl", before[1])


class _Shape(torch.Tensor):
    """A tensor with a device and no memory: making it calls no driver."""

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        raise NotImplementedError


def _shape(device: str) -> torch.Tensor:
    made: torch.Tensor = torch.Tensor._make_wrapper_subclass(_Shape, (1,), device=torch.device(device))
    return made


def _check_is_xpu(core: Any) -> None:
    _require(_shape("xpu:0").is_xpu is True, "is_xpu of our tensor")
    _require(_shape("cpu").is_xpu is False and torch.ones(1).is_xpu is False, "is_xpu of the CPU's tensor")


def _check_device_methods(core: Any) -> None:
    # No device but the CPU takes oneDNN's layout, and torch says so before it reserves anything: that starts no driver.
    # A subclass of torch.Tensor does not either, but to dispatch to one torch imports torch.distributed.tensor (0.5 s).
    here: Any = torch.backends.mkldnn
    refused = torch.ones(1).to_mkldnn() if here.is_available() else _shape("cpu")
    for device in (0, torch.device("fl", 0), "xpu:0"):
        try:
            refused.xpu(device)
        except NotImplementedError:  # of the move: the argument has been taken
            continue
        raise RuntimeError(f"self-check failed: Tensor.xpu({device!r})")
    t = torch.ones(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, that the argument is deprecated
        pinned = t.pin_memory("xpu:0")
        _require(pinned.is_pinned(torch.device("fl", 0)) and pinned.is_pinned("xpu"), "Tensor.pin_memory('xpu:0')")
        _require(not t.is_pinned("xpu") and not t.is_pinned(), "Tensor.is_pinned('xpu')")


def _check_methods(core: Any) -> None:
    ours: Any = _shape("xpu:0")
    _require(ours.is_fl is True and not torch.ones(1).is_fl, "is_fl")  # type: ignore[attr-defined]


def _native(name: str) -> dict[str, Any]:
    return {"apply": lambda core: core.apply_patch(name), "undo": lambda core: core.undo_patch(name)}


def _python(module: Any) -> dict[str, Any]:
    return {
        "apply": lambda core: module.install(),
        "check": lambda core: module.check(),
        "undo": lambda core: module.remove(),
    }


PATCHES: tuple[Patch, ...] = (
    Patch(
        "autocast default",
        Level.OFF,
        'the C functions of get_autocast_dtype and set_autocast_dtype, for "fl"',
        "autocast's dtype is a thread's own in torch: a new thread would not have the profile's",
        check=_check_autocast_default,
        loss="autocast without a dtype is torch's float16 in threads that start later",
        **_native("autocast default"),
    ),
    Patch(
        "torch.xpu",
        Level.ALIAS,
        "the functions of the module torch.xpu",
        "user code asks torch.xpu for devices, memory, streams and random state",
        lambda core: xpu_module.install(),
        _check_xpu_module,
        lambda core: xpu_module.remove(),
        breaks=Level.ALIAS,
    ),
    Patch(
        "device",
        Level.XPU,
        "slots of torch.device's type: construction, repr, str, comparison, hash, .type, pickling",
        "torch reserves the name xpu for another backend, so a tensor's device would say fl",
        check=_check_device_type,
        breaks=Level.XPU,
        **_native("device"),
    ),
    Patch(
        "constructors",
        Level.XPU,
        "construction of torch.Generator, torch.Stream and torch.Event",
        "they read the device's name in C++, where xpu means another backend",
        check=_check_constructors,
        breaks=Level.XPU,
        **_native("constructors"),
    ),
    Patch(
        "autocast",
        Level.ALIAS,
        "the C functions of is_autocast_enabled, set_autocast_enabled, get_autocast_dtype, set_autocast_dtype",
        'torch.autocast("xpu") would set the state of another backend and do nothing',
        check=_check_autocast,
        breaks=Level.XPU,
        loss='torch.autocast("xpu") does nothing: use torch.autocast("fl")',
        **_native("autocast"),
    ),
    Patch(
        "is_xpu",
        Level.XPU,
        "the getter of Tensor.is_xpu",
        "it compares with another backend's key",
        check=_check_is_xpu,
        breaks=Level.XPU,
        **_native("is_xpu"),
    ),
    Patch(
        "device methods",
        Level.ALIAS,
        "the C functions of Tensor.xpu, Tensor.pin_memory and Tensor.is_pinned",
        "they read their device argument in C++: t.xpu(0) asks for another backend, and so does pin_memory('xpu')",
        check=_check_device_methods,
        loss='t.xpu(0) and t.pin_memory("xpu") are refused: use t.to("xpu:0") and t.pin_memory()',
        **_native("device methods"),
    ),
    Patch(
        "fl methods",
        Level.XPU,
        "is_fl and fl() of tensors, storages and packed sequences",
        "torch made them to compare the device's type with 'fl'",
        lambda core: methods.install(),
        _check_methods,
        lambda core: methods.remove(),
        breaks=Level.XPU,
    ),
    Patch(
        "process group",
        Level.XPU,
        "torch.distributed's default backend for xpu: gloo instead of xccl",
        "init_process_group() without a backend takes the accelerator's, and xccl is Intel's",
        loss="init_process_group() needs its backend named",
        **_python(process_group),
    ),
    Patch(
        "inductor",
        Level.ALIAS,
        "torch.compile's default backend and AOTInductor, for graphs with a tensor of ours",
        "inductor generates code for backends it knows; ours run the captured graph through the chip's kernels",
        loss='torch.compile of device code needs backend="aot_eager"',
        **_python(compiling),
    ),
    Patch(
        "custom ops",
        Level.ALIAS,
        "torch.library.Library: a kernel for an XPU key is also registered for ours",
        "what Python code registers for xpu would go to the keys of another backend",
        loss='kernels that torch.library registers for "xpu" do not run: register them for "fl"',
        **_python(custom_ops),
    ),
    Patch(
        "flex_attention",
        Level.ALIAS,
        "inductor's check whether it compiles flex_attention for the CPU",
        "it says no where torch.xpu.is_available()",
        loss="torch.compile(flex_attention) refuses CPU tensors",
        **_python(flex_attention),
    ),
    Patch(
        "profiler",
        Level.ALIAS,
        'the constructor of torch.autograd.profiler.profile: use_device="xpu" is "fl"',
        "ProfilerActivity.XPU asks for the profiler of an Intel build",
        loss="torch.profiler needs ProfilerActivity.PrivateUse1 in place of XPU",
        **_python(profiling),
    ),
    Patch(
        "data parallel",
        Level.ALIAS,
        "torch._C._broadcast, _scatter, _gather and their kin, where torch lacks them or finds no CUDA device for them",
        "torch.nn.DataParallel calls them for every kind of device",
        loss="torch.nn.DataParallel does not work",
        **_python(data_parallel),
    ),
    Patch(
        "dlpack",
        Level.OFF,
        "torch._C._to_dlpack and its kin, and Tensor.__dlpack_device__, for tensors of ours",
        "a device address is no address for other libraries; on chips that map host memory it is one of the CPU's",
        loss="DLPack capsules of device tensors carry an address that nobody can use",
        **_python(dlpack),
    ),
    Patch(
        "sending",
        Level.ALIAS,
        "what multiprocessing calls to send tensors and storages to another process",
        "torch's refusal of a device tensor names an internal function",
        loss="a device tensor put into a queue is refused with torch's own words",
        **_python(sending),
    ),
    Patch(
        "kept answers",
        Level.ALIAS,
        "answers about devices that transformers and accelerate keep: they are forgotten",
        "they asked before init() when they were imported first",
        lambda core: probes.forget(),
        lambda core: probes.check(),
        lambda core: probes.forget(),
        loss="import transformers and accelerate after torchfl.init()",
    ),
)
