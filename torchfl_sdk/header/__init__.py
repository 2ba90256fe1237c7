"""Reads a vendor header with libclang into a HeaderModel."""

from torchfl_sdk.header.model import HeaderModel
from torchfl_sdk.header.reader import read_headers

__all__ = ["HeaderModel", "read_headers"]
