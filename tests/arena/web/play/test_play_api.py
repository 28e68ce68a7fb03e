"""Tests of the API of play with a real server, a real referee and real engines."""

import json
import os
import signal
from contextlib import closing
from http.client import HTTPConnection

import psutil
import pytest

from arena.store import Store
from referee import game_ids
from tests.arena.forked import forked
from tests.arena.invoking import invoke
from tests.arena.web.play.play_browser import server, tournament_file
from tests.processes import assert_gone, wait_for


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    """A server's process, its address and its folder."""
    folder = tmp_path_factory.mktemp("play")
    file = tournament_file(folder, ["quoridor", "quoridor4", "movers-hoppers"])
    with server(file, "--most-games", "3") as (process, found):
        yield process, found, folder


@pytest.fixture(scope="module")
def address(serving):
    return serving[1]


def send(address, path, wish=None, **headers):
    """Return the status and the answer of a request; a POST, if there is a wish."""
    with closing(HTTPConnection(address.removeprefix("http://"), timeout=60)) as connection:
        if wish is None:
            connection.request("GET", path, headers=headers)
        else:
            content = wish if isinstance(wish, str) else json.dumps(wish)
            connection.request("POST", path, content, {"Content-Type": "application/json"} | headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        is_json = answer.getheader("content-type") == "application/json"
        return answer.status, json.loads(text) if is_json else text


class Game:
    def __init__(self, address, cookie="", **wish):
        self.address = address
        wish = {"game": "quoridor", "seats": [None, "mate-1"]} | wish
        status, begun = send(address, "/api/play/games", wish, **({"Cookie": cookie} if cookie else {}))
        assert status == 201, begun
        self.path = f"/api/play/games/{begun['id']}"

    def state(self):
        return send(self.address, self.path)[1]

    def until(self, status="yours"):
        wait_for(lambda: self.state()["status"] == status, f"it is not {status}")
        return self.state()

    def post(self, word, **wish):
        return send(self.address, f"{self.path}/{word}", wish)

    def move(self, text):
        """Play a move when it is the person's turn, and return the state when it is so again."""
        ply = self.until()["ply"]
        assert self.post("move", move=text, ply=ply) == (200, {})
        wait_for(lambda: self.state()["ply"] > ply or self.state()["result"], "nothing was played")
        wait_for(lambda: self.state()["status"] in ("yours", "over"), "nobody moves")
        return self.state()

    def close(self):
        self.post("end")
        self.until("over")


@pytest.fixture
def play(address):
    games = []

    def begin(**wish):
        games.append(Game(address, **wish))
        return games[-1]

    yield begin
    for game in games:
        game.close()


def test_a_game_is_judged_by_the_referee_and_its_record_can_be_imported(address, play, tmp_path):
    game = play(start="/ / e8 a9 / 10 10 / 1")
    state = game.move("e9")
    assert state["result"] == {"text": "You win: Player 1 reaches the goal", "detail": ""}
    assert state["record"]
    assert [seat["points"] for seat in state["seats"]] == ["1", "0"]
    database = tmp_path / "casual.db"
    for name, counts in (("jsonl", "1 added, 0 there already"), ("pgn", "0 added, 1 there already")):
        status, text = send(address, f"{game.path}/record?format={name}")
        assert status == 200
        (tmp_path / name).write_text(text)
        answer = invoke("import", tmp_path / name, "--db", database)
        assert answer.stdout == f"1 game: {counts}, 0 refused\n"
    with closing(Store.open(database, create=False)) as store:
        record = store.game(1)
    assert record.result.tournament == "casual games"
    assert [player.name for player in record.result.players] == ["person", "mate-1"]
    assert [ply.text for ply in record.record] == ["e9"]


def test_a_game_for_four_is_played_against_three_engines(play):
    game = play(game="quoridor4", seats=["mate-1", None, "mate-3", "mate-4"])
    state = game.move("b5")
    assert [move["seat"] for move in state["moves"]] == [0, 1, 2, 3, 0]
    assert state["turn"] == 1


def test_two_people_share_a_board(play):
    game = play(seats=[None, None])
    assert game.move("e2")["turn"] == 1
    assert game.move("e8")["turn"] == 0


def test_a_move_that_is_not_legal_is_explained_and_changes_nothing(play):
    game = play()
    game.until()
    status, answer = game.post("move", move="e5", ply=0)
    assert status == 409
    assert "e5" in answer["error"]
    assert game.post("move", move="e2", ply=7) == (409, {"error": "the position has changed meanwhile"})
    assert game.state()["ply"] == 0


def test_a_take_back_goes_to_the_last_move_of_the_person(play):
    game = play()
    game.until()
    assert game.post("takeback") == (409, {"error": "you have not moved yet"})
    first = game.move("e2")
    game.move("e3")
    assert game.post("takeback") == (200, {})
    wait_for(lambda: game.state()["status"] == "yours", "the game does not go on")
    assert game.state()["position"] == first["position"]
    assert game.state()["moves"] == first["moves"]
    game.move("f2")
    assert [move["text"] for move in game.state()["moves"]][2] == "f2"


def test_a_game_with_a_take_back_is_a_record_with_an_opening(address, play, tmp_path):
    game = play()
    game.move("e2")
    game.move("e3")
    game.post("takeback")
    game.move("resign")
    text = send(address, f"{game.path}/record")[1]
    (tmp_path / "game.pgn").write_text(text)
    answer = invoke("import", tmp_path / "game.pgn", "--db", tmp_path / "a.db")
    assert answer.exit_code == 0, answer.output
    with closing(Store.open(tmp_path / "a.db", create=False)) as store:
        record = store.game(1)
    assert len(record.opening.moves) == 2
    assert record.result.reason == "resign"


def test_a_hint_is_the_move_of_an_engine_and_plays_nothing(play):
    game = play()
    before = game.until()
    assert game.post("hint", engine="mate-2") == (200, {})
    wait_for(lambda: (game.state()["hint"] or {}).get("move"), "no hint comes")
    hint = game.state()["hint"]
    assert hint["failed"] == ""
    assert game.state()["moves"] == before["moves"]
    assert game.move(hint["move"])["moves"][0]["text"] == hint["move"]
    assert game.state()["hint"] is None


def test_a_person_loses_on_time_if_the_clock_holds(play):
    game = play(time_control="0.001+0.001", clock=True)
    state = game.until("over")
    assert state["result"]["text"] == "Mate-1 wins: Player 1 runs out of time"


def test_the_clock_of_a_turn_runs_for_a_reader_who_comes_later(play):
    game = play(time_control="600+0", clock=True)
    other = game.until()["seats"][1]["clock_ms"]
    wait_for(lambda: game.state()["seats"][0]["clock_ms"] < 599_900, "the clock stands still")
    assert game.state()["seats"][1]["clock_ms"] == other


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"game": "chess"}, "game must be one of: quoridor, quoridor4, movers-hoppers"),
        ({"game": ["quoridor"]}, "got `array` - at `$.game`"),
        ({"seats": ["mate-1", "mate-2"]}, "one of the seats must be a person's"),
        ({"seats": [None]}, "seats must be a list of 2"),
        ({"seats": [None, "/bin/sh"]}, "the seats of quoridor can have: mate-1"),
        ({"time_control": "soon"}, "time control 'soon'"),
        ({"time_control": "movetime=4000"}, "at most 3600 seconds"),
        ({"start": "nowhere"}, "is no set-up of this game"),
        ({"start": "/ / e9 a3 / 10 10 / 2"}, "the game is over"),
        ({"start": "x" * 3000}, "length <= 2000 - at `$.start`"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_with_a_sentence(address, wish, words):
    wish = {"game": "quoridor", "seats": [None, "mate-1"]} | wish
    status, answer = send(address, "/api/play/games", wish)
    assert (status, words in answer["error"]) == (400, True), answer


def test_null_is_as_good_as_a_missing_field(play):
    state = play(time_control=None, clock=None, start=None).until()
    assert state["position"] == play().until()["position"]


@pytest.mark.parametrize("content", ["", "[]", "x", "[" * 5000, '{"a":' * 5000, "1", '"' + "x" * 20000 + '"'])
def test_a_request_that_is_no_object_is_refused(address, content):
    status, answer = send(address, "/api/play/games", content)
    assert status == (413 if len(content) > 16_384 else 400)
    assert "error" in answer


def test_a_page_of_this_server_may_change(address):
    assert send(address, "/api/play/games/x/takeback", {}, Origin=address)[0] == 404


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_engine_outlives_the_server(tmp_path, how):
    with server(tournament_file(tmp_path, ["quoridor"], names=2)) as (process, address):
        game = Game(address)
        game.until()
        pid = process.pid
        started = [child.pid for child in psutil.Process(pid).children(recursive=True)]
        assert any("hostile_engine" in " ".join(psutil.Process(one).cmdline()) for one in started)
        os.kill(pid, how)
        assert_gone(started)


def test_the_first_page_lists_the_running_games_of_its_browser(address, play):
    with closing(HTTPConnection(address.removeprefix("http://"), timeout=60)) as connection:
        connection.request("GET", "/play/")
        answer = connection.getresponse()
        answer.read()
        cookie, *flags = answer.getheader("set-cookie").split("; ")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(flags)
    own = play(cookie=cookie)
    other = play()
    page = send(address, "/play/", Cookie=cookie)[1]
    assert f'/play/{own.path.rpartition("/")[2]}/">Quoridor, two players against mate-1</a>' in page
    assert other.path.rpartition("/")[2] not in page
    assert "Your games" not in send(address, "/play/")[1]
    own.close()
    assert "Your games" not in send(address, "/play/", Cookie=cookie)[1]


def test_without_a_file_the_sample_engines_play_every_game(tmp_path):
    with forked("serve", "--port", "0", cwd=tmp_path) as process:
        wait_for(lambda: process.stdout.endswith("\n"), "it does not serve")
        address = process.stdout.removeprefix("serving on ").strip()
        offer = {one["id"]: one["engines"] for one in send(address, "/api/play/offer")[1]}
        assert all(names[:3] == ["alphabeta", "greedy", "random"] for names in offer.values())
        assert offer.keys() == set(game_ids())
        levels = ["level 1 (easy)", "level 2 (easy)", "level 3 (medium)", "level 4 (hard)"]
        assert offer["hops"][3:] == levels
        assert offer["chess"][3:] == []
        game = Game(address, game="quoridor4", seats=[None, "alphabeta", "greedy", "greedy"])
        game.until()
        assert game.move("e2")["ply"] == 4
        assert list(tmp_path.iterdir()) == []
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr.startswith("there is no arena.db here")


@pytest.mark.parametrize(
    "words", [("--most-games", "0"), ("--host", "127.0.0.2"), ("--url", "https://a.example")]
)
def test_nobody_plays_if_the_games_are_none_or_others_reach_the_server(tmp_path, words):
    Store.open(tmp_path / "arena.db", create=True).close()
    with forked("serve", "--port", "0", *words, cwd=tmp_path) as process:
        wait_for(lambda: process.stdout.endswith("\n"), "it does not serve")
        address = process.stdout.removeprefix("serving on ").strip()
        assert send(address, "/api/play/offer")[0] == 404
        assert "arena serve --engines FILE.toml" in send(address, "/play/")[1]


def test_the_page_of_play_has_names_of_engines_as_text(tmp_path):
    file = tournament_file(tmp_path, ["quoridor"], names=2)
    file.write_text(file.read_text().replace('"mate-1"', "'<i>\"'"))
    with server(file) as (_, address):
        status, page = send(address, "/play/?game=quoridor&start=%22%3E%3Ci%3E")
    assert status == 200
    assert '<option value="=&lt;i&gt;&#34;">&lt;i&gt;&#34;</option>' in page
    assert 'value="&#34;&gt;&lt;i&gt;"' in page
    assert "<i>" not in page
    assert '<a href="/docs/quoridor">Rules</a>' in page


def test_a_stored_game_is_shown_and_never_rated(tmp_path):
    with closing(Store.open(tmp_path / "a.db", create=True)):
        pass
    file = tournament_file(tmp_path, ["quoridor"], names=2)
    with server(file, "a.db") as (_, address):
        game = Game(address, start="/ / e8 a9 / 10 10 / 1")
        assert game.post("store") == (409, {"error": "a game without a result has no record"})
        assert game.move("e9")["can_store"]
        assert game.post("store") == (200, {})
        assert game.post("store") == (200, {})
        stored = game.state()
        assert (stored["stored"], send(address, stored["page"])[0]) == (1, 200)
        assert game.post("takeback") == (200, {})
        game.move("e9")
        assert game.post("store") == (200, {})
        tournaments = send(address, "/api/tournaments")[1]
        assert [(one["name"], one["played"]) for one in tournaments] == [("casual games", 2)]
        assert send(address, "/api/ratings") == (200, [])
        status, tournament = send(address, f"/api/tournaments/{tournaments[0]['id']}")
        (table,) = tournament["standings"]["games"]
        assert (status, table["played"], {row["mu"] for row in table["ranking"]}) == (200, 2, {None})


def test_the_rules_say_why_a_place_cannot_follow(address, play):
    game = play()
    game.until()
    asked = send(address, f"{game.path}/why?chosen=&place=e5")
    assert asked == (200, {"ply": 0, "why": "the pawn on e1 cannot reach e5: it is too far away"})
    assert send(address, f"{game.path}/why?place=%3Cb%3E")[1]["why"] == "there is no place '<b>'"
    assert send(address, f"{game.path}/why?chosen={'e' * 3000}&place=e5")[0] == 200


def test_a_game_cannot_be_stored_without_a_database(play):
    game = play(start="/ / e8 a9 / 10 10 / 1")
    assert not game.move("e9")["can_store"]
    assert "has no database" in game.post("store")[1]["error"]


def test_five_games_against_levels_say_where_a_person_stands_and_offer_the_next_one(tmp_path):
    file = tmp_path / "levels.toml"
    engines = "".join(
        f'[[engines]]\nname = "{word}"\ncommand = ["level:{level}"]\n'
        for level, word in ((1, "easy"), (2, "middling"))
    )
    file.write_text(f'name = "levels"\ngames = ["hops"]\ntime_control = "movetime=1"\n{engines}')
    with (
        server(file) as (_, address),
        closing(HTTPConnection(address.removeprefix("http://"), timeout=60)) as connection,
    ):
        connection.request("GET", "/play/")
        first = connection.getresponse()
        cookie = first.getheader("set-cookie").partition(";")[0]
        assert "You have ended 0." in first.read().decode()

        def page():
            return send(address, "/play/?game=hops", Cookie=cookie)[1]

        def lose(rival, *, hint=False):
            seats = [None, rival] if rival == "easy" else [rival, None]
            game = Game(address, cookie, game="hops", seats=seats)
            ply = game.until()["ply"]
            if hint:
                game.post("hint", engine="")
            assert game.post("move", move="resign", ply=ply) == (200, {})
            game.until("over")

        for rival in ("easy", "easy", "middling", "middling"):
            lose(rival)
        lose("easy", hint=True)  # it does not count
        assert "You have ended 4." in page()
        lose("middling")
        assert "After 5 games against levels you stand <b>near level 1</b>" in page()
        assert "With 95 % certainty you are between" in page()
        assert '?game=hops&amp;engine=easy#choose">easy</a>' in page()
        assert '<option value="=easy" selected="selected">' in page()
        assert "You have ended 0." in send(address, "/play/?game=hops")[1]  # somebody else
