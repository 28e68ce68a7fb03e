"""The rules of Quatre en ligne (``quatre-en-ligne``), rule sheet 003."""
