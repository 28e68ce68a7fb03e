"""The action for pull requests plays two commits of an engine, and tells GitHub which one is stronger."""

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

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".github/actions/match"
ACTION = yaml.safe_load((FOLDER / "action.yml").read_text())
PAGE = (ROOT / "docs/howto/pull-requests.md").read_text()
WORKFLOW = yaml.safe_load(re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[0])
INSTALL = next(step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == "Install arena")

pytestmark = pytest.mark.system


class Runner:
    """A repository with an engine of two commits, and what GitHub does with the action."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkout = folder / "checkout"
        self.checkout.mkdir()
        self.git("init", "--quiet")
        self.commits = []
        for name in ("random", "greedy"):
            shutil.copytree(
                ROOT / f"engines/python-{name}",
                self.checkout,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
            (self.checkout / "engine.py").rename(self.checkout / "source.py")
            self.commits.append(self.commit(name))

    def commit(self, message: str) -> str:
        """Commit all files of the checkout; returns the commit."""
        self.git("add", ".")
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        self.git(*identity, "commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def git(self, *words: str) -> str:
        command = ["git", *words]
        return subprocess.run(command, cwd=self.checkout, check=True, capture_output=True, text=True).stdout

    def play(self, base: str, inputs: dict[str, Any]) -> tuple[int, str, dict[str, str], str]:
        """Run the steps with these inputs; returns the exit code, the output, the outputs and the summary."""
        values = {name: declared.get("default") for name, declared in ACTION["inputs"].items()} | inputs
        values["base"] = base
        files = {"GITHUB_OUTPUT": self.folder / "output", "GITHUB_STEP_SUMMARY": self.folder / "summary"}
        environment = {
            **os.environ,
            **{name: str(file) for name, file in files.items()},
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_ACTION_PATH": str(FOLDER),
        }
        binaries = self.folder / "arena/bin"  # the step that installs would download packages
        binaries.parent.mkdir()
        binaries.symlink_to(Path(sys.executable).parent)
        (step,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "match"]
        for name, text in step["env"].items():
            environment[name] = str(values[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)[1]])
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=self.checkout,
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
        )
        texts = [file.read_text() if file.exists() else "" for file in files.values()]
        outputs = dict(line.split("=", 1) for line in texts[0].splitlines())
        return done.returncode, done.stdout + done.stderr, outputs, texts[1]


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


ENGINE = {
    "game": "quoridor",
    "build": "cp source.py engine.py",
    "command": "{python} engine.py",
    "time-control": "5+0.1",
}


CRASHES = """
import sys
for line in sys.stdin:
    if line.startswith("go"):
        sys.exit(3)
    print({"ugi": "ugiok", "isready": "readyok"}.get(line.split()[0], ""), flush=True)
"""


def test_a_stronger_engine_passes_and_its_match_is_on_the_page_of_the_run(runner: Runner) -> None:
    base = runner.commits[0]
    inputs = {**ENGINE, "sprt": "-200,200", "games": 100, "fail-on": "unclear"}
    code, output, outputs, summary = runner.play(base, inputs)
    assert code == 0, output
    assert outputs.keys() == ACTION["outputs"].keys()
    assert outputs["verdict"] == "better"
    assert summary == Path(outputs["summary"]).read_text()
    assert summary.startswith("### The new engine is better\n\n**head** against **base** in quoridor, ")
    assert "Elo 200 accepted" in summary
    assert Path(outputs["database"]).exists()
    assert (runner.folder / "match/games.pgn").read_text().startswith("[Event ")
    assert runner.git("-C", str(runner.folder / "match/base"), "rev-parse", "HEAD").strip() == base


def test_a_weaker_engine_fails_unless_that_is_allowed(runner: Runner) -> None:
    base, head = runner.commits
    runner.git("checkout", "--quiet", base)
    code, output, outputs, summary = runner.play(head, {**ENGINE, "sprt": "-200,200"})
    assert (code, outputs["verdict"]) == (1, "worse")
    assert "::error title=Arena match::The new engine is worse than asked for: Elo -200 accepted" in output
    assert "Elo -200 accepted" in summary


@pytest.mark.parametrize(("fail_on", "code"), [("worse", 0), ("unclear", 1), ("never", 0)])
def test_two_games_say_nothing_and_the_input_says_whether_that_fails(
    runner: Runner, fail_on: str, code: int
) -> None:
    inputs = {**ENGINE, "games": 2, "fail-on": fail_on, "arguments": "--set margin=200 --concurrency 1"}
    found, output, outputs, _ = runner.play(runner.commits[0], inputs)
    assert outputs, output
    assert (found, outputs["verdict"], outputs["games"]) == (code, "unclear", "2"), output


@pytest.mark.parametrize("inputs", [{"games": 8}, {"games": 100, "sprt": "0,400"}], ids=["fixed", "test"])
@pytest.mark.parametrize(("broken", "code"), [("new", 1), ("old", 0)])
def test_a_disabled_engine_leaves_the_games_and_only_the_new_one_is_worse(
    runner: Runner, inputs: dict[str, Any], broken: str, code: int
) -> None:
    whole = runner.commits[1]
    (runner.checkout / "source.py").write_text(CRASHES)
    crashing = runner.commit("crash")
    head, base = (crashing, whole) if broken == "new" else (whole, crashing)
    runner.git("checkout", "--quiet", head)
    found, output, outputs, summary = runner.play(base, ENGINE | inputs)
    assert found == code, output
    assert (outputs["verdict"] == "worse") == (broken == "new")
    assert outputs["verdict"] in summary
    assert (runner.folder / "match/games.pgn").read_text().startswith("[Event ")


@pytest.mark.parametrize(
    ("base", "inputs", "message"),
    [
        ("", {}, "this is no pull request: name the commit to play against with the input base"),
        ("release", {}, "there is no release before this commit: no tag such as v1.2.3"),
        ("0" * 40, {}, f"there is no commit {'0' * 40} of the base"),
        ("HEAD", {"build": "exit 3"}, "the head cannot be built; its commands end with 3"),
        ("HEAD", {"game": "go"}, "arena match ends with 2; its message is above"),
        ("HEAD", {"arguments": "--set 'x"}, "arguments: No closing quotation, in --set 'x"),
        ("HEAD", {"fail-on": "lost"}, "fail-on must be one of worse, unclear, never, not 'lost'"),
    ],
)
def test_what_cannot_be_played_is_an_error_with_its_reason(
    runner: Runner, base: str, inputs: dict[str, str], message: str
) -> None:
    code, output, outputs, _ = runner.play(base, ENGINE | inputs)
    assert code == 1
    assert f"::error title=Arena match::{message}\n" in output
    assert outputs == {}


def test_a_relative_command_is_the_program_of_each_version(runner: Runner) -> None:
    script = f"#!/bin/sh\\nexec {sys.executable} source.py\\n"
    inputs = {
        **ENGINE,
        "build": f"printf '{script}' > engine; chmod +x engine",
        "command": "./engine",
        "games": 2,
    }
    code, output, outputs, _ = runner.play(runner.commits[0], {**inputs, "fail-on": "never"})
    assert code == 0, output
    assert outputs["games"] == "2"


def test_the_base_is_the_last_release_before_the_commit(runner: Runner) -> None:
    first, second = runner.commits
    last = runner.commit("empty")
    for tag in ("v1.9", "1.2.0", "v1.10-rc1", "v2-rc1", "nightly"):
        runner.git("tag", tag, second)
    for tag, commit in (("v1.10", first), ("v2.0", last)):
        runner.git("tag", tag, commit)
    code, output, outputs, _ = runner.play("release", {**ENGINE, "games": 2, "fail-on": "never"})
    assert code == 0, output
    assert outputs["games"] == "2"
    assert runner.git("-C", str(runner.folder / "match/base"), "rev-parse", "HEAD").strip() == first


@pytest.mark.parametrize(
    ("path", "installed"),
    [(FOLDER, "--no-deps"), (Path("alone"), "leapfrog-arena[chess]")],
    ids=["in a checkout", "alone"],
)
def test_arena_is_installed_from_the_checkout_or_else_from_its_release(
    tmp_path: Path, path: Path, installed: str
) -> None:
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\necho "$@"\n')
    uv.chmod(0o755)
    paths = {"GITHUB_ACTION_PATH": str(tmp_path / path), "RUNNER_TEMP": "/tmp"}
    done = subprocess.run(
        ["bash", "-e", "-c", INSTALL],
        env=os.environ | paths | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("venv ")
    assert installed in lines[-1]
    assert {line.split()[1] for line in lines[1:]} == {"install"}


def test_the_page_has_every_input_with_its_default_and_every_output() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.*)", PAGE, re.MULTILINE)
    assert [name for name, _ in rows] == [*ACTION["inputs"], *ACTION["outputs"]]
    texts = dict(rows[: len(ACTION["inputs"])])
    for name, declared in ACTION["inputs"].items():
        default = declared.get("default", "needed")
        plain = not default or default.startswith("$") or texts[name].startswith(f"{default} |")
        assert plain or texts[name].startswith(f"`{default}` |")


def test_the_workflow_of_the_page_uses_this_action_with_inputs_that_it_has() -> None:
    step = WORKFLOW["jobs"]["match"]["steps"][-1]
    assert f"/{FOLDER.relative_to(ROOT)}@" in step["uses"]
    assert step["with"].keys() <= ACTION["inputs"].keys()
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} <= step["with"].keys()
    project = FOLDER / re.findall(r'project="\$GITHUB_ACTION_PATH/(.*)"', INSTALL)[0]
    assert project.resolve() == ROOT
    for file in re.findall(r'"\$project/(.*?)"', INSTALL):
        assert (ROOT / file).is_file()
