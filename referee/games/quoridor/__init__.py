"""Quoridor for two players and for four."""
