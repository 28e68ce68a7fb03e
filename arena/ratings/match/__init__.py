"""Elo and the sequential test of a match between two engines."""
