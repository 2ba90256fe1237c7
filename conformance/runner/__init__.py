"""Processes of a run: a zygote that workers are forked from, workers that own the device, the oracle beside them."""
