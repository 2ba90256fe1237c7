"""Matches a HeaderModel against the op catalogue, with evidence."""
