"""Strength on a scale: what the levels are worth, and where an engine stands among known opponents."""
