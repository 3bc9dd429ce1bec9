"""What outlives the process: one SQLite file, written by one thread, read by any.

Knows the domain and nothing above it. Every query is a function whose first argument is the
database: reads go through `Store.read`, writes through `Writer.call`.
"""
