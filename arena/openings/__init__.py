"""Openings: books of a tournament's games, and the files that they come from."""
