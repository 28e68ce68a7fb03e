"""The engine protocol, a superset of UGI.

`protocol.wire.session` is the conversation without I/O, `protocol.hub.client` puts it on trio and processes, and
`protocol.engine` is the library with which an engine is written in Python.
"""
