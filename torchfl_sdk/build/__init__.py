"""Compiles chip projects and hand-written modules."""

from torchfl_sdk.build.command import BuildResult, build_project

__all__ = ["BuildResult", "build_project"]
