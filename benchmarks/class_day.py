"""A day of a course at the door: participants hand in good, broken and hostile engines, processes are killed.

    .venv/bin/python benchmarks/class_day.py [--participants 40] [--hand-ins 120] [--kill-seconds 60]

`make class-day` runs it with these numbers. Real HTTP clients hand in at a real `arena door run`, while
`kill -9` ends one of its processes now and then. The engines are those of `arena new-engine` in each language
whose compiler the sandbox sees, one in Rust that is built before it is handed in, and one in Perl. At the end
it checks that no submission is lost or doubled, and that every page answers. Every good engine must play,
have rated games, and have lost none of them by a forfeit. No bad engine may play. After the last hand-in the
ladder must come to rest. It prints how long the engines waited, and how many games, files and bytes there are
at the end, and ends with exit code 1 if a check fails.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # it ships no types

from arena.door.client import Door, packed_path
from arena.door.register import DoorRegister, State
from arena.engine_templates import write_engine
from arena.errors import ArenaError
from arena.store import Store
from referee import game

ROOT = Path(__file__).parents[1]


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


PORT = free_port()
ADDRESS = f"http://127.0.0.1:{PORT}"
COMPILERS = {
    "python": "python3",
    "c": "cc",
    "cpp": "c++",
    "js": "node",
    "lua": "lua",
    "java": "javac",
    "go": "go",
    "ocaml": "ocamlopt",
    "kotlin": "kotlinc",
}
"""The program that each language of `arena new-engine` needs at the door."""

SYSTEM = "/usr/local/bin:/usr/bin:/bin"
"""Where builds look for compilers."""

PERL = """
$| = 1;
while (<STDIN>) {
    my ($word, @rest) = split;
    if ($word eq "ugi") { print "id name perl\\nprotocol 1 legal\\nugiok\\n" }
    elsif ($word eq "isready") { print "readyok\\n" }
    elsif ($word eq "legal") { @moves = sort { length $a <=> length $b } @rest }
    elsif ($word eq "go") { print "bestmove $moves[rand(@moves < 4 ? @moves : 4)]\\n" }
    elsif ($word eq "quit") { exit }
}
"""
BAD: dict[str, dict[str, str]] = {
    "silent": {"bot.py": "import time\ntime.sleep(1000)\n"},
    "chatty": {"bot.py": "while True:\n    print('info ' + 'x' * 1000)\n"},
    "no build": {"engine.toml": 'command = "./bot"\nbuild = "exit 1"\n'},
    "endless build": {"engine.toml": 'command = "./bot"\nbuild = "sleep 1000"\n'},
    "fork bomb": {"engine.toml": 'command = "./bot"\nbuild = "f() { f | f & }; f; sleep 1000"\n'},
    "disk": {"engine.toml": 'command = "./bot"\nbuild = "cat /dev/zero > full"\n'},
    "spy": {"engine.toml": 'command = "./bot"\nbuild = "cat ../../arena.db /proc/1/environ"\n'},
    "eats memory": {"bot.py": "x = []\nwhile True:\n    x.append(bytearray(1 << 20))\n"},
    "no program": {"engine.toml": 'command = "/root/secret"\n'},
}
"""Engines that must not be admitted."""


@dataclass
class Participant:
    """Somebody who hands in.

    Attributes:
        name: the name.
        door: the door, with the participant's token.
        good: whether the engines work.
        accepted: the numbers of the submissions that the server has confirmed.
        seconds: how long each good one waited until it was admitted.
    """

    name: str
    door: Door
    good: bool
    accepted: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def course_file(folder: Path) -> Path:
    """Write the tournament file, with two engines of its own."""
    file = folder / "course.toml"
    engine = ROOT / "engines" / "python-random"
    own = "".join(
        f'[[engines]]\nname = "own-{number}"\ncommand = "{{python}} {{cwd}}/engine.py"\ncwd = "{engine}"\n'
        for number in (1, 2)
    )
    file.write_text(
        'game = "quoridor"\nformat = "ladder"\ntime_control = "5+0.1"\nconcurrency = 1\nlog = "log"\n'
        '[openings]\nkind = "random"\nplies = 2\n[defaults]\nsandbox = "bwrap"\n'
        f'[door]\nurl = "{ADDRESS}"\n'
        f"building = {{ seconds = 20 }}\n{own}"
    )
    return file


def languages(folder: Path) -> list[str]:
    """Return the languages of this machine; build the engine in Rust if it is one of them."""
    found = [language for language, program in COMPILERS.items() if shutil.which(program, path=SYSTEM)]
    if shutil.which("perl", path=SYSTEM):
        found.append("perl")
    if shutil.which("cargo"):  # in a home folder, so the door cannot build with it
        write_engine(folder / "rust", "rust", game("quoridor").info)
        subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=folder / "rust", check=True)
        found.append("rust")
    return found


def good_engine(folder: Path, language: str, version: int) -> tuple[str, bytes]:
    """Return an upload with a new engine that works; each version has other files."""
    target = folder / f"{language}-{version}-{time.monotonic_ns()}"
    if language == "rust":
        target.mkdir()
        shutil.copy(folder / "rust" / "target" / "release" / "engine", target)
        (target / "engine.toml").write_text('command = "./engine"\nlanguage = "rust"\n')
    elif language == "perl":
        target.mkdir()
        (target / "bot.pl").write_text(PERL)
        (target / "engine.toml").write_text('command = "perl bot.pl"\n')
    else:
        write_engine(target, language, game("quoridor").info)
    (target / "VERSION").write_text(f"{target.name}\n")
    return packed_path(target)


def bad_engine(folder: Path, kind: str, version: int) -> tuple[str, bytes]:
    """Return an upload with an engine that does not work."""
    target = folder / f"bad-{version}-{time.monotonic_ns()}"
    target.mkdir()
    for name, text in BAD[kind].items():
        (target / name).write_text(text)
    (target / "VERSION").write_text(f"{target.name}\n")
    return packed_path(target)


def patient(door: Door, name: str, data: bytes) -> int | None:
    """Hand in, and try again while the server is started again; None if it is refused."""
    for _ in range(120):
        try:
            return door.hand_in(name, data)[0]
        except ArenaError as error:
            if "nothing has changed" in str(error):  # the answer to the last try was lost
                return -1
            if "cannot be reached" not in str(error):
                return None
            time.sleep(0.5)
    return None


def take_part(participant: Participant, folder: Path, times: int, seed: int, language: str) -> None:
    """Hand in several versions, one after another."""
    source = random.Random(seed)
    for version in range(times):
        if participant.good:
            upload = good_engine(folder, language, version)
        else:
            upload = bad_engine(folder, source.choice(list(BAD)), version)
        began = time.monotonic()
        number = patient(participant.door, *upload)
        if number is None:
            continue
        participant.accepted.append(number)
        while number > 0:
            try:
                state = participant.door.look(number)["state"]
            except ArenaError:
                state = ""
            if state in ("plays", "refused", "replaced"):
                if state == "plays":
                    participant.seconds.append(time.monotonic() - began)
                break
            time.sleep(1)


def killed_now_and_then(run: subprocess.Popen[bytes], every: float, source: random.Random) -> int:
    """Kill one of the processes of the run; return how many were killed."""
    children = psutil.Process(run.pid).children()
    if not children:
        return 0
    source.choice(children).kill()
    time.sleep(every)
    return 1


def problems(file: Path, participants: list[Participant]) -> list[str]:
    """Return what is wrong at the end."""
    found = []
    store = Store.open(file.parent / "arena.db", create=False)
    try:
        submissions = DoorRegister(store, "course").submissions()
        results = store.results(tournament="course")
        for one in participants:
            own = [other for other in submissions if other.name == one.name]
            if len(own) != len(one.accepted):
                found.append(f"{one.name}: {len(one.accepted)} handed in, {len(own)} stored")
            if any(other.ended is None for other in own):
                found.append(f"{one.name}: a submission has not ended")
            plays = any(other.state is State.PLAYS for other in own)
            if plays != one.good:
                newest = own[0].problem if own else "nothing came in"
                found.append(f"{one.name}: {'plays' if plays else f'does not play: {newest}'}")
            mine = [player for result in results for player in result.players if player.name == one.name]
            if one.good and not mine:
                found.append(f"{one.name}: has no rated game")
            forfeits = [str(player.forfeit) for player in mine if player.forfeit]
            if one.good and forfeits:
                found.append(f"{one.name}: lost by {', '.join(forfeits)}")
    finally:
        store.close()
    with urllib.request.urlopen(f"{ADDRESS}/api/tournaments", timeout=60) as answer:
        (tournament,) = [one["url"] for one in json.load(answer)]
    for page in ("/", tournament, f"{tournament}games", "/api/tournaments"):
        with urllib.request.urlopen(ADDRESS + page, timeout=60) as answer:
            if answer.status != 200:
                found.append(f"{page}: {answer.status}")
    return found


def seconds_to_rest(most: float) -> float | None:
    """Wait until the tournament rests, and return how long that took; None if it takes too long."""
    began = time.monotonic()
    while time.monotonic() < began + most:
        with urllib.request.urlopen(f"{ADDRESS}/api/tournaments", timeout=60) as answer:
            if json.load(answer)[0]["status"] == "resting":
                return round(time.monotonic() - began, 1)
        time.sleep(2)
    return None


def sizes(folder: Path) -> dict[str, int]:
    """Return the numbers of games and of versions that played, and what they have left on the disk."""
    store = Store.open(folder / "arena.db", create=False)
    try:
        played = sum(info.games for info in store.tournaments())
        versions = len(store.versions())
    finally:
        store.close()
    transcripts = [file.stat().st_size for file in (folder / "log").rglob("*.log")]
    database = sum(file.stat().st_size for file in folder.glob("arena.db*"))
    return {
        "versions": versions,
        "games": played,
        "transcripts": len(transcripts),
        "transcript_bytes": sum(transcripts),
        "database_bytes": database,
    }


def wait_for_pages() -> None:
    """Wait until the server answers."""
    for _ in range(120):
        try:
            urllib.request.urlopen(f"{ADDRESS}/words", timeout=5).close()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit("the server does not answer")


def main() -> None:
    """Run the day."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--participants", type=int, default=40)
    parser.add_argument("--hand-ins", type=int, default=120)
    parser.add_argument("--kill-seconds", type=float, default=60)
    parser.add_argument("--rest-seconds", type=float, default=1800)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        file = course_file(folder)
        names = [f"student-{number}" for number in range(options.participants)]
        arena = [sys.executable, "-m", "arena", "door"]
        links = subprocess.check_output([*arena, "invite", str(file), *names], text=True).splitlines()
        bad = options.participants * 15 // 40
        participants = [
            Participant(name, Door.of_link(link), number >= bad)
            for number, (name, link) in enumerate(line.split("\t") for line in links)
        ]
        log = Path(tempfile.gettempdir()) / f"class-day-{os.getpid()}.log"
        known = languages(folder)
        began = time.monotonic()
        with log.open("wb") as output:
            run = subprocess.Popen(
                [*arena, "run", str(file), "--port", str(PORT)], stdout=output, stderr=output
            )
        try:
            wait_for_pages()
            killed, source = 0, random.Random(1)
            with ThreadPoolExecutor(options.participants) as pool:
                times = max(1, options.hand_ins // options.participants)
                tasks = [
                    pool.submit(take_part, one, folder, times, seed, known[seed % len(known)])
                    for seed, one in enumerate(participants)
                ]
                while not all(task.done() for task in tasks):
                    time.sleep(min(5, options.kill_seconds))
                    killed += killed_now_and_then(run, options.kill_seconds, source)
                for task in tasks:
                    task.result()
            wait_for_pages()
            deadline = time.monotonic() + 120
            while (found := problems(file, participants)) and time.monotonic() < deadline:
                time.sleep(5)
            rested = seconds_to_rest(options.rest_seconds)
            if rested is None:
                found.append("the ladder does not rest")
        finally:
            run.send_signal(signal.SIGINT)
            run.wait(120)
        seconds = [value for one in participants for value in one.seconds]
        figures = {
            "participants": len(participants),
            "languages": known,
            "hand_ins": sum(len(one.accepted) for one in participants),
            "killed": killed,
            "minutes": round((time.monotonic() - began) / 60, 1),
            "seconds_to_admission": [round(f(seconds), 1) for f in (min, statistics.median, max) if seconds],
            "seconds_from_the_last_hand_in_to_rest": rested,
            **sizes(folder),
            "problems": found,
        }
        print(json.dumps(figures, indent=2))
        if found:
            raise SystemExit(f"see {log}")
        log.unlink()


if __name__ == "__main__":
    main()
