"""Play against the engines of a tournament file: the running games, their addresses and their pages."""
