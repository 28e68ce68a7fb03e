"""Éclaircissement (rule sheet 003)."""
