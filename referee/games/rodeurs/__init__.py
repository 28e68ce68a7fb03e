"""Rôdeurs with jumps in four directions or in eight (``rodeurs``, ``rodeurs-diagonal``): rule sheet 001."""
