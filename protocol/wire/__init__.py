"""Bytes, messages and the state of a conversation: no I/O."""
