"""What torchfl tells while it runs that is no warning: Python's logger ``torchfl``, level INFO, each thing once.

Without any logging of the program's own they go to stderr as ``INFO: text``. ``TORCHFL_LOG=warning`` silences them;
any of Python's level names goes.
"""

from __future__ import annotations

import logging
import os

from torchfl.errors import Problem, register

LAYOUT = register("TFL0709", "images are laid out anew for a kernel; their next use costs nothing", 0)

logger = logging.getLogger("torchfl")


def layout_mismatch(op: str, selector: str, expected: str, got: str) -> None:
    """Says once per op that its images are converted: ``Tensor layout mismatch: expected NHWC, got NCHW``."""
    problem = Problem(
        LAYOUT,
        f"the images of {op} are converted",
        f"give it {expected} tensors (tensor.to(memory_format=torch.channels_last))" if expected == "NHWC" else "",
        where=selector,
    )
    _set_up()
    logger.info("Tensor layout mismatch: expected %s, got %s (%s)", expected, got, problem)


def _set_up() -> None:
    """A handler where the program has none, and the level of the environment where it set none."""
    if logger.level == logging.NOTSET:
        name = os.environ.get("TORCHFL_LOG", "info").upper()
        level = getattr(logging, name, logging.INFO)
        logger.setLevel(level if isinstance(level, int) else logging.INFO)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
        logger.addHandler(handler)
