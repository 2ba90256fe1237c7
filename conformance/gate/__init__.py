"""The gate: from results to verdicts, and from verdicts to one answer."""
