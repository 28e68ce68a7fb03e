"""A match: its score, Elo and decision, in words and as values."""
