"""The conformance checker: numbered checks that test one engine against the protocol and the rules of a game.

Theory of operation. A `ConformanceCheck` is an asynchronous function with a number, a severity and a line of
advice. It gets a `CheckContext`, with which it starts fresh processes of the engine. It passes, or raises
`Failure` or `Skip`. A `Conversation` exchanges lines with one process through the dialogue of the referee,
and a `PositionBook` has positions to ask about.

A check declares the level and the capabilities that it needs, and is skipped for other engines. So an engine
never gets lines that it did not ask for. When a check fails, all checks that need it are skipped, so that one
mistake is reported once.
"""

from referee.check.catalogue import (
    CheckReport,
    CheckResult,
    CheckStatus,
    ConformanceCheck,
    EngineUnderTest,
    Severity,
)
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
