"""Windows that ask: each opens without stopping the rest and tells by signals what became of it."""
