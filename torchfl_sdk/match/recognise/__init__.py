"""Recognises what a function computes, in any calling style, whether or not a kernel can be generated for it."""

from torchfl_sdk.match.recognise.recogniser import Recogniser

__all__ = ["Recogniser"]
