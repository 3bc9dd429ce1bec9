"""The rules of the product, as pure functions over frozen values.

Nothing here reads a clock, a file, a socket or a random number: `now`, the time zone of
the computer and the random number are arguments. A year of schedule is a loop.
"""
