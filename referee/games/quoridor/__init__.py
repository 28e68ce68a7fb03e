"""The rules of Quoridor for two players (``quoridor``) and for four (``quoridor4``), rule sheet 004."""
