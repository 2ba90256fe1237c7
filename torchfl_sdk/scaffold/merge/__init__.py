"""Brings a chip project up to a newer header: what changed in the header, three-way merges, deliberate deletions."""
