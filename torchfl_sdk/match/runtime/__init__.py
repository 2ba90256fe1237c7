"""What serves the device functions of a chip: the vendor's runtime, each call with a meaning for every argument."""
