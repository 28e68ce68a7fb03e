"""HOPS, the ball game of 1983 (rule sheet 002)."""
