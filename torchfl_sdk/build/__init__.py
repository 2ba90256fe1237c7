"""Compiles chip projects and hand-written modules."""

from torchfl_sdk.build.command import BuildResult, build_project
from torchfl_sdk.build.sources import build_sources

__all__ = ["BuildResult", "build_project", "build_sources"]
