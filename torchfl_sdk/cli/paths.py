"""Folders that a command is to write: looked at before it begins, so that an hour's run does not end at a bad one."""

from __future__ import annotations

import os
from pathlib import Path

from torchfl.errors import Place, Problem, TorchflError, register

BAD_FOLDER = register("TFL1072", "a folder that a command is to write cannot be written")


def folder_to_write(option: str, folder: Path) -> Path:
    """The folder, which need not be there yet. Raises TorchflError (TFL1072) where it cannot be made or written."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists() or path.is_symlink())
    cause = ""
    if not there.is_dir():
        cause = f"{there} is no folder"
    elif not os.access(there, os.W_OK | os.X_OK):
        cause = f"{there} cannot be written"
    if cause:
        raise TorchflError(Problem(BAD_FOLDER, cause, f"choose another {option}", Place(str(folder)), option))
    return folder
