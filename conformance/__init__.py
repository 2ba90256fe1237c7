"""The release gate: op by op, did the chip's own kernel run, and are its numbers right."""
