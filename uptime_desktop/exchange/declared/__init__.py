"""Our own configuration file: read with all that is wrong in it, compared, and written."""
