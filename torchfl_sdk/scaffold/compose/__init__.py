"""Kernels over vendors' objects: how each is made, filled, used and given back, from the header alone."""
