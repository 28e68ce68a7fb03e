"""Games of people against engines: what can be chosen, how a move is put together, what a page shows."""
