"""What a style's planner sees, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from torchfl_sdk.header.model import Function, HeaderModel
from torchfl_sdk.match.model import Binding, MatchResult, OpMatch
from torchfl_sdk.scaffold.compose.makers import Makers
from torchfl_sdk.scaffold.device_plan import DevicePlan
from torchfl_sdk.scaffold.gemm import Product
from torchfl_sdk.scaffold.kernel_plan import Helpers, Kernel
from torchfl_sdk.scaffold.symbols import VendorSymbol


@dataclass(frozen=True)
class Extra:
    """A kernel that the scaffold adds to the matcher's bindings, with what its profile entry says.

    ``helpers`` are C++ definitions that the kernel calls; equal texts are written once, ahead of every kernel.
    ``matches`` are those of the header's matches that it completes.
    ``proved``: the signature's types prove dtypes and attributes; False makes the entry ``unverified`` for the probe.
    """

    kernel: Kernel
    dtypes: tuple[str, ...]
    evidence: tuple[str, ...]
    layout: str = "contiguous"
    proved: bool = True
    constraints: tuple[tuple[str, tuple[int | float | str, ...]], ...] = ()
    unverified: tuple[str, ...] = ()
    inplace: bool = False
    helpers: tuple[str, ...] = ()
    products: tuple[Product, ...] = ()  # matrix products that the kernel calls and that nobody made before
    matches: tuple[OpMatch, ...] = ()
    broadcast: bool = False
    members: tuple[VendorSymbol, ...] = ()  # of classes, which the header lists as no functions


@dataclass(frozen=True)
class Lacking:
    """A match that became no kernel, and why; it takes the place of the matcher's reason in every listing.

    ``advice``: what the user could do about it, said once in new-chip's summary however many matches share it.
    ``final``: no kernel over this function could compute the op, so none is begun.
    """

    match: OpMatch
    why: str
    advice: str = ""
    final: bool = False


@dataclass(frozen=True)
class Ground:
    """The header, what was matched, and what is planned so far.

    ``served``: catalogue ops that have a kernel; ``helpers``: the functions that the matcher's kernels share, to which
    a style whose kernels are written like those adds.
    """

    model: HeaderModel
    match: MatchResult
    device: DevicePlan
    bindings: tuple[Binding, ...]
    products: tuple[Product, ...]
    served: frozenset[str]
    helpers: Helpers = field(default_factory=Helpers)

    @property
    def copies(self) -> bool:
        """True if the device copies within its own memory."""
        return self.device.host_memory or any(f.slot == "copy_d2d" for f in self.device.functions)

    def makers(self) -> Makers:
        """What makes the objects of the header; a planner's own, that plans each of its functions once."""
        opened = self.device.opened.key if self.device.opened is not None else ""
        return Makers(self.model, self.match.status, host=self.match.memory == "host", opened=opened)

    def open_matches(self, *styles: str) -> Iterator[tuple[OpMatch, Function]]:
        """The matches of these styles that no kernel serves, with their functions."""
        for found in self.match.matches:
            if found.style in styles and not found.complete:
                function = self.model.function(found.function)
                if function is not None and not function.variadic:
                    yield found, function
