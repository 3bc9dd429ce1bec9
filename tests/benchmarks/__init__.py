"""How fast and how large the program is, as ratios within one run; not part of the tests."""
