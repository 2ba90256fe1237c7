"""Headers written in many conventions from one list of ops: what breaks when a header says the same in other words."""
