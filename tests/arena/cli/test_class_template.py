"""A copy of the template checks bots and plays a ladder each night, with the steps of its own workflows.

What only GitHub has is stood in: actions, `gh`, and the installation of packages.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import arena
from tests.missing_tools import needs
from tests.processes import PATIENCE

TEMPLATE = Path(__file__).parents[3] / "templates/class"
FILES = sorted((TEMPLATE / ".github/workflows").glob("*.yml"))
WORKFLOWS: dict[str, Any] = {file.stem: yaml.safe_load(file.read_text()) for file in FILES}
ON = True  # what YAML makes of the key `on`

GH = """#!/bin/bash
case "$1 $2" in *"${BROKEN:-no such call}"*) exit 1 ;; esac
case "$1 $2" in
  "run download") [[ "$3 $5" = "11 database" || $5 = report ]] && cp -r "$ARTIFACTS/$5/." . ;;
  "api --method") echo 7 ;;
  "api repos/"*/runs/11/artifacts*) ls "$ARTIFACTS" | sed -n s/database/1/p ;;
  "api repos/"*/runs/*/artifacts*) ;; # it has failed before it played, or is too old
  "api repos/"*/workflows/ladder.yml/*=schedule*branch=main*) printf '%s\n' 11 3 ;;
  "api repos/"*/workflows/ladder.yml/*=workflow_dispatch*branch=main*) printf '%s\n' 12 9 ;;
  "pr comment") cp "${@: -1}" "$ARTIFACTS/../comment-$3" ;;
  *) exit 9 ;;
esac
"""


class Repository:
    """A copy of the template in a repository, and what GitHub does with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "class"
        shutil.copytree(TEMPLATE, self.folder)
        self.summary, self.artifacts, tools = folder / "summary", folder / "artifacts", folder / "tools"
        self.artifacts.mkdir()
        tools.mkdir()
        for name, text in (("gh", GH), ("uv", "#!/bin/sh\n"), ("sudo", "#!/bin/sh\n")):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.environment = {
            "PATH": f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_REF_NAME": "main",
            "ARTIFACTS": str(self.artifacts),
        }
        self.git("init", "--quiet")
        self.commit()

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.folder, check=True, timeout=PATIENCE)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "change")

    def run(self, workflow: str, job: str, event: dict[str, str]) -> int:
        """Run the steps of a job; returns the last exit code. ``event``: the values of expressions."""
        code = 0
        for step in WORKFLOWS[workflow]["jobs"][job]["steps"]:
            always = step.get("if") == "always()"
            if "upload-artifact" in step.get("uses", "") and (always or not code):
                target = self.artifacts / step["with"]["name"]
                shutil.rmtree(target, ignore_errors=True)
                target.mkdir()
                for file in self.folder.glob(step["with"]["path"]):
                    shutil.copy(file, target)
            if code or "run" not in step:
                continue
            values = WORKFLOWS[workflow].get("env", {}) | step.get("env", {})
            names = {
                name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: event.get(found[1], "?"), text)
                for name, text in values.items()
            }
            command = ["bash", "-e", "-c", step["run"]]
            done = subprocess.run(
                command, cwd=self.folder, env=self.environment | names, timeout=10 * PATIENCE, check=False
            )
            code = done.returncode
        return code


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.mark.system
@needs("bwrap", "make")
def test_a_pull_request_gets_a_comment_with_points_the_first_fault_and_its_position(
    repository: Repository,
) -> None:
    for name in ("ann", "eve"):
        bot = repository.folder / f"bots/{name}/engine.py"
        bot.parent.mkdir(exist_ok=True)
        text = (TEMPLATE / "bots/ann/engine.py").read_text()
        bot.write_text(
            text.replace("random.choice(turn.legal)", "'e2'" if name == "eve" else "turn.legal[0]")
        )
    repository.commit()
    pull_request = {"github.event_name == 'push' && github.event.before || 'HEAD^1'": "HEAD^1"}
    assert repository.run("check", "check", pull_request) == 1
    assert repository.run("comment", "comment", {"github.event.workflow_run.head_sha": "abc"}) == 0
    comment = (repository.artifacts / "../comment-7").read_text()
    assert comment.startswith("The check of abc:\n\n    === ann\n")
    ann, eve = comment.split("=== eve")
    assert "failed: 0 must" in ann
    assert "10 of 10 games" in ann
    assert re.search(r"^    \d+ passed, .*failed: [1-9]\d* must", eve, re.MULTILINE)
    assert re.search(
        r"^    202 legal moves in random positions \(must\)\n +it played 'e2' .*\n +advice:",
        eve,
        re.MULTILINE,
    )
    assert "0 of 10 points" in eve
    assert "│" in eve
    assert "seat 1 played 'e2'" in eve or "seat 2 played 'e2'" in eve
    assert "bob" not in comment
    assert "=== ann" in repository.summary.read_text()
    lines = comment.splitlines()[2:]
    assert [line for line in lines if not line.startswith("    ")] == []  # text, without links or names


@pytest.mark.system
@needs("bwrap", "make")
def test_a_report_names_a_fault_that_is_allowed_and_has_points_with_another_hand_in_class_toml(
    repository: Repository,
) -> None:
    settings = repository.folder / "class.toml"
    settings.write_text(settings.read_text().replace('game = "quoridor"', "game='quoridor'"))
    bot = repository.folder / "bots/ann/engine.py"
    bot.write_text(bot.read_text().replace("import random\n", "import random\nprint('Hello')\n"))
    repository.commit()
    event = {"github.event_name == 'push' && github.event.before || 'HEAD^1'": "HEAD^1"}
    assert repository.run("check", "check", event) == 0
    report = (repository.artifacts / "report/report.txt").read_text()
    assert re.search(r"^510 .*\(should\)\n +.*'Hello'", report, re.MULTILINE)
    assert "10 of 10 games" in report


@pytest.mark.system
@needs("bwrap", "make")
def test_a_check_whose_match_cannot_be_played_fails(repository: Repository) -> None:
    settings = repository.folder / "class.toml"
    settings.write_text(settings.read_text().replace('game = "quoridor"', '"game" = "quoridor"'))
    repository.folder.joinpath("bots/ann/README.md").write_text("A bot\n")
    repository.commit()
    event = {"github.event_name == 'push' && github.event.before || 'HEAD^1'": "HEAD^1"}
    assert repository.run("check", "check", event) == 1


@pytest.mark.system
@needs("bwrap", "make")
@pytest.mark.parametrize(
    ("files", "answer"),
    [
        (["README.md"], "No bot: this change. A bot is a folder bots/NAME"),
        (["a b/engine.py"], "No bot: bots/a b."),
        (["bad.name/engine.py"], "No bot: bots/bad.name."),
        (["eve/bot.py", "link"], "No bot: bots/link."),
        (["eve/bot.py"], "\nbots/eve has no file engine.py"),
        (
            ["ann/Makefile"],
            '=== ann\nbuild.sh: exit code 2 (124: make took 5 minutes)\necho "engine.c: error"',
        ),
        (["random/engine.py"], '[[engines]] "random": name: another engine has this name already'),
        (["eve/engine.py", "eve/engine"], '[[engines]] "eve": name: another engine has this name already'),
    ],
)
def test_what_the_ladder_cannot_play_gets_a_sentence(
    repository: Repository, files: list[str], answer: str
) -> None:
    texts = {
        "Makefile": 'engine:\n\techo "engine.c: error"; exit 1\n',
        "engine": (TEMPLATE / "bots/bob/engine").read_text(),
    }
    for file in files:
        path = repository.folder / "bots" / file
        path.parent.mkdir(exist_ok=True)
        if file == "link":
            path.symlink_to("ann")
        else:
            path.write_text(texts.get(path.name, ""))
    repository.commit()
    event = {"github.event_name == 'push' && github.event.before || 'HEAD^1'": "HEAD^1"}
    assert repository.run("check", "check", event) == 1
    assert answer in (repository.artifacts / "report/report.txt").read_text()


@pytest.mark.system
@needs("bwrap", "make", "prlimit")
def test_a_makefile_sees_only_the_programs_of_the_machine_and_has_limits(
    repository: Repository, tmp_path: Path
) -> None:
    bot = repository.folder / "bots/eve"
    bot.mkdir()
    bot.joinpath("Makefile").write_text(
        f"""engine:
\tfor path in {tmp_path}/tools {Path.home()} /run /var /sys; do ls $$path && exit 1; done; true
\ttest -z "$$TOKEN"
\tprlimit --raw --noheadings --output SOFT --nproc --data > engine
"""
    )
    done = subprocess.run(
        ["./build.sh", "bots/eve"],
        cwd=repository.folder,
        env=repository.environment | {"TOKEN": "secret"},
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0
    assert sorted(bot.joinpath("engine").read_text().split()) == ["2147483648", "256"]


@pytest.mark.parametrize(
    "call", ["event=schedule", "event=workflow_dispatch", "runs/11/artifacts", "download"]
)
def test_no_night_starts_from_nothing_because_github_has_an_error(repository: Repository, call: str) -> None:
    stored = repository.artifacts / "database"
    stored.mkdir()
    stored.joinpath("arena.db").write_text("")
    repository.environment["BROKEN"] = call
    assert repository.run("ladder", "play", {}) == 1
    assert not list(stored.iterdir())  # this night leaves no database, so the next takes the one before


@pytest.mark.system
@needs("bwrap", "make")
def test_every_night_goes_on_with_the_games_of_the_nights_before(repository: Repository) -> None:
    assert repository.run("ladder", "play", {}) == 0
    with arena.open_database(repository.artifacts / "database/arena.db") as database:
        first = database.results()
    assert {player.name for game in first for player in game.players} == {"ann", "bob", "random", "greedy"}
    assert len(first) == 6 * 4
    assert "greedy" in (repository.folder / "public/index.html").read_text()
    assert "| greedy" in repository.summary.read_text()
    # The next night is on another machine, with a bot that is built, and one that cannot be built.
    repository.git("clean", "-fdxq")
    bots = repository.folder / "bots"
    for name, target in (("cleo", "engine"), ("dan", "../bob/engine")):
        shutil.copytree(bots / "bob", bots / name)
        (bots / name / "engine").rename(bots / name / "source")
        (bots / name / "Makefile").write_text(
            f"{target}: source\n\techo '#' | cat source - > {target}\n\tchmod +x {target}\n"
        )
    bob = (bots / "bob/engine").read_text()
    assert repository.run("ladder", "play", {}) == 0
    assert (bots / "bob/engine").read_text() == bob
    with arena.open_database(repository.artifacts / "database/arena.db") as database:
        second = database.results()
    assert {game.id for game in first} < {game.id for game in second}
    assert len(second) == 10 * 4
    assert {player.name for game in second for player in game.players} == {
        "ann",
        "bob",
        "cleo",
        "random",
        "greedy",
    }


def test_no_job_that_runs_code_of_a_pull_request_may_write() -> None:
    for name, workflow in WORKFLOWS.items():
        assert "pull_request_target" not in workflow[ON]
        for job in workflow["jobs"].values():
            rights = workflow["permissions"] | job.get("permissions", {})
            runs = any("checkout" in step.get("uses", "") for step in job["steps"])
            assert not (runs and "write" in rights.values()), name
            for step in job["steps"]:
                assert "${{" not in step.get("run", "")  # a name of a branch could be a command
                if "checkout" in step.get("uses", ""):
                    assert step["with"]["persist-credentials"] is False
    assert WORKFLOWS["comment"][ON]["workflow_run"]["workflows"] == [WORKFLOWS["check"]["name"]]
