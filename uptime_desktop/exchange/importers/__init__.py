"""One module for each program that people move in from."""
