"""The hub's side of a conversation with an engine, on trio."""
