"""Messages, their text, and the state of a conversation, without I/O."""
