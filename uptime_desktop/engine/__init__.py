"""What turns the plan into runs."""
