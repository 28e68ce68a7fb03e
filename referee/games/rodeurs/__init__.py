"""The rules of Rôdeurs with jumps in four directions (``rodeurs``) or eight (``rodeurs-diagonal``).

Source: rule sheet 001.
"""
