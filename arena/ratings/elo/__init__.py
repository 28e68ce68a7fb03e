"""Elo: a fit of strengths to all games of an id, their errors, and how well the fit explains the games."""
