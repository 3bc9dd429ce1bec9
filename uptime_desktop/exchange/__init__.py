"""Definitions and history on their way in and out: declared files, other programs' files, backups.

Knows formats only. What is found here is handed to the app, which decides what becomes of it.
"""
