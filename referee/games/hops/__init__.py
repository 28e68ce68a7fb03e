"""The rules of HOPS, the ball game of 1983 (``hops``), rule sheet 002."""
