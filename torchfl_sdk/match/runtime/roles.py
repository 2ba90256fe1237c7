"""The runtime roles: the names that vendors give to their functions, and the forms of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from torchfl_sdk.header.model import CType, Param
from torchfl_sdk.match.handles import is_numbered_queue, object_key
from torchfl_sdk.match.runtime.directions import NAMES
from torchfl_sdk.match.standins import is_address
from torchfl_sdk.match.tokens import split, words

Fits = Callable[[CType], bool]


def _int(type_: CType) -> bool:
    return type_.kind in ("int", "enum")


def is_number_out(type_: CType) -> bool:
    return _pointer(type_) and type_.pointee is not None and type_.pointee.kind == "int" and not is_text(type_)


def _pointer(type_: CType) -> bool:
    return type_.kind == "pointer" and type_.pointee is not None and type_.pointee.kind not in ("pointer", "function")


def _bytes(type_: CType | None) -> bool:
    """What a pointer to bytes leads to: nothing, or numbers of eight bits that are no text."""
    return type_ is not None and (
        type_.kind == "void"
        or (type_.kind == "int" and type_.bits == 8 and type_.canonical.removeprefix("const ") != "char")
    )


def _writable(type_: CType) -> bool:
    return is_address(type_) or _memory(type_)


def _memory(type_: CType) -> bool:
    return _readable(type_) and type_.pointee is not None and not type_.pointee.const


def _readable(type_: CType) -> bool:
    return is_address(type_) or (_pointer(type_) and _bytes(type_.pointee))


def _pointer_out(type_: CType) -> bool:
    inner = type_.pointee if type_.kind == "pointer" else None
    return inner is not None and not inner.const and (is_address(inner) or (_pointer(inner) and _to_no_object(inner)))


def _to_no_object(type_: CType) -> bool:
    return type_.pointee is not None and type_.pointee.kind != "struct"


def is_memory(type_: CType) -> bool:
    """True for what an allocator may return: a pointer to bytes, or an address."""
    return _writable(type_)


def is_text(type_: CType) -> bool:
    return _pointer(type_) and type_.pointee is not None and type_.pointee.canonical in ("char", "const char")


def _text_out(type_: CType) -> bool:
    return is_text(type_) and type_.pointee is not None and not type_.pointee.const


def _object(type_: CType) -> bool:
    return bool(object_key(type_)) or is_numbered_queue(type_)


@dataclass(frozen=True)
class Slot:
    """An argument that a role may have. ``named``: only a parameter with one of these words in its name fits."""

    role: str
    fits: Fits
    words: tuple[str, ...] = ()
    optional: bool = False
    named: bool = False

    def named_by(self, param: Param) -> bool:
        """Whether a parameter's name has one of the words."""
        said = set(split(param.name))
        numbered = self.role == "device" and self.named  # heap_id is no device's
        return bool(said & set(self.words)) and not (numbered and said - _UNITS and not said & _DEVICES)


_DEVICES = frozenset(words("device dev card board gpu npu chip"))
_UNITS = frozenset(words("id index idx ordinal number no num"))
_DEVICE = Slot("device", _int, ("device", "dev", "id", "index", "ordinal"), optional=True, named=True)
BYTES = Slot("bytes", _int, ("size", "bytes", "nbytes", "count", "len", "length", "n", "sz"))
_DST = Slot("dst", _writable, ("dst", "dest", "destination", "to", "out", "target"))
_SRC = Slot("src", _readable, ("src", "source", "from", "in", "origin"))
_UP = (replace(_DST, words=(*_DST.words, "device", "dev")), replace(_SRC, words=(*_SRC.words, "host")), BYTES)
_DOWN = (replace(_DST, words=(*_DST.words, "host")), replace(_SRC, words=(*_SRC.words, "device", "dev")), BYTES)
_TOTAL = Slot("total_bytes", is_number_out, ("total", "capacity"))
_HOST = Slot("host", _memory, ("host", "hptr", "ptr", "addr"))


@dataclass(frozen=True)
class Role:
    """A runtime role: the names vendors use (joined words, the commonest first) and its argument forms."""

    role: str
    names: tuple[str, ...]
    forms: tuple[tuple[Slot, ...], ...]
    returns: tuple[str, ...] = ("status", "void")
    #: names that say it only in a header that has what goes with them; see :meth:`RuntimeMatcher._means`
    plain: tuple[str, ...] = ()


_COPY = (_DST, _SRC, BYTES)
ROLES: tuple[Role, ...] = (
    Role("init", words("init initialize initialise runtimeinit libinit initruntime startup libraryinit"),
         ((Slot("constant", _int, ("flags", "flag", "mode"), optional=True, named=True),),),
         plain=words("start boot setup open attach")),
    Role("finalize", words("shutdown finalize finalise deinit deinitialize exit fini terminate uninit runtimeshutdown "
                           "teardown cleanup close"), ((),), plain=words("stop quit halt detach")),
    Role("device_count", words("getdevicecount devicecount getnumdevices numdevices devicegetcount countdevices "
                               "getdevicenum devicenum numcards getnumcards cardcount getcardcount"),
         ((Slot("count", is_number_out),), ()), ("status", "void", "value"), words("count devices howmany cards")),
    Role("set_device", words("setdevice deviceset setcurrentdevice selectdevice usedevice switchdevice activatedevice "
                             "choosedevice setactivedevice makecurrent"),
         ((Slot("device", _int),),), plain=words("use select switch activate choose target")),
    Role("get_device", words("getdevice deviceget getcurrentdevice currentdevice"),
         ((Slot("device", is_number_out),), ()), ("status", "void", "value")),
    Role("device_name", words("getdevicename devicegetname devicename"),
         ((Slot("device", _int, ("device", "dev", "id", "index")), Slot("text", _text_out),
           Slot("text_size", _int, ("size", "len", "length", "n", "max", "bytes"))),
          (Slot("text", _text_out), Slot("text_size", _int), _DEVICE),
          (_DEVICE,)), ("status", "void", "text")),
    Role("synchronize", words("devicesynchronize synchronize sync devicesync synchronizedevice finish wait waitidle "
                              "syncdevice"), ((_DEVICE,),)),
    Role("malloc", words("malloc memalloc alloc allocate devicemalloc mallocdevice memoryallocate memoryalloc devalloc "
                         "devicealloc allocdevice"),
         ((Slot("handle_out", _pointer_out), BYTES, _DEVICE), (BYTES, _DEVICE)), ("status", "void", "pointer"),
         words("reserve acquire obtain grab")),
    Role("free", words("free memfree devicefree deallocate dealloc freedevice memoryfree devfree memrelease"),
         ((Slot("handle", _writable), _DEVICE),),
         plain=words("release unreserve giveback dispose discard drop delete")),
    Role("memcpy", words("memcpy copy memcopy memorycopy devicememcpy"),
         ((*_COPY, Slot("kind", _int, tuple(NAMES)),), _COPY)),
    Role("memcpy_h2d", words("memcpyhtod memcpyh2d copyh2d h2d copyhosttodevice memcpyhosttodevice copytodevice "
                             "upload htod copyin hosttodevice"), (_UP,),
         plain=words("push send write put store")),
    Role("memcpy_d2h", words("memcpydtoh memcpyd2h copyd2h d2h copydevicetohost memcpydevicetohost copytohost "
                             "download dtoh copyout copyfromdevice devicetohost"), (_DOWN,),
         plain=words("pull receive recv read fetch get load")),
    Role("memcpy_d2d", words("memcpydtod memcpyd2d copyd2d d2d copydevicetodevice memcpydevicetodevice dtod "
                             "devicetodevice"), (_COPY,)),
    Role("memset", words("memset memfill fill memoryset setmemory memsetd8 devicememset"),
         ((Slot("dst", _writable), Slot("byte", _int, ("value", "val", "byte", "c", "v", "pattern")), BYTES),)),
    Role("stream_sync", (), ((Slot("stream", _object),),)),
    Role("memory_info", words("memgetinfo getmeminfo getmemoryinfo memoryinfo memgetmeminfo meminfo memquery"),
         ((Slot("used_bytes", is_number_out, ("used", "usage", "allocated"), named=True), _TOTAL, _DEVICE),
          (Slot("free_bytes", is_number_out, ("free", "avail", "available")), _TOTAL, _DEVICE))),
    Role("map_host", words("memmap maphost hostmap maphostmemory hostregister mapmemory memmaphost"),
         ((_HOST, BYTES, Slot("handle_out", _pointer_out)),)),
    Role("unmap_host", words("memunmap unmaphost hostunmap unmaphostmemory hostunregister unmapmemory"),
         ((_HOST,),)),
    Role("last_error", words("getlasterror lasterror getlasterrorstring lasterrorstring geterrorstring errorstring "
                             "strerror getlasterrormessage geterrortext statusstring getstatusstring "
                             "statustostring"),
         ((), (Slot("status", _int),), (Slot("text", _text_out), Slot("text_size", _int))),
         ("text", "status", "void")),
)  # fmt: skip
