"""Éclaircissement (``eclaircissement``): rule sheet 003."""
