"""Kernels over classes of C++: tensors that are objects, lists and optional values of the standard library."""
