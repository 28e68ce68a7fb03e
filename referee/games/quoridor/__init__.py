"""Quoridor for two players and for four (``quoridor``, ``quoridor4``): rule sheet 004."""
