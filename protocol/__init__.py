"""The engine protocol: a superset of UGI, without I/O (`protocol.session`), on trio (`protocol.client`), and as a
library for engines written in Python (`protocol.engine`).
"""
