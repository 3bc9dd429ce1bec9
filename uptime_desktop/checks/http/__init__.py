"""The http check: its settings, what it sends, and how an answer is judged."""
