"""What init() changes of torch, found by looking at all of it, and that shutdown() puts everything back."""

from __future__ import annotations

import pytest

from core_helpers import run_script

pytestmark = pytest.mark.device

#: Every attribute of every loaded module and class of torch's, and the pointers inside its C descriptors and types.
WALK = """
import copyreg, ctypes, os, sys, types, warnings
warnings.simplefilter("ignore")
import torch, torch.distributed, torch._dynamo.device_interface, torch.cuda.nccl, torch.nn.parallel, torch.xpu
import torch._inductor.kernel.flex.flex_cpu, torch.utils.dlpack, torch.autograd.profiler, torch.testing._internal
from multiprocessing.reduction import ForkingPickler
import torchfl.router, torchfl.runtime
WORD = ctypes.sizeof(ctypes.c_void_p)
IN_C = (types.BuiltinFunctionType, types.MethodDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType)
def words(thing, first, last):
    return bytes((ctypes.c_char * (last * WORD)).from_address(id(thing)))[first * WORD:]
def owned(name): return name.partition(".")[0] in ("torch", "multiprocessing")
def mark(value):
    if type(value) in IN_C:
        return id(value), words(value, 2, value.__sizeof__() // WORD)
    if isinstance(value, dict):
        return id(value), tuple((str(k)[:80], id(v)) for k, v in list(value.items())[:500])
    return (id(value), len(value)) if isinstance(value, (list, set, tuple)) else id(value)
def look():
    found, classes = {}, set()
    for name, module in list(sys.modules.items()):
        if not owned(name) or module is None: continue
        for key, value in list(vars(module).items()):
            found[f"{name}.{key}"] = mark(value)
            if isinstance(value, type) and value not in classes and owned(value.__module__):
                classes.add(value)
                for inner, member in list(vars(value).items()):
                    found[f"{value.__module__}.{value.__qualname__}.{inner}"] = mark(member)
    for kind in (torch.device, torch.Generator, torch.Stream, torch.Event, torch._C.TensorBase, torch.Tensor):
        found[f"slots of {kind.__name__}"] = words(kind, 4, 21) + words(kind, 23, 40)  # to tp_as_buffer, to tp_new
    found["sys.meta_path"] = tuple(map(id, sys.meta_path))
    found["copyreg"] = mark(copyreg.dispatch_table)
    found["ForkingPickler"] = mark(ForkingPickler._extra_reducers)
    return found
def changed(before, after):
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
def stays(key):  # torch's own, made with the device's name, which it cannot take back
    return key.startswith("torch.fl.") or key.rpartition(".")[2] in (
        "fl", "is_fl", "FL", "_privateuse1_backend_name") or key.rpartition(".")[0] in (
        "torch._C._autograd.DeviceType", "torch._C._profiler.ProfilerActivity")
folder = [os.environ["FX_DIR"]]
before = look()
torchfl.init(folder)
inside = changed(before, look())
for wanted in ("slots of device", "slots of Generator", "slots of Stream", "slots of Event", "torch.device.type",
               "torch.xpu.device_count", "torch._C.TensorBase.xpu", "torch._C.TensorBase.is_xpu", "ForkingPickler",
               "torch.get_autocast_dtype", "torch._TorchCompileInductorWrapper.__call__"):
    assert wanted in inside, wanted
t = torch.ones(2, device="xpu")
with torch.autocast("xpu"): t @ t
torchfl.shutdown()
left = changed(before, look())
print(len(inside) > 200, sorted(key for key in left if not stays(key)))
once = look()
for level in ("xpu", "alias", "off"):
    os.environ["TORCHFL_IDENTITY"] = level
    torchfl.init(folder)
    assert (t + 1).tolist() == [2, 2]
    torchfl.shutdown()
    print(level, sorted(changed(once, look())))
"""


def test_nothing_of_torch_stays_changed_but_the_devices_name() -> None:
    done = run_script(WALK)
    assert done.stdout.splitlines() == ["True []", "xpu []", "alias []", "off []"], done.stdout[-3000:] + done.stderr
