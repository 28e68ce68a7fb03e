"""Bridges play for bots with interfaces of their own: real processes, each with an interface of one kind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from arena.bridges import expanded
from arena.cli import main
from protocol.process.program import split_command
from protocol.spec import EngineSpec
from referee.match.job import Job, JobSeat
from referee.match.play import RefereedGame
from referee.match.pool import EnginePool
from tests.missing_tools import needs
from tests.processes import wait_for, with_argument

BOTS = Path(__file__).parent / "bots"
PYTHON = f"{{python}} {BOTS}"
MESSAGE = '{"request": "play", "state": {"legal": {legal}, "pos": {text}}}'

COMMANDS = {
    "gtp": "bridge:gtp --colors white,black --start 'boardsize {size}' clear_board 'walls 10'"
    " --square '..' {LETTER}{row} --square '...' {LETTER}{row+1}"
    " --sent 'play (.* ..)' 'playmove \\1' --sent 'play (.* ..)(.)' 'playwall \\1 \\2'"
    f" -- {PYTHON}/gtp.py WHAT",
    "lines": f"bridge:lines --turn {{legal}} --answer 'move (.+)' -- {PYTHON}/stdio.py WHAT",
    "class": f"bridge:class {BOTS}/agent.py:WHAT(player)"
    " --method 'select(position, legal, player=player, left=seconds, step=ply)'",
    "http": f"bridge:http http://127.0.0.1:{{port}}/ -- {PYTHON}/post.py {{port}} WHAT",
    "tcp": f"bridge:tcp --message '{MESSAGE}' --key response.move 127.0.0.1:{{port}}"
    f" -- {PYTHON}/tcp.py {{port}} WHAT",
}


def command(kind: str, what: str) -> str:
    name = {"play": "Agent"}.get(what, what.title()) if kind == "class" else what
    return COMMANDS[kind].replace("WHAT", name)


def played(
    *seats: str, time_control: str = "10+0.1", settings: Sequence[str] = (), id_: str = "quoridor"
) -> dict[str, object]:
    words = [*settings, *(word for seat in seats for word in ("--seat", seat))]
    done = CliRunner().invoke(main, ["play", id_, *words, "--json", "--time-control", time_control])
    assert done.exit_code < 2, done.output
    result: dict[str, object] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("kind", COMMANDS)
def test_bots_play_a_game_to_its_end_on_both_seats(kind: str) -> None:
    result = played(command(kind, "play"), command(kind, "play"))
    assert result["termination"] == "normal", result


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_crash_is_told_with_the_last_words_of_the_bot(kind: str) -> None:
    result = played(command(kind, "crash"), "sample:random")
    assert result["termination"] == "crash"
    assert "Segmentation fault of ann" in str(result["detail"])


@pytest.mark.parametrize("kind", COMMANDS)
def test_an_illegal_move_is_told_with_the_reason_of_the_rules(kind: str) -> None:
    result = played(command(kind, "illegal"), "sample:random")
    assert result["termination"] == "illegal"
    assert "played 'z9" in str(result["detail"]).casefold()


@pytest.mark.parametrize("kind", COMMANDS)
async def test_a_bot_that_hangs_loses_on_time_with_its_own_words_and_is_ended(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("protocol.hub.ending._QUIT_SECONDS", 0.2)
    commands = [expanded(tuple(split_command(text))) for text in (command(kind, "sleep"), "sample:random")]
    engines = [EngineSpec(kind, (sys.executable, *words[1:]), cwd=str(tmp_path)) for words in commands]
    seats = tuple(JobSeat(engine, "movetime=0.1") for engine in engines)
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, 0, lambda *_: None)
        finished = await RefereedGame(Job("1", "quoridor", seats), pool, lambda: None).play()
        pool.close()
    assert finished.termination == "time", finished.detail
    assert "did not answer before its time was up; its standard error says: " in finished.detail
    assert "Looking 90 plies deep" in finished.detail
    wait_for(lambda: not with_argument(str(BOTS), tmp_path), "the bot still runs")


def test_a_bot_can_resign() -> None:
    result = played(command("class", "resign"), "sample:random")
    assert (result["termination"], result["reason"]) == ("resign", "resign")


def test_the_answer_of_a_server_that_is_no_move_is_quoted() -> None:
    result = played(command("http", "status"), "sample:random")
    assert result["termination"] == "crash"
    assert "answered 'HTTP Error 500: Internal Se" in str(result["detail"])


@pytest.mark.parametrize("kind", ["http://127.0.0.1:1/move", "127.0.0.1:1"])
def test_a_server_that_runs_elsewhere_must_run(kind: str) -> None:
    result = played(f"bridge:{'http' if '//' in kind else 'tcp'} {kind}", "sample:random")
    assert result["termination"] == "crash"
    assert f"bridge: no bot listens at {kind}: " in str(result["detail"])


def test_a_class_that_is_not_there_and_a_constructor_that_wants_more_are_told() -> None:
    for text, problem in {
        f"bridge:class {BOTS}/agent.py:Agnet --method select": f"bridge: {BOTS}/agent.py has no class Agnet",
        f"bridge:class {BOTS}/agent.py:Agent --method select": "Agent.__init__() missing 1 required",
        f"bridge:class {BOTS}/agent.py:Agent(seat) --method selct": "'Agent' object has no attribute 'selct'",
    }.items():
        assert problem in str(played(text, "sample:random")["detail"])


HOSTILE = """
import socket, sys
port, answer = int(sys.argv[1]), open(sys.argv[2], "rb").read()
head = b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(answer)
head *= answer[:1] in b"{[x"
with socket.create_server(("127.0.0.1", port)) as server:
    while True:
        connection, _ = server.accept()
        try:
            while data := connection.recv(1 << 16):
                connection.sendall((head if data.startswith(b"POST") else b"") + answer)
        except OSError:
            pass  # the bridge has read enough
"""


@pytest.mark.parametrize("kind", ["http://127.0.0.1:{port}/", "127.0.0.1:{port}"])
@pytest.mark.parametrize(
    ("answer", "termination", "detail"),
    [
        (b'{"move": "%s"}' % (b"9" * 900_000), "illegal", "played '9999"),
        (b'{"move": "\xff9"}', "illegal", "played '\ufffd9'"),
        (b'{"move": "\\ud800"}', "illegal", "played '?'"),
        ('{"move": "z9\u200b\u00a0"}'.encode(), "illegal", r"played 'z9\u200b'"),
        (b'{"move": %s}' % (b"9" * 5000), "illegal", "played '9999"),
        (b"[" * 100_000, "crash", "answered '[["),
        (b"x" * 2_000_000, "crash", "answered 'xx"),
        (b"SSH-2.0-OpenSSH_9.6", "crash", "not JSON with 'move'"),
    ],
)
def test_an_answer_that_no_game_knows_is_illegal_or_quoted(
    kind: str, answer: bytes, termination: str, detail: str, tmp_path: Path
) -> None:
    bot, said = tmp_path / "bot.py", tmp_path / "answer"
    bot.write_text(HOSTILE)
    said.write_bytes(answer + b"\n")
    bridge = "http" if "//" in kind else "tcp"
    result = played(f"bridge:{bridge} {kind} -- {{python}} {bot} {{port}} {said}", "sample:random")
    assert (result["termination"], detail in str(result["detail"])) == (termination, True), result["detail"]


def test_a_method_that_returns_nothing_is_told_so(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class Bot:\n    def move(self, legal):\n        legal[0]\n")
    result = played(f"bridge:class {bot} Bot --method move(legal)", "sample:random")
    assert result["termination"] == "illegal"
    assert "nothing_returned" in str(result["detail"])


def test_a_number_that_python_refuses_to_write_is_illegal_as_a_move(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class Bot:\n    def move(self):\n        return 10**6000\n")
    result = played(f"bridge:class {bot} Bot --method move", "sample:random")
    assert result["termination"] == "illegal"
    assert "played '1000" in str(result["detail"])


@needs("bwrap")
@pytest.mark.parametrize("kind", ["class", "lines", "tcp"])
def test_bots_play_in_the_sandbox_where_the_network_is_their_own(kind: str) -> None:
    settings = [
        "--sandbox",
        "bwrap",
        "--set",
        f"readable={BOTS}",
        "--set",
        "limits.processes=16",
        "--cwd",
        str(BOTS),
    ]
    result = played(command(kind, "play"), "sample:random", settings=settings)
    assert result["termination"] in ("normal", "adjudicated")


@needs("gnugo")
def test_gnugo_tells_its_name_and_plays_by_gtp_until_its_move_is_none_of_quoridor() -> None:
    from tests.tools import find

    result = played(f"bridge:gtp -- {find('gnugo')} --mode gtp", "sample:random")
    seats = result["seats"]
    assert isinstance(seats, list)
    assert (seats[0]["reported_name"], seats[0]["version"]) == ("GNU Go", "3.8")
    assert result["termination"] == "illegal"
    assert "played '" in str(result["detail"])


# --- the dialogue with a bot that remembers the game


class Dialogue:
    """A hub that writes lines to a bridge, and waits for its answers."""

    def __init__(self, text: str, log: Path) -> None:
        words = expanded(tuple(split_command(text)))
        self.log = log
        with log.open("w") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, *words[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            )
        self.ask("ugi", "ugiok")
        self.tell("protocol 1 legal delta seat")

    def tell(self, *lines: str) -> None:
        print(*lines, sep="\n", file=self.process.stdin, flush=True)

    def ask(self, line: str, answer: str) -> str:
        self.tell(line)
        for said in self.process.stdout or ():
            if said.startswith(answer):
                return said.strip()
        raise AssertionError(self.log.read_text())

    def new_game(self, seat: int, game: str = "quoridor", players: int = 2) -> None:
        self.tell("uginewgame", f"gameinfo id 1 game {game} players {players} seat {seat}")
        self.ask("isready", "readyok")

    def end(self) -> tuple[int, list[str]]:
        """Say ``quit``. Return the exit code, and what the bot and the bridge wrote to standard error."""
        self.tell("quit")
        return self.ended()

    def ended(self) -> tuple[int, list[str]]:
        """Return the same of a bridge that ends by itself, which ``quit`` could end before."""
        return self.process.wait(timeout=60), self.log.read_text().splitlines()


@pytest.fixture
def dialogue(tmp_path: Path) -> Iterator[Callable[[str], Dialogue]]:
    opened: list[Dialogue] = []

    def begin(text: str) -> Dialogue:
        opened.append(Dialogue(text, tmp_path / f"{len(opened)}.log"))
        return opened[-1]

    yield begin
    for one in opened:
        one.process.kill()
        one.process.communicate()


def test_a_gtp_bot_hears_each_move_of_the_others_once_and_all_again_in_another_game(
    dialogue: Callable[[str], Dialogue],
) -> None:
    hub = dialogue(command("gtp", "play"))
    hub.new_game(2)
    hub.tell("position startpos moves e2 e8 c3h", "legal e7 f8")  # an opening has moves of both
    assert hub.ask("go movetime 1000", "bestmove") == "bestmove e7"
    hub.tell("moves e7 e3", "legal e6")
    assert hub.ask("go movetime 1000", "bestmove") == "bestmove e6"
    hub.new_game(1)
    hub.tell("position startpos", "legal d1")
    assert hub.ask("go movetime 1000", "bestmove") == "bestmove d1"
    code, said = hub.end()
    start = ["boardsize 9", "clear_board", "walls 10"]
    first = ["playmove white E2", "playmove black E8", "playwall white C4 h", "genmove black"]
    second = ["playmove white E3", "genmove black"]
    assert said == ["name", "version", *start, *first, *second, *start, "genmove white", "quit"]
    assert code == 0


def test_a_gtp_bot_that_does_not_end_at_quit_is_killed(
    dialogue: Callable[[str], Dialogue], tmp_path: Path
) -> None:
    hub = dialogue(f"{command('gtp', 'stay')} {tmp_path}")
    hub.new_game(1)
    assert with_argument(f"gtp.py stay {tmp_path}")
    code, said = hub.end()
    assert (code, said[-1]) == (0, "quit")
    wait_for(lambda: not with_argument(f"gtp.py stay {tmp_path}"), "the bot still runs")


@pytest.mark.parametrize(
    ("game", "players", "position"),
    [("quoridor", 2, "fen / / d8 d2 / 10 10 / 1"), ("quoridor4", 4, "startpos")],
)
def test_a_bot_that_is_told_moves_says_which_games_it_cannot_play(
    game: str, players: int, position: str, dialogue: Callable[[str], Dialogue]
) -> None:
    hub = dialogue(command("gtp", "play").replace("white,black", "white,black,red,blue"))
    hub.new_game(1, game, players)
    hub.tell(f"position {position}", "legal d9", "go movetime 1000")
    code, said = hub.ended()
    assert (
        said[-1] == "bridge: a bot that is told each move can only play games for two from their usual start"
    )
    assert code == 1


def test_a_bot_that_refuses_a_command_is_quoted(dialogue: Callable[[str], Dialogue]) -> None:
    hub = dialogue(f"bridge:gtp --square .* {{LETTER}}{{row}} -- {PYTHON}/gtp.py play")
    hub.tell(
        "uginewgame",
        "gameinfo id 1 game quoridor players 2 seat 2",
        "position startpos moves e2",
        "go depth 1",
    )
    code, said = hub.ended()
    assert said[-1] == "bridge: the bot refused 'play black E2': unknown command play black E2"
    assert code == 1


ECHO = """import sys
for line in sys.stdin:
    print(line.strip(), file=sys.stderr, flush=True)
    if line.startswith("/"):
        print("go P 3 7", flush=True)
"""


def test_values_are_told_as_text_and_moves_in_the_words_of_the_bot(
    dialogue: Callable[[str], Dialogue], tmp_path: Path
) -> None:
    tmp_path.joinpath("bot.py").write_text(ECHO)
    hub = dialogue(
        "bridge:lines --colors top,bottom --square .* '{column-1} {down-1}' --move '(. .)' 'P \\1'"
        " --move '(. .)(h|v)' 'W\\2 \\1' --start 'hello {player} {color} {seat} {game} {size}'"
        " --played '{color}: {move}' --answer 'go (.*)'"
        " --turn '{last}|{history}|{legal}' '{ply} {ms} {seconds}' '{text}'"
        f" -- {{python}} {tmp_path}/bot.py"
    )
    hub.new_game(2)
    hub.tell("position startpos moves a5v", "legal d2 e8")
    assert hub.ask("go p1time 1000 p2time 59999", "bestmove") == "bestmove d2"
    hub.tell("moves e8 e2", "legal d8")
    assert hub.ask("go depth 1", "bestmove") == "bestmove d2", "the square of the bot, as the game writes it"
    hello = "hello 2 bottom 1 quoridor 9"
    first = [hello, "top: Wv 0 4", "Wv 0 4|Wv 0 4|P 3 7 P 4 1", "1 59999 60", "/ a5 / e1 e9 / 9 10 / 2"]
    other = [hello, "top: Wv 0 4", "bottom: P 4 1", "top: P 4 7"]  # another game: its move was not played
    turn = ["P 4 7|Wv 0 4 P 4 1 P 4 7|P 3 1", "3 86400000 86400", "/ a5 / e2 e8 / 9 10 / 2"]
    assert hub.end()[1] == [*first, *other, *turn]
