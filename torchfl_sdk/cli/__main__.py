"""``python -m torchfl_sdk.cli``: the ``torchfl`` command without its script."""

from torchfl_sdk.cli import main

main()
