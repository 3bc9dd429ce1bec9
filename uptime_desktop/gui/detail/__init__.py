"""The right side of the window: one monitor, how it stands and how it has been."""
