"""Commands that are called in this process."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner, Result

from arena.cli import main


def invoke(*words: object, **options: Any) -> Result:
    """Call ``arena`` with these words. The options are those of click's runner."""
    return CliRunner().invoke(main, [str(word) for word in words], **options)


def refusal(done: Result) -> str:
    """Return the message of a command that was refused: it printed nothing else, and its exit code is 2."""
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert "Traceback" not in done.stderr
    return done.stderr
