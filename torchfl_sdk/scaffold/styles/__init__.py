"""Calling styles beyond the matcher's own bindings: one module per style, each with a template for its kernels.

To add a style: a module here with a function ``plan(ground) -> Iterable[Extra | Lacking]``, its template in
``templates/src/kernel/``, and a line in :mod:`registry`.
"""

from torchfl_sdk.scaffold.styles.ground import Extra, Ground, Lacking
from torchfl_sdk.scaffold.styles.registry import plan_styles

__all__ = ["Extra", "Ground", "Lacking", "plan_styles"]
