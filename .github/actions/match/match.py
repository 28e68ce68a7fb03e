"""Play the engine of this checkout against that of another commit; action.yml explains the variables."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

PASSES = {"worse": ("better", "unclear"), "unclear": ("better",), "never": ("better", "unclear", "worse")}
"""The verdicts with which the step passes, by its input fail-on."""

FOLDER = Path(os.environ["RUNNER_TEMP"], "match")


def fail(message: str) -> NoReturn:
    """End with an error that GitHub shows beside the step."""
    print(f"::error title=Arena match::{message}", flush=True)
    sys.exit(1)


def git(*words: str) -> int:
    """Run git in the checkout, and return its exit code."""
    return subprocess.run(["git", *words], check=False).returncode


def release() -> str:
    """Return the newest version among the tags of other commits than this one and later ones."""
    listing = ["git", "tag", "--no-contains", "HEAD"]
    for fetch in (False, True):
        if fetch:
            git("fetch", "--quiet", "--depth=1", "origin", "refs/tags/*:refs/tags/*")
        tags = subprocess.run(listing, stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        versions = [tag for tag in tags if re.fullmatch(r"v?[0-9]+(\.[0-9]+)*", tag)]
        if versions:
            return max(versions, key=lambda tag: [int(number) for number in tag.removeprefix("v").split(".")])
    fail("there is no release before this commit: no tag such as v1.2.3")


def build(name: str, commit: str) -> Path:
    """Check a commit out into a folder of its own, and build the engine there; return the folder."""
    folder = FOLDER / name
    if git("cat-file", "-e", f"{commit}^{{commit}}") and git(
        "fetch", "--quiet", "--depth=1", "origin", commit
    ):
        fail(f"there is no commit {commit} of the {name}")
    if git("worktree", "add", "--quiet", "--force", "--detach", str(folder), commit):
        fail(f"the {name} cannot be checked out")
    print(f"::group::build the {name}", flush=True)
    done = subprocess.run(["bash", "-e", "-c", os.environ["BUILD"]], cwd=folder, check=False)
    print("::endgroup::", flush=True)
    if done.returncode:
        fail(f"the {name} cannot be built; its commands end with {done.returncode}")
    return folder


def arena(*words: str) -> tuple[str, bool]:
    """Run arena; return what it prints, and whether a match ended with 1: an engine was disabled, perhaps."""
    done = subprocess.run(["arena", *words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in ((0, 1) if words[0] == "match" else (0,)):
        fail(f"arena {words[0]} ends with {done.returncode}; its message is above")
    return done.stdout, done.returncode == 1


def verdict(match: dict, *, faulty: bool) -> str:
    """Return what the test accepted or, without a test, what the interval of Elo says.

    A new engine that is disabled after three faults in a row is worse.
    """
    head, base = match["forfeits"]
    if faulty and head >= 3 and head > base:
        return "worse"
    if "sprt" in match:
        return {"elo1": "better", "elo0": "worse"}.get(match["sprt"]["accepted"], "unclear")
    estimate = match["estimate"] or {}
    low, high = estimate.get("low"), estimate.get("high")  # None: the interval has no end
    if low is not None and low > 0:
        return "better"
    return "worse" if high is not None and high < 0 else "unclear"


def explained(found: str, match: dict) -> str:
    """Return the verdict as a sentence: with 0,50 an engine that is as strong as before is worse."""
    if found == "unclear":
        return "It is unclear which engine is better"
    test = match.get("sprt") or {}
    if found == "worse" and test.get("accepted") == "elo0":
        return (
            f"The new engine is worse than asked for: Elo {test['elo0']:g} accepted, not Elo {test['elo1']:g}"
        )
    return f"The new engine is {found}"


def main() -> None:
    """Build, play, and tell GitHub."""
    given = os.environ
    if given["FAIL_ON"] not in PASSES:
        fail(f"fail-on must be one of {', '.join(PASSES)}, not {given['FAIL_ON']!r}")
    if not given["BASE"]:
        fail("this is no pull request: name the commit to play against with the input base")
    base = release() if given["BASE"] == "release" else given["BASE"]
    folders = [build("head", "HEAD"), build("base", base)]
    database, summary = FOLDER / "arena.db", FOLDER / "summary.md"
    # A program beside arena's current folder would be the same one twice.
    command = re.sub(r"^\./", "{cwd}/", given["COMMAND"])
    engines = [f"{name}={command}" for name in ("head", "base")]
    options = ["--max-games", given["GAMES"], "--time-control", given["TIME_CONTROL"], "--name", "match"]
    options += [f"--sprt={given['SPRT']}"] if given["SPRT"] else []
    options += [word for folder in folders for word in ("--cwd", str(folder))]
    try:
        arguments = shlex.split(given["ARGUMENTS"])
    except ValueError as error:
        fail(f"arguments: {error}, in {given['ARGUMENTS']}")
    options += [*arguments, "--db", str(database), "--quiet", "--summary"]
    table, faulty = arena("match", given["GAME"], *engines, *options)
    standings, _ = arena("standings", "match", "--db", str(database), "--json")
    match = json.loads(standings)["games"][0]["match"]
    arena("export", "--db", str(database), "--output", str(FOLDER / "games.pgn"))
    found = verdict(match, faulty=faulty)
    estimate = (match["estimate"] or {}).get("elo")
    sentence = explained(found, match)
    summary.write_text(f"### {sentence}\n\n{table}", encoding="utf-8")
    with Path(given["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as page:
        page.write(summary.read_text(encoding="utf-8"))
    elo = "" if estimate is None else f"{estimate:.1f}"
    with Path(given["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as outputs:
        outputs.write(
            f"verdict={found}\ngames={match['games']}\nelo={elo}\nsummary={summary}\ndatabase={database}\n"
        )
    print(table)
    if found not in PASSES[given["FAIL_ON"]]:
        fail(sentence)


if __name__ == "__main__":
    main()
