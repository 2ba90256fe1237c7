"""Matches a HeaderModel against the op catalogue, with evidence."""

from torchfl_sdk.match.matcher import match
from torchfl_sdk.match.model import MatchResult

__all__ = ["MatchResult", "match"]
