"""Statistics of games: seats, endings, lengths and times."""
