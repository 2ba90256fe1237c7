"""What a run leaves behind: journal, junit.xml, summary, repro scripts, and a plain reading of each failure."""
