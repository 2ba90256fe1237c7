"""What ``torch.xpu`` offers of Intel's runtime and a chip does not have: each says so in one sentence.

Without these, torch's own functions ask for internal ones that only a build for Intel's XPU has.
"""

from __future__ import annotations

from typing import Any

_GRAPHS = "a chip's queue records no graphs: run the ops, or torch.compile the model"
_SENSORS = "a chip's driver interface has no sensors: ask the vendor's own tool"
_POOL = "device memory has one pool, torchfl's"
_HISTORY = "no history of device memory is kept: torch.xpu.memory_stats() has its counts"


def _function(name: str, sentence: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"torch.xpu.{name}: {sentence}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises NotImplementedError: {sentence}."
    return refuse


def _class(name: str, sentence: str) -> Any:
    refuse = _function(name, sentence)
    return type(name, (), {"__new__": refuse, "__doc__": refuse.__doc__, "__module__": __name__})


XPUGraph = _class("XPUGraph", _GRAPHS)
graph = _class("graph", _GRAPHS)
graph_pool_handle = _function("graph_pool_handle", _GRAPHS)
make_graphed_callables = _function("make_graphed_callables", _GRAPHS)

temperature = _function("temperature", _SENSORS)
power_draw = _function("power_draw", _SENSORS)
clock_rate = _function("clock_rate", _SENSORS)
utilization = _function("utilization", _SENSORS)
memory_usage = _function("memory_usage", _SENSORS)

MemPool = _class("MemPool", _POOL)
XPUPluggableAllocator = _class("XPUPluggableAllocator", _POOL)
use_mem_pool = _function("use_mem_pool", _POOL)
change_current_allocator = _function("change_current_allocator", _POOL)

memory_snapshot = _function("memory_snapshot", _HISTORY)
_snapshot = _function("memory._snapshot", _HISTORY)
_dump_snapshot = _function("memory._dump_snapshot", _HISTORY)
_record_memory_history = _function("memory._record_memory_history", _HISTORY)

get_stream_from_external = _function("get_stream_from_external", "a chip's queue has no handle outside torchfl")
