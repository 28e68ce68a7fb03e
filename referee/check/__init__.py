"""The conformance checker: numbered checks of one engine, against the protocol and the rules of a game.

Theory of operation. A *check* is an asynchronous function with a number, a severity and a line of advice; it
gets a *bench*, from which it takes fresh processes, and passes, or raises `Failure` or `Skip`. A *talk* is a
raw conversation with one process, a *player* speaks on it as the hub does, a *book* has positions to ask
about. An engine is never sent what it did not ask for: a check says for which level and which capabilities it
is, and is skipped elsewhere. When a check fails, those that need it are skipped, so that one mistake is
reported once.
"""

from referee.check.catalogue import ConformanceCheck
from referee.check.check_context import EngineUnderTest
from referee.check.game_dialogue import Patience
from referee.check.report import CheckReport, CheckResult, CheckStatus, Severity
from referee.check.run import CHECKS, check_engine

__all__ = [
    "CHECKS",
    "CheckReport",
    "CheckResult",
    "CheckStatus",
    "ConformanceCheck",
    "EngineUnderTest",
    "Patience",
    "Severity",
    "check_engine",
]
