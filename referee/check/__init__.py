"""The conformance checker: numbered checks that test one engine against the protocol and the rules of a game.

Theory of operation. The checks are a table. A row, a `ConformanceCheck`, has a number, a name, a severity, a
line of advice, what the check needs, and what it does: an asynchronous function that passes, or raises
`Failure` or `Skip`. Most of these functions get a `Conversation` with a fresh process of the engine, in a new
game (``in_game``) or after the handshake (``greeted``). The others get the `CheckContext`, and start
processes themselves. A `PositionBook` has positions to ask about.

A check declares the level and the capabilities that it needs, and is skipped for other engines. So an engine
never gets lines that it did not ask for. When a check fails, all checks that need it are skipped, so that one
mistake is reported once.
"""

from referee.check.catalogue import (
    CheckReport,
    CheckResult,
    CheckStatus,
    ConformanceCheck,
    Severity,
)
from referee.check.conversation import EngineUnderTest
from referee.check.run import CHECKS, check_engine

__all__ = [
    "CHECKS",
    "CheckReport",
    "CheckResult",
    "CheckStatus",
    "ConformanceCheck",
    "EngineUnderTest",
    "Severity",
    "check_engine",
]
