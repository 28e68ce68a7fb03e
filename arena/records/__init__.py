"""Games as a stream of entries in text, JSON lines or PGN: write them, read them, check and import them."""
