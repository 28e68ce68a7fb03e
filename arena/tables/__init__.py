"""Tables for people, and the same rows as data for programs."""
