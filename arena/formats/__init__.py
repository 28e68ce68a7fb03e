"""Formats: which engines of a tournament play each other, a module a format."""
