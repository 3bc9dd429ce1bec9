"""Tells a person of trouble: what to say, when, and by which way.

Knows neither the store nor the app; what it needs of them stands in `domain.alerts`.
"""
