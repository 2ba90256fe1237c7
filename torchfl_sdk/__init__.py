"""The vendor side: from a C header to a built and probed chip project."""
