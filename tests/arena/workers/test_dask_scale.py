"""Time controls that are scaled by the speed of an engine on each worker, with real workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.arena.forked import arena
from tests.arena.workers.clusters import cluster
from tests.arena.workers.test_dask import HOSTILE, games
from tests.missing_tools import needs

ENGINE = """
import os, sys
sys.path.insert(0, {folder!r})
from faulty import Plain

class Searches(Plain):
    \"\"\"Searches 100 nodes a millisecond, and half as many where it does not find a file.\"\"\"

    def think_ms(self, limits):
        return limits["nodes"] / (100 if os.path.exists({marker!r}) else 50) if "nodes" in limits else 5

Searches().run()
"""


def write(folder: Path, engine: Path, scheduler: str) -> None:
    """Write the tournament file."""
    engines = "".join(
        f'[[engines]]\nname = "{name}"\ncommand = ["{{python}}", "{engine}"]\n' for name in ("a", "b")
    )
    (folder / "t.toml").write_text(
        'game = "quoridor"\ntime_control = "60+1"\ngames_per_pairing = 4\n'
        '[openings]\nkind = "random"\nplies = 2\n'
        f'[executor]\nkind = "dask"\nscheduler = "{scheduler}"\nscale = "nodes per second of a"\n'
        f"[adjudication]\nplies = 8\n[defaults]\nmargin = 30000\n{engines}"
    )


@needs("networks")  # as root, one worker does not see the file
@pytest.mark.slow  # the speed is measured three times, for two seconds
def test_a_worker_of_half_the_speed_gets_twice_the_time_and_the_factor_is_stored(tmp_path: Path) -> None:
    marker, engine = tmp_path / "fast" / "marker", tmp_path / "engine" / "engine.py"
    for path in (marker, engine):
        path.parent.mkdir()
    marker.touch()
    engine.write_text(ENGINE.format(folder=str(HOSTILE.parent), marker=str(marker)))
    with cluster(tmp_path, "same") as made:
        write(tmp_path, engine, made.address)
        done = arena("run", "t.toml", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert [game.scale for game in games(tmp_path)] == pytest.approx([1.0] * 4, rel=0.3)
        (tmp_path / "arena.db").unlink()
        made.kill_worker("same")
        made.start_worker("slow", "--cores", "1", hidden=marker.parent)
        made.wait_for_worker("slow")
        done = arena("run", "t.toml", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert [game.scale for game in games(tmp_path)] == pytest.approx([2.0] * 4, rel=0.3)
