"""The Swiss system: its rounds, who meets whom in a round, and the tie-breaks of its table."""
