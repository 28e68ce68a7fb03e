"""Families of bots play by one line of a tournament file; ``families`` has bots in their exact interfaces."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import venv
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.bridges import seahorse
from arena.bridges.families import RECIPES, FamilyMoment, FamilySeat
from arena.bridges.spelling import Spelling
from arena.cli import main
from arena.store import Store
from protocol.engine import Turn
from protocol.process.program import split_command
from referee import game
from tests.arena.bridges.test_bridges import played

BOTS = Path(__file__).parent / "families"
COMMANDS = {
    "montreal": "bridge:class my_player.py:MyPlayer --like seahorse",
    "louvain": "bridge:class louvain.py:MyAgent --like ucl",
    "kaggle": "bridge:class submission.py:agent --like kaggle",
    "athens": "bridge:gtp --like=qtp -- {python} qtp.py",
    "budapest": "bridge:lines --like budapest -- {python} budapest.py",
    "delhi": "bridge:lines --like delhi -- {python} delhi.py 127.0.0.1 {port}",
    "ecam": "bridge:tcp --like ecam -- {python} ecam.py {port} framed",
    "ecam-2024": "bridge:tcp --like ecam --process game -- {python} ecam.py {port} plain",
    "function": "bridge:class 'choose.py:choose(pawns, walls, board, legal)'",
    "client": "bridge:tcp --listen 127.0.0.1:{port} --process game -- {python} client.py {port}",
}


@pytest.fixture(autouse=True)
def in_the_folder_of_the_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BOTS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_bot_of_a_family_plays_a_whole_game_on_both_seats(name: str) -> None:
    result = played(COMMANDS[name], COMMANDS[name], time_control="30+0.1")
    assert result["termination"] in ("normal", "adjudicated"), result


@pytest.mark.slow
def test_ten_families_play_a_tournament_without_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [
        f'[[engines]]\nname = "{name}"\ncwd = "{BOTS}"\ncommand = {json.dumps(command)}\n'
        for name, command in COMMANDS.items()
    ]
    file = tmp_path / "ten.toml"
    file.write_text('game = "quoridor"\ntime_control = "30+0.1"\nconcurrency = 2\n' + "".join(tables))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["run", str(file), "--quiet"])
    assert done.exit_code == 0, done.output
    with closing(Store.open(tmp_path / "arena.db", create=False)) as store:
        games = [store.game(number) for number in range(1, 91)]
    assert {record.result.termination for record in games} <= {"normal", "adjudicated"}


def moment(moves: list[str], agent: object = None) -> FamilyMoment:
    rules = game("quoridor")
    seat = FamilySeat(rules, len(moves) % 2, "white", Spelling([], [], rules.info))
    result = FamilyMoment(seat, Turn("quoridor", moves=moves, seat=seat.seat))
    result.agent = agent
    return result


def test_the_walls_of_a_board_are_where_each_family_has_them() -> None:
    values = moment(["e2", "e8", "c3h", "f6v"])
    assert values.percepts["pawns"] == [(1, 4), (7, 4)]
    assert (values.percepts["horiz_walls"], values.percepts["verti_walls"]) == ([(2, 2)], [(5, 5)])
    assert values.cells[2][8] == 0
    assert values.cells[14][8] == 1
    assert values.cells[5][4] == values.cells[5][6] == 4
    assert values.cells[10][11] == values.cells[12][11] == 4
    assert sum(row.count(4) for row in values.cells) == 4
    assert values.numbers == "5\n4 1 9\n4 7 9\n2\n2 2 0 0\n5 5 1 1"


@pytest.mark.parametrize(
    ("family", "answer", "move"),
    [
        ("ucl", ("WH", 2, 3), "d3h"),
        ("ucl", ("WV", 2, 3), "d3v"),
        ("ucl", ("P", 2, 3), "d3"),
        ("seahorse", {"type": "move", "destination": (7, 4)}, "e2"),
        ("seahorse", {"type": "horizontal", "destination": (8, 0)}, "a1h"),
        ("seahorse", {"destination": (7, 1), "type": "vertical"}, "a1v"),
        ("seahorse", {"type": "vertical", "destination": (8, 1)}, ""),
        ("qtp", "E5 H", "e4h"),
        ("qtp", "e5 vertical", "e4v"),
        ("qtp", "E5", "e5"),
        ("delhi", "1 2 2", "a1h"),
        ("delhi", "2 9 9", "h8v"),
        ("delhi", "0 9 5", "e9"),
        ("delhi", "3 9 5", ""),
        ("ecam", {"type": "blocker", "position": [[1, 0], [1, 2]]}, "a1h"),
        ("ecam", {"type": "blocker", "position": [[2, 1], [0, 1]]}, "a1v"),
        ("ecam", {"type": "pawn", "position": [[16, 8]]}, "e9"),
        ("ecam", {"type": "pawn", "position": [[1, 0], [1, 2]]}, ""),
        ("budapest", "4 1", "e2"),
        ("budapest", "0 0 1", "a1v"),
    ],
)
def test_an_answer_is_the_move_that_the_family_means(family: str, answer: object, move: str) -> None:
    words = next(split_command(families[family]) for families in RECIPES.values() if family in families)
    pairs: dict[str, list[tuple[str, str]]] = {"--square": [], "--move": []}
    for place, word in enumerate(words):
        if word in pairs:
            pairs[word].append((words[place + 1], words[place + 2]))
    spelling = Spelling(pairs["--square"], pairs["--move"], game("quoridor").info)
    assert spelling.meanings(answer) == ({move} if move else set())


def test_the_stand_ins_of_seahorse_know_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    seahorse.add_missing_modules()
    rng, position, moves = random.Random(5), game("quoridor").start(), []
    agent = seahorse.PlayerQuoridor("W", 0, identifier=1)
    state = moment([], agent).state
    assert isinstance(state, seahorse.GameStateQuoridor)
    while position.outcome() is None:
        assert str(state).replace("  ", " ").strip() == str(position)
        actions = list(state.generate_possible_stateless_actions())
        legal = [str(move) for move in position.legal_moves()]
        assert len(actions) == len(legal) == len(state.get_possible_stateless_actions())
        assert len(state._legal_moves()) == sum(len(move) == 2 for move in legal)
        assert 1 <= state._shortest_path(agent) < 81
        number = rng.randrange(len(legal))
        moves.append(legal[number])
        position = position.play(position.parse_move(legal[number]))
        state = actions[number].get_stateful_action(state).get_next_game_state()
    assert state.is_done()
    assert state.get_player_score(agent) == float(position.turn == 1)
    assert state.get_step() == len(moves)


def test_a_value_of_another_game_is_refused_with_its_name() -> None:
    result = played(COMMANDS["louvain"], "sample:random", settings=[], id_="hops")
    assert "bridge: percepts is a value of quoridor, and not of hops" in str(result["detail"])


def test_a_bot_with_its_own_files_and_its_own_interpreter_plays_with_them(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    site = next(tmp_path.joinpath("venv/lib").glob("python*")) / "site-packages"
    site.joinpath("its_package.py").write_text("NAME = 'its own'")
    tmp_path.joinpath("bot.py").write_text(
        "import its_package\nclass Bot:\n    def act(self, position):\n"
        "        return list(position.legal_moves())[0]\n"
    )
    command = f"bridge:class {tmp_path}/bot.py:Bot --method act(position) --python {tmp_path}/venv/bin/python"
    assert played(command.replace("act(position)", "'act(position)'"), "sample:random")["termination"] in (
        "normal",
        "adjudicated",
    )
    other = played(
        f"bridge:class {tmp_path}/bot.py:Bot --method act --python {sys.executable}", "sample:random"
    )
    assert "No module named 'its_package'" in str(other["detail"])


def test_words_with_a_colon_stay_whole_and_a_class_needs_its_method(tmp_path: Path) -> None:
    tmp_path.joinpath("bot.py").write_text("class Bot:\n    def act(self, legal):\n        return legal[0]\n")
    command = (
        f"bridge:class {tmp_path}/bot.py:Bot --method 'act(legal)' --move '(..)' 'to:\\1' --colors a:b,c:d"
    )
    assert played(command, command)["termination"] in ("normal", "adjudicated")
    result = played(f"bridge:class {tmp_path}/bot.py:Bot", "sample:random")
    assert "bridge: Bot is a class: write which method returns a move" in str(result["detail"])


# --- what was heard is said

GTP = """
import sys
stream = open(1, "w", buffering=8192 if sys.argv[1] == "buffered" else 1)
print(sys.argv[1] == "prompt" and "Toy 1.0" or "", file=stream)
prompt = {"prompt": "toy> ", "marked": "\\ufeff"}.get(sys.argv[1], "")
sign = "=7 " if sys.argv[1] == "numbered" else "= "
for line in iter(lambda: stream.write(prompt) * 0 or sys.stdin.readline(), ""):
    word = line.split()[0]
    answer = {"name": "Toy", "version": "1", "genmove": "e2"}.get(word, "")
    if sys.argv[1] == "words":
        print("what?", file=stream)
    else:
        print(sign + answer + "\\n" * (sys.argv[1] != "terse"), file=stream)
    if word == "quit":
        break
"""


def checked(kind: str, what: str, tmp_path: Path) -> str:
    tmp_path.joinpath("bot.py").write_text(GTP)
    words = ["check", "--game", "quoridor", "--only", "101-105,201,218", "--", f"bridge:{kind}", "--"]
    return CliRunner().invoke(main, [*words, sys.executable, f"{tmp_path}/bot.py", what]).output


@pytest.mark.parametrize("what", ["usual", "terse", "prompt", "marked", "numbered"])
def test_a_gtp_bot_without_empty_lines_or_with_a_prompt_or_number_is_read(what: str, tmp_path: Path) -> None:
    output = checked("gtp", what, tmp_path)
    assert "Toy: level 1, quoridor" in output
    assert "7 passed, 0 skipped, failed: 0 must" in output
    assert "the bot was told 'genmove black' and said 'e2': e2" in output


def test_a_bot_that_is_silent_or_says_something_else_is_quoted(tmp_path: Path) -> None:
    silent = checked("gtp", "buffered", tmp_path)
    assert "bridge: the bot got 'name' and has said nothing" in silent
    assert "advice: correct the bot, or the options of its bridge" in silent
    assert "was not in a buffer" not in silent
    assert "bridge: the bot got 'name' and said 'what?'; an answer starts with =" in checked(
        "gtp", "words", tmp_path
    )


def test_a_command_in_quotes_is_answered_with_what_to_write() -> None:
    done = CliRunner().invoke(main, ["check", "--", "bridge:gtp --like qtp -- python3 qtp.py"])
    assert done.exit_code == 2
    assert "the whole command is in quotes; take them away: bridge:gtp --like qtp --" in done.output


# --- clients


@pytest.mark.parametrize("process", ["game", "all"])
def test_a_client_is_started_for_each_game_or_once(process: str) -> None:
    tournament = (
        f"bridge:tcp --listen 127.0.0.1:{{port}} --process {process} -- {sys.executable} client.py {{port}}"
    )
    words = [*split_command(tournament)]
    from arena.bridges import expanded

    hub = "ugi\nprotocol 1 legal seat\n"
    for number in (1, 2):
        hub += f"uginewgame\ngameinfo id {number} game quoridor players 2 seat 1\nisready\n"
        hub += "position startpos\nlegal e2\ngo movetime 9000\nisready\n"
    command = expanded(tuple(words))
    done = subprocess.Popen(
        [sys.executable, *command[1:]], stdin=-1, stdout=-1, stderr=-1, text=True, cwd=BOTS
    )
    assert done.stdin is not None
    assert done.stdout is not None
    done.stdin.write(hub)
    done.stdin.flush()
    for _ in range(2):
        assert next(line for line in done.stdout if line.startswith("bestmove")) == "bestmove e2\n"
    _, errors = done.communicate(timeout=30)
    assert errors.split("\n")[:2] == (["ply 0", "ply 0"] if process == "game" else ["ply 0", "ply 1"])


def test_a_client_that_ends_no_line_is_quoted_and_one_can_give_up(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    command = f"bridge:tcp --listen 127.0.0.1:{{port}} -- {sys.executable} {bot} {{port}}"
    for answer, detail in {
        "e2": "bridge: the bot said b'e2'; a line or JSON does not end there",
        '{"response": "giveup", "message": "no"}': "resigned",
    }.items():
        text = BOTS.joinpath("client.py").read_text()
        bot.write_text(text.replace('json.dumps({"move": message["legal"][0]})', repr(answer)))
        assert detail in str(played(command, "sample:random", time_control="movetime=3")["detail"])


def test_a_client_that_does_not_connect_and_a_port_in_use_are_told(tmp_path: Path) -> None:
    tmp_path.joinpath("bot.py").write_text("raise SystemExit('no server')")
    result = played(
        f"bridge:lines --listen 127.0.0.1:{{port}} -- {{python}} {tmp_path}/bot.py", "sample:random"
    )
    assert "bridge: the bot ended with status 1" in str(result["detail"])
    result = played(f"bridge:lines --listen 1.2.3.4:80 -- {{python}} {tmp_path}/bot.py", "sample:random")
    assert "bridge: the bridge cannot listen at 1.2.3.4:80: " in str(result["detail"])
