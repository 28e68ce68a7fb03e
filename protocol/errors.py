"""What can go wrong between the hub and an engine.

ProtocolError
├── LocalProtocolError    we asked for something that the state or the peer's capabilities forbid: a bug here
└── RemoteProtocolError   the peer broke the protocol
EngineError               what an engine process did, as its client reports it
├── EngineStartError      it could not be started, or gave up before it was ready
├── EngineStalled         no answer in time outside a search, or it does not read its input
├── EngineCrashed         end of file, exit or a signal
├── EngineTimedOut        no ``bestmove`` before the clock and its margin ran out
├── EngineFlooded         more output in a turn than the limit
└── HubFault              this machine's fault, never the engine's (out of descriptors, fork failed)
"""

from __future__ import annotations

__all__ = [
    "EngineCrashed",
    "EngineError",
    "EngineFlooded",
    "EngineStalled",
    "EngineStartError",
    "EngineTimedOut",
    "HubFault",
    "LocalProtocolError",
    "ProtocolError",
    "RemoteProtocolError",
]


class ProtocolError(Exception):
    """Base of the errors of the sans-I/O half."""


class LocalProtocolError(ProtocolError):
    """We tried to send what may not be sent now."""


class RemoteProtocolError(ProtocolError):
    """The peer sent what may not be sent now."""


class EngineError(Exception):
    """Base of what an engine process can do to its client; the message is one sentence for people."""


class EngineStartError(EngineError):
    """The engine could not be started: no such file, not executable, a bad working directory."""


class EngineStalled(EngineError):
    """No ``ugiok`` or ``readyok`` in time, or standard input left unread."""


class EngineCrashed(EngineError):
    """End of file, exit, or a signal."""


class EngineTimedOut(EngineError):
    """No ``bestmove`` before the clock and its margin ran out."""


class EngineFlooded(EngineError):
    """More output in one turn than the limit."""


class HubFault(EngineError):
    """The machine could not start or reach the engine: void, never scored."""
