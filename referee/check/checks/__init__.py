"""The checks. Each module has the checks of one topic."""
