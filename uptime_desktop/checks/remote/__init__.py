"""The remote check: the monitors of another server, seen as one of ours."""
