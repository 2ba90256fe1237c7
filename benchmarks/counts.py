"""What a scorer counts, and the figures that it makes of that."""

from __future__ import annotations

from dataclasses import dataclass, fields


def share(right: int, total: int) -> str:
    """A share as the tables print it; "-" of nothing."""
    return f"{right / total:.3f}" if total else "-"


@dataclass
class Counts:
    """Of one header, of all, or of those of one kind."""

    ops: int = 0
    found: int = 0
    wrong: int = 0
    roles: int = 0
    roles_right: int = 0
    args: int = 0
    args_right: int = 0

    def add(self, other: Counts) -> None:
        """Adds every number of another."""
        for field in fields(self):
            if isinstance(getattr(self, field.name), int | float):
                setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def recall(self) -> float:
        return self.found / self.ops if self.ops else 1.0

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 1.0

    def line(self) -> str:
        """The figures as the last line of a benchmark."""
        return (
            f"ops {self.recall:.3f}/{self.precision:.3f}, roles {share(self.roles_right, self.roles)}, "
            f"args {share(self.args_right, self.args)}"
        )
