"""The rules of Éclaircissement (``eclaircissement``), rule sheet 003."""
