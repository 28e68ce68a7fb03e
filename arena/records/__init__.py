"""Games as a stream of entries in PGN or JSON lines: write them, read them, check and import them."""
