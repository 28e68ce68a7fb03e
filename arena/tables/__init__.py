"""Tables for people and, by the same rows, for programs."""
