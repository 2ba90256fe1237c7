"""Chips that are wrong on purpose, and what the gate says of them."""
