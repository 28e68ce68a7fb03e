"""What a run of the checks found, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["CheckReport", "CheckResult", "CheckStatus", "Severity"]


class Severity(StrEnum):
    """How much a failure matters."""

    MUST = "must"
    """The engine will lose games by it, or break the protocol."""
    SHOULD = "should"
    """The hub copes, but the engine's author wants to know."""
    INFO = "info"
    """Worth knowing; neither good nor bad."""


class CheckStatus(StrEnum):
    """What came of one check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of one check.

    Attributes:
        number: the check's number, which never changes.
        name: what was checked.
        severity: how much a failure matters.
        level: the level of the protocol from which the check applies.
        status: passed, failed or skipped.
        text: why it failed or was skipped, or a remark; may be empty.
        advice: one line on what to do; empty unless it failed.
        milliseconds: how long the check took.
        evidence: the last lines of the conversation, as in a transcript; empty unless it failed.
        blocker: the number of the failed check because of which this one was skipped; None otherwise.
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
    """A whole run.

    Attributes:
        engine: the name that the engine gave itself; empty when it came to no handshake.
        command: program and arguments.
        game: the id of the game that was checked; empty when it came to no handshake.
        level: 0 or 1; None when it came to no handshake.
        capabilities: what the engine announced and the hub uses.
        seed: from which the positions were drawn.
        results: in the order of their numbers.
    """

    engine: str
    command: tuple[str, ...]
    game: str
    level: int | None
    capabilities: tuple[str, ...]
    seed: int
    results: tuple[CheckResult, ...]

    def count(self, status: CheckStatus, severity: Severity | None = None) -> int:
        """How many checks (of one severity, or of all) came out like that."""
        return sum(result.status is status and severity in {None, result.severity} for result in self.results)

    @property
    def conforms(self) -> bool:
        """Whether no check that an engine must pass has failed."""
        return self.count(CheckStatus.FAILED, Severity.MUST) == 0
