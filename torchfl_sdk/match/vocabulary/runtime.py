"""How vendors name the functions that manage a device and its objects: words made one, and patterns of them."""

from __future__ import annotations

from dataclasses import dataclass

from torchfl_sdk.match.tokens import words

#: A word of a function's name -> the word that patterns use.
SAME: dict[str, str] = {
    word: target
    for target, text in {
        "stream": "stream streams queue cmdqueue commandqueue cmdq queues",
        "alloc": "malloc alloc allocate allocation mallocate memalloc devmalloc",
        "del": "free destroy delete release dealloc deallocate del destruct close dispose remove "
        "deref unref decref drop",
        "create": "create new make open creat",
        "available": "avail available",
        "stats": "stats statistics stat",
        "mem": "mem memory dram sram hbm vram ddr buffer buf memobj bo memobject",
        "host": "host cpu pinned",
        "device": "board boards chip chips unit units gpus npus accelerators device dev devices "
        "devid deviceid gpu npu card accelerator",
        "copy": "copy memcpy cpy memcopy transfer move xfer",
        "fill": "memset fill setmem memfill",
        "sync": "sync synchronize wait finish synchronise waitidle waitfor join drain quiesce await",
        "query": "query poll test done ready reached idle busy completed complete passed",
        "elapsed": "elapsed span duration since between",
        "record": "record mark",
        "get": "get fetch",
        "count": "count total num number counts cnt",
        "init": "init setup initialize initialise startup initialization initlib",
        "fini": "fini finalize finalise shutdown deinit deinitialize teardown terminate exit uninit cleanup "
        "uninitialize",
        "event": "event events notifier fence signal signals",
        "string": "string str text message msg description name2 describe strings desc2",
        "last": "last recent latest",
        "error": "error err errors",
        "status": "status rc result errcode errorcode statuscode",
        "desc": "desc descriptor",
        "context": "context ctx instance",
        "operator": "operator op primitive",
        "exec": "execute exec run launch invoke submit",
        "map": "map mmap mapped",
        "unmap": "unmap munmap",
        "h2d": "s2d htod h2d hosttodevice htd todevice",
        "d2h": "d2s dtoh d2h devicetohost dth tohost",
        "d2d": "dtod d2d devicetodevice dtd",
        "pointer": "pointer ptr addr address",
        "write": "write upload push store",
        "read": "read download pull",
        "workspace": "workspace scratch workbuffer workspacesize tempbuffer",
        "set": "set select use put",
    }.items()
    for word in text.split()
}


def meaning(word: str) -> str:
    """The word that patterns use for a word of a function's name; a plural is read as its singular."""
    return SAME.get(word) or SAME.get(word.removesuffix("s"), word)


#: Words that may stand in any such name.
TOLERATED = frozenset(
    words("""enqueue append command list flags properties ex v2 v3 byte bytes data object ids id for all the current lib
        platform library runtime driver rt api host_ nd cmd default sys system global encoder mapped range info2 64 s
        handle2""")
)


@dataclass(frozen=True)
class RoleWord:
    """A role's name, the sets of words by which functions are called so, and the shape its arguments must have.

    ``shape`` names a check of ``recognise/runtime.py``.
    """

    role: str
    patterns: tuple[frozenset[str], ...]
    shape: str = "any"
    tolerated: frozenset[str] = frozenset()


def _r(role: str, patterns: str, shape: str = "any", tolerated: str = "") -> RoleWord:
    sets = tuple(frozenset(p.split()) for p in patterns.split("|"))
    return RoleWord(role, sets, shape, frozenset(tolerated.split()))


ROLES: tuple[RoleWord, ...] = (
    _r("init", "init|init device|start", "begins"),
    _r("finalize", "fini|del|stop", "ends_all"),
    _r("device_count", "device get count|device count|engine get count|device get|device get ids|device count get "
      "all",
       "counts", "platform"),
    _r("set_device", "set device|set device get", "sets_device", "default active"),
    _r("get_device", "get device|device get|current device", "gets_device", "default active"),
    _r("device_name", "device get name|device name", "any"),
    _r("device_properties", "device get properties|device get info|device properties|device get props|device get "
      "prop"),
    _r("device_sync", "device sync|sync|device sync all|thread sync|context sync", "syncs_device", "query all"),
    _r("device_reset", "device reset|reset device", "few"),
    _r("malloc", "alloc|alloc mem|alloc device|alloc mem device|create mem|device create mem|tensor alloc mem",
       "allocates"),
    _r("host_malloc", "alloc host|alloc mem host|create mem host", "allocates"),
    _r("managed_malloc", "alloc managed|alloc mem shared|alloc shared", "allocates"),
    _r("svm_malloc", "svm alloc", "allocates"),
    _r("free", "del|del mem|del device|del mem device", "frees"),
    _r("host_free", "del host|del mem host", "frees"),
    _r("svm_free", "svm del", "any"),
    _r("memcpy", "copy|copy mem|copy kind|copy mem device", "copies"),
    _r("memcpy_async", "copy async|copy mem async|stream copy|stream copy mem", "copies"),
    _r("memcpy_h2d", "copy h2d|h2d|write mem|write|copy host to device|set vector|copy to device|mem copy "
                     "h2d|mem write|"
       "copy from host|copy in|stream write mem", "copies"),
    _r("memcpy_d2h", "copy d2h|d2h|read mem|read|copy device to host|get vector|copy to host|mem copy d2h|mem read|"
       "copy from device|copy out|stream read mem|read map mem", "copies"),
    _r("memcpy_d2d", "copy d2d|d2d|copy device to device|copy mem device to device|mem copy d2d|copy mem|copy device|"
       "copy mem to mem",
       "copies_objects"),
    _r("memset", "fill|fill mem|set mem|fill device|fill mem device|set|fill d8", "fills"),
    _r("memset_async", "fill async|set mem async|fill mem async|stream fill|stream fill mem|fill "
      "async d8|fill async mem d8",
       "fills"),
    _r("memory_info", "mem get info|mem info|get mem info|mem query|mem usage get|device get mem info|mem available|"
       "mem usage|mem "
                      "stats|device mem stats|device mem usage|mem free total"),
    _r("stream_create", "stream create", "creates"),
    _r("stream_destroy", "stream del", "ends_one"),
    _r("stream_sync", "stream sync|sync", "syncs_stream", "query"),
    _r("stream_query", "stream query|stream get status|stream is query"),
    _r("stream_wait_event", "stream sync event", "any"),
    _r("event_create", "event create", "creates"),
    _r("event_destroy", "event del", "ends_one"),
    _r("event_record", "event record|place event|event place|record event"),
    _r("event_sync", "event sync|event sync host|sync for event", "no_stream", "host "
      "query"),
    _r("event_query", "event query|event get status|event is query"),
    _r("event_elapsed", "event elapsed time|event elapsed|event get elapsed time|event elapsed time ms",
       "any", "time ms us ns"),
    _r("host_map", "host get device pointer|mem host get device pointer|mem map|map mem|mem map device|host map|"
      "map host mem|map|get host device pointer|"
      "mem map async|mem get map",
      "maps"),
    _r("host_unmap", "mem unmap|mem unmap device|host unmap|unmap", "any"),
    _r("host_register", "host register|host register mem|mem register"),
    _r("host_unregister", "host unregister|host unregister mem|mem unregister|mem deregister"),
    _r("handle_create", "create|device create|device request|handle create|create handle|generator create|library "
      "create|context create "
                        "handle", "creates_handle"),
    _r("handle_destroy", "del|device del|handle del|generator del|library del", "destroys_handle"),
    _r("handle_set_stream", "set stream|handle set stream", "sets_stream"),
    _r("handle_get_stream", "get stream|handle get stream", "any"),
    _r("context_create", "context create|context init", "creates", "device"),
    _r("context_destroy", "context del", "any", "device"),
    _r("engine_create", "engine create", "creates"),
    _r("engine_destroy", "engine del"),
    _r("tensor_create", "tensor create|mem create|array create|create mem", "creates_tensor"),
    _r("tensor_destroy", "tensor del|mem del|array del", "destroys_tensor"),
    _r("tensor_desc_create", "tensor desc create|mem desc create|layout create", "describes", "strides tag by with"),
    _r("tensor_desc_set", "tensor desc set|tensor desc init|mem desc init", "any", "strides by"),
    _r("tensor_desc_destroy", "tensor desc del|mem desc del|layout del", "destroys_desc"),
    _r("workspace_query", "", "asks_workspace"),
    _r("execute", "operator exec|exec|operator exec_", "executes"),
    _r("op_destroy", "operator del|del", "destroys_operator"),
    _r("plan_create", "plan create|create plan", "any"),
    _r("plan_destroy", "plan del", "any"),
    _r("error_string", "error string get|error string|status string get|status string|status to string|"
       "error to string|strerror|status2str|error get code string", "texts", "to code"),
    _r("last_error", "last error get|last error|last error string get|peek last error|error last|last error string|"
       "last error get string", "last"),
    _r("error_status", "error status get|status get error", "any"),
    _r("network_create", "network create|model create|graph create|create network", "any", "i"),
    _r("network_optimize", "optimize|network optimize|graph optimize|model optimize", "any", "i"),
    _r("version", "version get|version", "any"),
)  # fmt: skip
