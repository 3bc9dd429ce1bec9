"""The kinds of check: what each is told, and how it looks at its target once.

Schedules, retries and timeouts are the engine's. Parsing is pure and stands apart from the
modules that open sockets.
"""
