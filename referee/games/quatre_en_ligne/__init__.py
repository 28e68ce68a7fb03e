"""Quatre en ligne."""
