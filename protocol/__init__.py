"""The engine protocol, a superset of UGI.

`protocol.session` is the conversation without I/O, `protocol.client` puts it on trio and processes, and
`protocol.engine` is the library with which an engine is written in Python.
"""
