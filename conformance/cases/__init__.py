"""Cases: which calls the gate makes, how their values are drawn and how their tensors lie in memory."""
