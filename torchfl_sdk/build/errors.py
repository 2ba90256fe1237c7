"""The error codes of building."""

from __future__ import annotations

from torchfl.errors import register

NO_PROJECT = register("TFL0501", "the folder given to torchfl-build is no chip project")
NO_TOOL = register("TFL0502", "a build tool is missing")
CONFIGURE_FAILED = register("TFL0503", "CMake could not configure a chip project")
COMPILE_FAILED = register("TFL0504", "the compiler or linker refused a chip project")
BAD_LIBRARY = register("TFL0505", "a built chip library breaks the rules of the chip ABI")
BAD_SOURCES = register("TFL0506", "sources or libraries given to torchfl-build cannot be used")
WHEEL_FAILED = register("TFL0507", "a chip project could not be made into a wheel")
CANNOT_WRITE = register("TFL0508", "the build's results cannot be written")
