"""Boundary cases: what a profile declares, probed from both sides."""

from torchfl_sdk.conformance.boundaries.probes import boundary_samples, outside_samples, values_around

__all__ = ["boundary_samples", "outside_samples", "values_around"]
