"""The oracle: what a right result is, computed on the CPU in more precision than the device has."""

from torchfl_sdk.conformance.oracle.bounds import Bound, bound
from torchfl_sdk.conformance.oracle.judge import Judgement, judge, judge_against
from torchfl_sdk.conformance.oracle.semantics import Semantics, semantics_of

__all__ = ["Bound", "Judgement", "Semantics", "bound", "judge", "judge_against", "semantics_of"]
