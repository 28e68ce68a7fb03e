"""The engine protocol, a superset of UGI.

- `protocol.wire`: the messages, their text, and the state of a conversation, without I/O.
- `protocol.process`: starts, limits and ends an engine's process.
- `protocol.hub`: the hub's side of a conversation, on trio.
- `protocol.engine`: a library for writing engines in Python.
"""
