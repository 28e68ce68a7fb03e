"""The results of a run of the checks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["CheckReport", "CheckResult", "CheckStatus", "Severity"]


class Severity(StrEnum):
    """How much a failure matters."""

    MUST = "must"
    """The engine breaks the protocol, or will lose games because of this."""
    SHOULD = "should"
    """The hub can handle this, but the engine's author should correct it."""
    INFO = "info"
    """Information only, neither good nor bad."""


class CheckStatus(StrEnum):
    """The status of one check after a run."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check.

    Attributes:
        number: the check's number, which never changes.
        name: the checked behaviour.
        severity: how much a failure matters.
        level: the lowest level of the protocol to which the check applies.
        status: passed, failed or skipped.
        text: the reason why it failed or was skipped, or a remark; may be empty.
        advice: how to correct the engine, in one line; empty unless the check failed.
        milliseconds: how long the check took.
        evidence: the last lines of the conversation, as in a transcript; empty unless the check failed.
        blocker: the number of the failed check that this one needs, if it was skipped for that; else None.
    """

    number: int
    name: str
    severity: Severity
    level: int
    status: CheckStatus
    text: str
    advice: str
    milliseconds: int
    evidence: tuple[str, ...]
    blocker: int | None = None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The results of a whole run.

    Attributes:
        engine: the name in the engine's ``id name`` line; empty if no handshake succeeded.
        command: program and arguments.
        game: the id of the game; empty if no handshake succeeded.
        level: the level of the protocol, 0 or 1; None if no handshake succeeded.
        capabilities: the capabilities that the engine announced and the hub uses.
        seed: the seed of the random positions.
        results: the results, in the order of the checks' numbers.
    """

    engine: str
    command: tuple[str, ...]
    game: str
    level: int | None
    capabilities: tuple[str, ...]
    seed: int
    results: tuple[CheckResult, ...]

    def count(self, status: CheckStatus, severity: Severity | None = None) -> int:
        """Return the number of checks with this status, of one severity or of all."""
        return sum(result.status is status and severity in {None, result.severity} for result in self.results)

    @property
    def conforms(self) -> bool:
        """Whether no check of the severity ``must`` failed."""
        return self.count(CheckStatus.FAILED, Severity.MUST) == 0
