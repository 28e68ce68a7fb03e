"""The errors of messages, and the failures of engines."""

from __future__ import annotations


class ProtocolError(Exception):
    """Base of the errors of `protocol.wire`, which does no I/O."""


class LocalProtocolError(ProtocolError):
    """Our own code tried to send a message that is not allowed now."""


class RemoteProtocolError(ProtocolError):
    """The peer sent a message that is not allowed now."""


class EngineError(Exception):
    """Base of the failures of an engine. The message is one sentence for people."""


class EngineStartError(EngineError):
    """The engine cannot be started (for example, there is no such file), or does not play the game."""


class EngineOptionError(EngineStartError):
    """The engine lacks an option that its configuration sets, or does not take the value."""


class EngineStalled(EngineError):
    """The engine did not send ``ugiok`` or ``readyok`` in time, or did not read its input."""


class EngineCrashed(EngineError):
    """The engine exited, was killed by a signal, or closed its output."""


class EngineTimedOut(EngineError):
    """The engine sent no ``bestmove`` before its clock and the margin ran out."""


class EngineGone(EngineError):
    """The line to an engine on its author's machine was broken for too long."""


class EngineFlooded(EngineError):
    """The engine printed more than the limit in one turn."""


class HubFault(EngineError):
    """This machine could not start or reach the engine. The game is void and not scored."""


class EngineAbsent(HubFault):
    """The line to an engine on its author's machine was gone before the game started."""
