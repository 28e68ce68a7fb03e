"""Every example of the help, the README and the documentation runs from an installed wheel.

Each one runs in a folder of its own, which has only the files that it names, as the text around it says. A
command that goes on until somebody ends it gets Ctrl-C.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.arena.cli.installed import ROOT, built_wheel, installed
from tests.arena.commands import COMMANDS, GROUPS
from tests.missing_tools import needs

pytestmark = [pytest.mark.system, needs("bwrap", "bash", "zstd")]

NOT_RUN = {
    r"^arena demo": "takes a minute; the slow test of test_wheel.py runs it",
    r"\btls://|--scheduler": "needs a cluster; tests/docs/test_many_machines.py has one",
    r"\bpostgresql://|\$ARENA_DB": "needs a server; tests/arena/cli/test_server.py has one",
    r"^arena submit": "needs an open door; tests/arena/door has one",
    r"^arena connect": "needs an open door; tests/arena/door/test_remote.py has one",
    r"\bbridge:|^arena run (own|programs)\.toml": "needs bots; test_tutorial.py and arena/bridges have them",
    r"\bengines/|docs/examples/|first-player": "is for a checkout, as the text says",
    r"--dialect uci|\bchess\.toml": "needs chess engines; tests/engines/test_uci.py has them",
    r"^(docker|sudo|systemd-run|sbatch|srun|for|taskset|pip|pipx|uvx) ": "another program starts arena",
    r"^arena door final|\bfinal\.(db|toml)": "needs bots; tests/arena/door/test_final.py has them",
    r"\bmodels\.toml|--game rampants$": "needs an endpoint; tests/engines/test_llm_games.py has one",
    r"^arena place .*--against spring": "needs games of its opponents; test_place.py has them",
    r"^arena tune ": "needs an engine with options; test_tune.py has one",
    r"^arena void spring --engine alpha": "asks, or needs an engine that was disabled; test_void.py has both",
    r"^arena verify": "needs games without a clock; tests/arena/cli/test_verify.py has them",
    r"--overall": "needs engines that have played several games; arena/ratings/test_overall.py has them",
    r"\bagain\.db": "goes on from line to line; arena/records/test_export_import.py does so",
    r"\bagent\.py|\bthree\.toml": "is in docs/examples; tests/docs/test_train_page.py and arena/envs have it",
    r"…": "has a name that only the reader knows",
}
"""Which examples do not run here, and why."""

ENDLESS = {
    "^arena serve": "serving on ",
    "^arena door run": "the door is open at ",
    "--sprt": "[1",
    "^arena place": "[1",
}
"""What the commands without an end, or with a late one, print when they are at work."""

OUTPUTS = re.compile(r"(?:--write-orders|--output|-o|--log|>|\binit|\bnew-engine) +(\S+)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"(?:#|//) ([\w.-]+\.\w+)\n")

README = (ROOT / "README.md").read_text(encoding="utf-8")
(ENGINE,) = [body for language, body in BLOCK.findall(README) if language == "python"]
PROGRAM = "#!/usr/bin/env python3\n" + ENGINE.replace('f"bestmove', 'f"info score cp 0\\nbestmove').replace(
    "\\nprotocol", "\\noption name Hash type spin default 16 min 1 max 64\\nprotocol"
)
"""An engine that reports a score and has an option."""

TOURNAMENT = 'game = "quoridor"\ntime_control = "10+0.1"\n[adjudication]\nplies = 6\n'
SEATS = '[[engines]]\nname = "{0}"\ncommand = "sample:{0}"\n'
PLAYERS = TOURNAMENT + SEATS.format("random") + SEATS.format("greedy")
COURSE = (ROOT / "docs/howto/a-course-of-forty.md").read_text(encoding="utf-8")
DOOR, *_ = [body for language, body in BLOCK.findall(COURSE) if language == "toml" and "[door]" in body]
PGN = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
EPD = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n"

FILES = {
    "mine.py": ENGINE,
    "mine/engine.py": ENGINE,
    "./mine": PROGRAM,
    "./old": PROGRAM,
    "./new": PROGRAM,
    "./other": PROGRAM,
    "bots/ann": {"bot.py": ENGINE},
    "bots/bob": {"bot.py": ENGINE},
    "students/ann": {"bot.py": ENGINE},
    "students/bob": {"bot": PROGRAM},
    "names.txt": "ann\nbob\n",
    "book.epd": EPD,
    "book.txt": "e2 e8\n",
    "match.pgn": PGN,
    "others.pgn": PGN,
    **dict.fromkeys(("tournament.toml", "league.toml", "class.toml", "play.toml", "course.toml"), PLAYERS),
}
"""What the examples name, and the text around them describes: the text of a file, or a folder of files."""

PATIENCE = 300.0  # seconds for an example on a busy machine, or for its end after Ctrl-C
SILENT = 3.0  # seconds for a command without an end that prints nothing


@dataclass(frozen=True)
class Example:
    """A line that a reader may type, or all lines of a tutorial, which belong together."""

    source: str
    line: str
    code: int = 0
    page: Path | None = None


def examples() -> Iterator[Example]:
    for words, command in (COMMANDS | GROUPS).items():
        for line in (command.epilog or "").splitlines():
            if line.strip().startswith("$ "):
                yield Example(f"arena {words} --help".replace("  ", " "), line.strip()[2:])
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        name = str(page.relative_to(ROOT))
        if "tutorial" in name:
            yield Example(name, "", page=page)
            continue
        for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
            if language == "console":
                for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                    line, _, shown = part.partition("\n")
                    yield Example(name, line, 2 if "error: " in shown else 0)
            if language == "sh":
                for line in body.replace("\\\n", "").splitlines():
                    yield Example(name, re.sub(r" +#.*", "", line))


def is_ours(example: Example) -> bool:
    return example.page is not None or bool(re.search(r"(?:^|[;|] *|do +|run .*)arena ", example.line))


ALL = list({(one.line, one.page): one for one in examples() if is_ours(one)}.values())
RUN = [one for one in ALL if not any(re.search(pattern, one.line) for pattern in NOT_RUN)]


@dataclass(frozen=True)
class Machine:
    """A machine with an installed wheel, and a database and other files that arena has written."""

    folder: Path
    programs: Path
    written: Path

    def run(self, line: str, where: Path) -> subprocess.CompletedProcess[str]:
        """Type a line in a folder. Somebody who is asked for a move resigns."""
        env = {"HOME": str(where), "PATH": f"{self.programs}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        endless = [word for pattern, word in ENDLESS.items() if re.search(pattern, line)]
        with (
            tempfile.NamedTemporaryFile("w+") as output,
            tempfile.NamedTemporaryFile("w+") as errors,
            tempfile.TemporaryFile("w+") as answers,
        ):
            orders = where / "orders.jsonl"
            answers.write(orders.read_text() if " batch - " in line else "resign\n")
            answers.seek(0)
            process = subprocess.Popen(
                ["bash", "-c", f"exec {line}" if endless else line],
                cwd=where,
                env=env,
                stdin=answers,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
            try:
                if endless:
                    _wait_until_at_work(process, (Path(output.name), Path(errors.name)), endless[0])
                    if process.poll() is None:
                        os.killpg(process.pid, signal.SIGINT)
                code = process.wait(PATIENCE)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
            if endless and code == 130:
                code = 0
            told = [Path(file.name).read_text() for file in (output, errors)]
            return subprocess.CompletedProcess(line, code, *told)

    def typed(self, example: Example) -> list[subprocess.CompletedProcess[str]]:
        """Run an example in a new folder."""
        where = Path(tempfile.mkdtemp(dir=self.folder))
        where.chmod(0o755)
        if example.page is not None:
            return list(self._tutorial(example.page, where))
        self._prepare(example.line, where)
        line = re.sub(r"--port \d+", "--port 0", example.line)
        if re.match(r"arena (serve|door run)", line) and "--port" not in line:
            line += " --port 0"  # several run at the same time
        return [self.run(line, where)]

    def _tutorial(self, page: Path, where: Path) -> Iterator[subprocess.CompletedProcess[str]]:
        for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
            if named := NAMED.match(body):
                (where / named[1]).write_text(body, encoding="utf-8")
            elif language == "console":
                for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                    yield self.run(part.partition("\n")[0], where)

    def _prepare(self, line: str, where: Path) -> None:
        """Make the files that a line reads."""
        outputs = set(OUTPUTS.findall(line))

        def read(name: str) -> bool:
            return name not in outputs and bool(re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w.-])", line))

        for name, content in FILES.items():
            if read(name):
                text = DOOR if " door " in line and content == PLAYERS else content
                files = text if isinstance(text, dict) else {"": text}
                for inside, body in files.items():
                    _write(where / name / inside if inside else where / name, body)
        for made in self.written.iterdir():
            if read(made.name) or made.name == "arena.db" or " batch - " in line:
                shutil.copy(made, where)
        for name in ("league.db", "cup.db"):
            if read(name):
                shutil.copy(self.written / "arena.db", where / name)
        if "> ~/.local" in line:
            _write(where / ".local/share/bash-completion/completions/others", "")
        if " door " in line:
            self._invite(line, where)

    def _invite(self, line: str, where: Path) -> None:
        """Make the samples of a course; ann and bob are participants, unless the line invites somebody."""
        for sample in ("first", "second"):
            _write(where / "samples" / sample / "engine.py", ENGINE)
        if " invite " not in line and "league.toml" in line:
            self.run("arena door invite league.toml ann bob", where)


def _wait_until_at_work(process: subprocess.Popen[bytes], output: tuple[Path, ...], word: str | None) -> None:
    began = time.monotonic()
    while process.poll() is None and time.monotonic() < began + PATIENCE:
        if word is None:
            if time.monotonic() > began + SILENT:
                return
        elif any(word in file.read_text() for file in output):
            return
        time.sleep(0.1)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)


@pytest.fixture(scope="module")
def outcomes(sample_database: Path) -> Iterator[dict[Example, list[subprocess.CompletedProcess[str]]]]:
    """What every example did. Several run at the same time."""
    with tempfile.TemporaryDirectory() as name:  # not below pytest's folder, which nobody else may enter
        folder = Path(name)
        folder.chmod(0o755)
        written = folder / "written"
        written.mkdir()
        machine = Machine(folder, installed(built_wheel(folder), folder / "environment"), written)
        _write_files(machine, sample_database)
        with ThreadPoolExecutor(3) as pool:
            yield dict(zip(RUN, pool.map(machine.typed, RUN), strict=True))


def _write_files(machine: Machine, sample_database: Path) -> None:
    """Let arena write the database and the other files that examples read."""
    written = machine.written
    shutil.copy(sample_database, written / "arena.db")
    long = TOURNAMENT.replace("plies = 6", "plies = 40")
    bots = SEATS.format("random") + '[[engines]]\nname = "bob"\ncommand = "sample:random"\n'
    _write(written / "bots.toml", f"games_per_pairing = 20\n{long}{bots}")
    _write(written / "tournament.toml", PLAYERS)
    _write(written / "match.pgn", PGN)
    for line in (
        "arena export --jsonl --output games.jsonl",
        "arena import match.pgn --tournament match",
        "arena run bots.toml --quiet",
        "arena match quoridor new=sample:random old=sample:random -n 2 --name new-old --quiet",
        "arena run tournament.toml --write-orders orders.jsonl",
        "arena worker orders.jsonl --output results.jsonl",
        "zstd -q games.jsonl -o archive.zst",
        "for name in part-aa part-ab; do cp orders.jsonl $name; done",
        "for name in lab1 lab2; do cp results.jsonl $name.jsonl; done; rm results.jsonl *.toml match.pgn",
    ):
        done = machine.run(line, written)
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("example", RUN, ids=lambda one: f"{one.source}: {one.line}")
def test_an_example_works_for_who_has_only_the_wheel(
    example: Example, outcomes: dict[Example, list[subprocess.CompletedProcess[str]]]
) -> None:
    for done in outcomes[example]:
        told = f"$ {done.args}\n{done.stdout}{done.stderr}"
        assert done.returncode == example.code, told
        failed = re.search("^(error: |Traceback)", done.stderr, re.MULTILINE)  # also before a pipe
        assert bool(failed) == (example.code == 2), told


def test_most_examples_run_and_each_reason_for_another_has_an_example() -> None:
    assert len(RUN) > 120
    assert [pattern for pattern in NOT_RUN if not any(re.search(pattern, one.line) for one in ALL)] == []
    assert {one.source for one in examples() if is_ours(one)} >= {
        f"arena {words} --help" for words in COMMANDS
    }
