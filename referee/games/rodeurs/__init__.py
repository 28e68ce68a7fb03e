"""Rôdeurs."""
