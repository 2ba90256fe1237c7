"""Cores that nothing asks for any more: those of another torch, Python or state of the sources.

A core is never replaced by another (its folder's name holds what it was built from), so that upgrades leave old ones
behind, each with the build tree it came from. Removing one is safe while a process still runs on it: the file stays
mapped until that process ends. This module never imports torch.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from torchfl import core_build


def unused() -> tuple[Path, ...]:
    """Folders of cores, and build trees, which the torch, Python and sources at hand do not use; sorted.

    A build tree is in use when it belongs to the sources, torch and Python at hand: the next build then compiles only
    what changed.
    """
    root = core_build.cache_dir() / "core"
    if not root.is_dir():
        return ()
    now = core_build.status()
    kept = {now.path.parent.name, core_build.build_tree(now).name}
    return tuple(sorted(p for p in root.iterdir() if p.is_dir() and p.name not in kept))


def clean() -> tuple[tuple[Path, int], ...]:
    """Removes the unused ones. Returns (folder, bytes freed) of each.

    A tree that is being built right now is left alone. Raises OSError where a folder cannot be removed.
    """
    from filelock import FileLock, Timeout

    removed = []
    for folder in unused():
        lock = FileLock(f"{folder}.lock")
        try:
            with lock.acquire(blocking=False):
                size = sum(p.lstat().st_size for p in folder.rglob("*") if not p.is_dir())
                shutil.rmtree(folder)
                folder.with_name(f"{folder.name}.log").unlink(missing_ok=True)
        except Timeout:
            continue
        Path(lock.lock_file).unlink(missing_ok=True)
        removed.append((folder, size))
    return tuple(removed)
