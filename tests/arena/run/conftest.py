"""What several tests of a run share."""

import pytest

from tests.arena.run.referees import next_item


@pytest.fixture
def schedule_without_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the schedule in the loop of trio, whose autojump clock does not wait for threads."""
    monkeypatch.setattr("arena.run.upcoming.next_item", next_item)
