"""Tests of the engine library: real processes get the lines of a hub through pipes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.engine import Check, Engine, String, run

PATIENCE = 30.0  # seconds, long enough for a busy machine


ECHO = """
    class Echo(Engine):
        capabilities = ("legal", "delta")
        games = ("quoridor", "quoridor4")

        def new_game(self, info):
            self.info = dict(info)

        def choose(self, turn):
            info = ",".join(f"{key}={value}" for key, value in self.info.items())
            seen = turn.game, turn.start, " ".join(turn.moves), turn.seat, sorted(turn.removed), info
            turn.info(string="|".join(map(str, seen)))
            return turn.legal[-1]

    run(Echo())
"""

PLAIN = """
    class Plain(Engine):
        def choose(self, turn):
            return "e2"

    run(Plain())
"""


def seen_by_echo(talk, text: str) -> list[str]:
    """Return what `ECHO` prints of its turn (game, start, moves, seat, removed, gameinfo), and its move."""
    talk.send(text)
    *_, info, best = talk.until("bestmove")
    return [*info.partition("string ")[2].split("|"), best.split()[1]]


# --- handshake, options


def test_it_announces_itself_its_options_and_what_it_wants(talk):
    engine = talk("""
        class Dice(Engine):
            name = "dice"
            author = "Ann Author"
            version = "7"
            games = ("quoridor", "quoridor4")
            capabilities = ("legal",)
            options = (
                Spin("Depth", 3, 1, 9),
                Check("Loud", False),
                Button("Clear Hash"),
                String("Book", "a b"),
                Combo("Style", "calm", ("calm", "wild one")),
            )

        run(Dice())
    """)
    engine.send("ugi\n")
    assert engine.until("ugiok") == [
        "id name dice",
        "id author Ann Author",
        "id version 7",
        "option name Depth type spin default 3 min 1 max 9",
        "option name Loud type check default false",
        "option name Clear Hash type button",
        "option name Book type string default a b",
        "option name Style type combo default calm var calm var wild one",
        "option name UGI_Game type combo default quoridor var quoridor var quoridor4",
        "protocol 1 legal seat result errors stop ping",
        "ugiok",
    ]
    assert engine.end() == 0


def test_without_a_name_it_is_called_as_its_class_and_without_games_it_offers_no_choice_of_them(talk):
    engine = talk(PLAIN)
    engine.send("ugi\n")
    assert engine.until("ugiok") == [
        "id name Plain",
        "protocol 1 legal fen seat result errors stop ping",
        "ugiok",
    ]


def test_options_arrive_typed_and_bad_values_are_refused_by_name(talk):
    engine = talk("""
        class Typed(Engine):
            options = (Spin("Depth", 3, 1, 9), Check("Loud", False), Button("Clear Hash"), String("Book"),
                       Combo("Style", "calm", ("calm", "wild one")))
            pressed = 0

            def set_option(self, name, value):
                self.pressed += name == "Clear Hash" and value is None

            def choose(self, turn):
                turn.info(string=f"{self.settings} {self.pressed}")
                return "e2"

        run(Typed())
    """)
    engine.send(
        "ugi\nsetoption name Depth value 9\nsetoption name loud value TRUE\nsetoption name Clear Hash\n"
    )
    engine.send("setoption name Book value two words\nsetoption name Style value Wild One\n")
    engine.send(
        "setoption name Depth value 10\nsetoption name Depth value x\nsetoption name Loud value maybe\n"
    )
    engine.send("setoption name Style value odd\nsetoption name Nope value 1\ngo depth 1\n")
    info = engine.until("bestmove")[-2]
    assert (
        info.partition("string ")[2]
        == str({"Depth": 9, "Loud": True, "Clear Hash": None, "Book": "two words", "Style": "wild one"})
        + " 1"
    )
    assert engine.end() == 0
    complaints = engine.errors
    assert "option Depth takes a whole number from 1 to 9, not '10'" in complaints
    assert "option Depth takes a whole number from 1 to 9, not 'x'" in complaints
    assert "option Loud takes true or false, not 'maybe'" in complaints
    assert "option Style takes one of calm, wild one, not 'odd'" in complaints
    assert "no option 'Nope'" in complaints


@pytest.mark.parametrize(
    ("declaration", "complaint"),
    [
        ({"capabilities": ("legal", "telepathy")}, "no such capability: telepathy"),
        ({"options": (Check("Loud", True), Check("loud", False))}, "two options must not have the same name"),
        ({"options": (String("UGI_Game"),)}, "no name may start with UGI_"),
    ],
)
def test_what_the_protocol_does_not_have_cannot_be_declared(declaration, complaint):
    with pytest.raises(ValueError, match=complaint):
        run(type("Wrong", (Engine,), declaration)())


def test_a_class_instead_of_an_engine_is_named():
    with pytest.raises(TypeError, match=re.escape("write run(Dice())")):
        run(type("Dice", (Engine,), {}))


def test_a_text_can_be_set_to_nothing(talk):
    engine = talk("""
        class Reader(Engine):
            options = (String("Book", "big"),)

            def choose(self, turn):
                return f"<{self.settings['Book']}>"

        run(Reader())
    """)
    assert engine.ask("setoption name Book value \ngo depth 1\n") == "bestmove <>"
    assert engine.ask("setoption name Book value a\ngo depth 1\n") == "bestmove <a>"
    assert engine.ask("setoption name Book value <empty>\ngo depth 1\n") == "bestmove <>"


def test_at_a_terminal_it_says_what_it_waits_for():
    hub, terminal = os.openpty()
    script = "from protocol.engine import *\nclass Dice(Engine): name = 'dice'\nrun(Dice())"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(terminal)
        os.write(hub, b"quit\n")
        _, errors = process.communicate(timeout=PATIENCE)
    os.close(hub)
    assert errors.startswith(b"This is the engine dice. It waits for a hub; ")
    assert process.returncode == 0


# --- what the hub says


def test_the_position_grows_by_new_moves_and_the_legal_list_by_its_continuation(talk):
    engine = talk(ECHO)
    first = seen_by_echo(engine, "ugi\nuginewgame\nposition startpos\nlegal e2 d1\nlegal+ f1\ngo depth 1\n")
    assert first == ["quoridor", "None", "", "0", "[]", "", "f1"]
    second = seen_by_echo(engine, "moves e2 e8\nmoves e3\nlegal d8 e7\nisready\ngo depth 1\n")
    assert second[2:4] == ["e2 e8 e3", "1"]
    assert second[-1] == "e7"
    third = seen_by_echo(engine, "position fen / / e2 e9 / 10 10 / 2 moves e8\nlegal e3\ngo depth 1\n")
    assert third[1:3] == ["/ / e2 e9 / 10 10 / 2", "e8"]


def test_gameinfo_names_game_and_seat_and_a_new_game_forgets_the_old_one(talk):
    engine = talk(ECHO)
    engine.send("ugi\nprotocol 1 legal delta seat\nsetoption name UGI_Game value quoridor4\nisready\n")
    engine.send("uginewgame\ngameinfo id g1 game quoridor4\ngameinfo players 4 seat 3\nisready\n")
    seen = seen_by_echo(
        engine, "position startpos moves e2\nlegal e3\ngo p1time 9 p2time 9 p3time 9 p4time 9\n"
    )
    assert seen == ["quoridor4", "None", "e2", "2", "[]", "id=g1,game=quoridor4,players=4,seat=3", "e3"]
    again = seen_by_echo(engine, "uginewgame\nisready\nposition startpos\nlegal e2\ngo depth 1\n")
    assert again == ["quoridor4", "None", "", "0", "[]", "", "e2"]


def test_removed_seats_are_known_by_their_mark_and_by_their_empty_clock(talk):
    engine = talk(ECHO)
    go = "go p1time 100 p2time {} p3time 100 p4time 100 p1inc 0 p2inc 0 p3inc 0 p4inc 0\n"
    marked = seen_by_echo(engine, "position startpos moves e2 !3\nlegal b5\n" + go.format(5))
    assert marked[4] == "[2]"
    empty = seen_by_echo(engine, "position startpos moves e2\nlegal b5\n" + go.format(0))
    assert empty[4] == "[1]"


def test_unknown_lines_padding_and_line_ends_of_another_system_are_tolerated(talk):
    engine = talk(ECHO)
    engine.send("\n  \nhello there\n\xff\xfe\n  ugi  \r\nponderhit\r\nstop\n")
    assert engine.until("ugiok")[0] == "id name Echo"
    answer = engine.ask("\tposition  startpos \r\nlegal e2  d1\r\n go depth 1 with trailing words\r\n")
    assert answer == "bestmove d1"
    assert engine.end() == 0


def test_an_engine_that_gets_positions_and_reads_moves_hears_why_there_are_none(talk):
    engine = talk("""
        class Reads(Engine):
            def choose(self, turn):
                turn.moves

        run(Reads())
    """)
    engine.send("ugi\nuginewgame\nposition fen / / a5 e2 / 10 10 / 2\ngo depth 1\n")
    assert engine.end() == 1
    assert "turn.start is the position now; for the moves, set capabilities" in engine.errors


def test_a_position_that_is_neither_start_nor_fen_is_reported_and_changes_nothing(talk):
    engine = talk(ECHO)
    seen = seen_by_echo(engine, "position startpos moves e2\nposition nowhere\nlegal e8\ngo depth 1\n")
    assert seen[2] == "e2"
    engine.end()
    assert "ignored `position nowhere`" in engine.errors


# --- hooks


def test_hooks_are_called_once_in_the_order_of_the_lines_and_readyok_comes_after_them(talk):
    engine = talk("""
        class Hooked(Engine):
            def prepare(self):
                time.sleep(0.1)
                print("prepare")

            def new_game(self, info):
                time.sleep(0.1)
                print("new", info.get("id"))

            def choose(self, turn):
                print("choose")
                return "e2"

            def game_over(self, result, ranks, reason):
                print(result, ranks, reason)

        run(Hooked())
    """)
    stderr = engine.process.stderr
    engine.send("ugi\nisready\n")
    engine.until("readyok")
    assert stderr.readline() == b"prepare\n"
    engine.send("isready\nuginewgame\ngameinfo id g1\nisready\n")
    assert engine.until("readyok") == ["readyok"]
    engine.until("readyok")
    assert stderr.readline() == b"new g1\n"
    engine.ask("position startpos\nisready\ngo depth 1\n")
    engine.send(
        "gameover p2win ranks 2 1 reason goal\nerror illegal_move e9 is far\ngameover draw reason length\n"
    )
    assert engine.end() == 0
    assert engine.errors.splitlines() == [
        "choose",
        "p2win (2, 1) goal",
        "the hub reports illegal_move: e9 is far",
        "draw () length",
    ]


def test_a_hub_that_names_no_new_game_has_started_one_all_the_same(talk):
    assert talk(ECHO).ask("position startpos\nlegal e2\ngo depth 1\n") == "bestmove e2"


# --- the library as a whole


def test_importing_it_imports_nothing_slow():
    script = "import sys; old = set(sys.modules); import protocol.engine; print(*set(sys.modules) - old)"
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    ).stdout
    slow = {
        "typing",
        "dataclasses",
        "inspect",
        "re",
        "enum",
        "traceback",
        "asyncio",
        "trio",
        "subprocess",
        "protocol.wire.messages",
    }
    assert slow.isdisjoint(loaded.split())
    assert "protocol.engine.turn" in loaded


def test_the_first_engine_of_the_reference_is_short_and_plays():
    page = Path(__file__).parents[3] / "docs" / "reference" / "engine-library.md"
    block = re.search(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    assert len(block[1].strip().splitlines()) <= 12
    lines = (
        "ugi\nprotocol 1 legal\nisready\nuginewgame\nisready\nposition startpos\nlegal e2 e3\ngo depth 1\n"
    )
    played = subprocess.run(
        [sys.executable, "-c", block[1]],
        input=lines,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert played.stdout.splitlines()[-1] in {"bestmove e2", "bestmove e3"}


def test_the_engine_of_the_reference_that_looks_ahead_passes_the_test_of_the_reference(talk, tmp_path: Path):
    page = Path(__file__).parents[3] / "docs" / "reference" / "engine-library.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (engine,) = [block for block in blocks if "class Lookahead" in block]
    (test,) = [block for block in blocks if "def test_" in block]
    (tmp_path / "lookahead.py").write_text(engine)
    (tmp_path / "try.py").write_text(f"{test}\ntest_it_steps_home_when_it_can()\n")
    done = subprocess.run(
        [sys.executable, "try.py"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"info depth 1 score cp 100 time \d+ pv d9\n", done.stdout)
    lines = "ugi\nuginewgame\ngameinfo game quoridor seat 2\nposition fen / / a5 e2 / 10 10 / 2\ngo depth 1\n"
    assert talk(engine).ask(lines) == "bestmove e1"


def test_a_move_and_a_score_of_any_length_are_sent_to_the_hub_which_judges_them(talk) -> None:
    engine = talk("""
        class Big(Engine):
            def choose(self, turn):
                turn.info(score_cp=10**6000, nodes=10**6000)
                return 10**6000

        run(Big())
    """)
    assert (
        engine.ask("ugi\nuginewgame\nisready\nposition startpos\ngo movetime 1000\n")
        == "bestmove 1" + "0" * 6000
    )
