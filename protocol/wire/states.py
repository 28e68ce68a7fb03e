"""The states of the conversation between a hub and one engine, and the messages that each state allows.

Both sides share one state, and one table lists the messages that each state allows and the state that
follows. Commands and replies have different types, so the table needs no roles. It rejects a ``go`` of the
hub that comes too early in the same way as a second ``ugiok`` of an engine.
"""

from __future__ import annotations

from enum import StrEnum

from protocol.wire import messages as m


class State(StrEnum):
    """The state of the conversation. A `StrEnum`, because the hash of a plain `Enum` is ten times slower."""

    START = "start"
    HANDSHAKE = "handshake"
    GREETED = "greeted"
    IDLE = "idle"
    SYNC = "sync"
    POSITIONED = "positioned"
    SEARCH = "search"
    PONDER = "ponder"
    DRAIN = "drain"
    CLOSED = "closed"


TRANSITIONS: dict[State, dict[type, State]] = {
    State.START: {m.Hello: State.HANDSHAKE, m.InfoLine: State.START, m.Quit: State.CLOSED},
    State.HANDSHAKE: {
        m.Id: State.HANDSHAKE,
        m.OptionLine: State.HANDSHAKE,
        m.InfoLine: State.HANDSHAKE,
        m.Announce: State.HANDSHAKE,
        m.HelloOk: State.GREETED,
        m.Quit: State.CLOSED,
    },
    State.GREETED: {
        m.Acknowledge: State.GREETED,
        m.SetOption: State.GREETED,
        m.IsReady: State.SYNC,
        m.InfoLine: State.GREETED,
        m.Quit: State.CLOSED,
    },
    State.IDLE: {
        m.SetOption: State.IDLE,
        m.IsReady: State.SYNC,
        m.NewGame: State.IDLE,
        m.GameInfoLine: State.IDLE,
        m.SetPosition: State.POSITIONED,
        m.Moves: State.IDLE,
        m.Legal: State.IDLE,
        m.Go: State.SEARCH,
        m.Ponder: State.PONDER,
        m.GameOver: State.IDLE,
        m.ErrorReport: State.IDLE,
        m.Query: State.IDLE,
        m.Response: State.IDLE,
        m.InfoLine: State.IDLE,
        m.Quit: State.CLOSED,
    },
    State.POSITIONED: {
        m.SetPosition: State.POSITIONED,
        m.Go: State.SEARCH,
        m.Ponder: State.PONDER,
        m.NewGame: State.IDLE,
        m.Quit: State.CLOSED,
        m.InfoLine: State.POSITIONED,
    },
    State.SYNC: {m.ReadyOk: State.IDLE, m.InfoLine: State.SYNC, m.Quit: State.CLOSED},
    State.SEARCH: {
        m.BestMove: State.IDLE,
        m.InfoLine: State.SEARCH,
        m.IsReady: State.SEARCH,
        m.ReadyOk: State.SEARCH,
        m.Stop: State.DRAIN,
        m.Quit: State.CLOSED,
    },
    State.PONDER: {
        m.PonderHit: State.SEARCH,
        m.InfoLine: State.PONDER,
        m.Stop: State.DRAIN,
        m.Quit: State.CLOSED,
    },
    State.DRAIN: {
        m.BestMove: State.IDLE,
        m.InfoLine: State.DRAIN,
        m.ReadyOk: State.DRAIN,
        m.Quit: State.CLOSED,
    },
    State.CLOSED: dict.fromkeys((m.InfoLine, m.BestMove, m.ReadyOk, m.Response), State.CLOSED),
}
"""Maps a state and a message type to the next state. A type that is missing is not allowed in that state."""

NEEDED_CAPABILITY: dict[type, str] = {
    m.GameInfoLine: "seat",
    m.Moves: "delta",
    m.Legal: "legal",
    m.GameOver: "result",
    m.ErrorReport: "errors",
}
"""The messages that the hub may send only to an engine with this capability."""
