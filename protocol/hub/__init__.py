"""The hub's half of a conversation with an engine, on trio."""
