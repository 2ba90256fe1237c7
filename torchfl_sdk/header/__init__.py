"""Reads a vendor header with libclang into a HeaderModel."""
