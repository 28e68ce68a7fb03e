"""The engine protocol, a superset of UGI.

- `protocol.wire`: messages, their text, and the state of a conversation, without I/O.
- `protocol.process`: an engine as a process.
- `protocol.hub`: the hub's half of a conversation, on trio.
- `protocol.engine`: the library with which an engine is written in Python.
"""
