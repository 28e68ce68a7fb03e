"""The cards of running games in a browser, from made-up events and with a made-up clock."""

from functools import partial

import pytest

from tests.arena.web.server.test_live_page import text_of
from tests.arena.web.server.test_serve import begin, page_of, served
from tests.missing_tools import needs

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]

SET_UP = """
const done = arguments[arguments.length - 1];
window.ms = 1e6;
Date.now = () => window.ms;
import("/boards.js").then(({ Boards }) => {
  document.getElementById("running").hidden = false;
  window.boards = new Boards(document.getElementById("boards"), arguments[0]);
  done(null);
});
"""


@pytest.fixture
def boards(tmp_path, browser):
    """Functions that give the cards of a page of a tournament events, and let time go on."""
    begin(tmp_path)
    block = partial(browser.execute_cdp_cmd, "Network.setBlockedURLs")
    browser.execute_cdp_cmd("Network.enable", {})
    block({"urls": ["*/live.js"]})  # the page's own events would change the cards, too
    with served(tmp_path) as (_, port):
        browser.get(page_of(port))
        yield Cards(browser)
    block({"urls": []})


class Cards:
    def __init__(self, browser):
        self._browser = browser
        self.start(alone=False)

    def start(self, *, alone):
        self._browser.execute_async_script(SET_UP, alone)

    def game(self, key, slot=0, **values):
        usual = {
            "plies": [],
            "first": 0,
            "ply": 0,
            "turn": 0,
            "clocks_ms": [],
            "scores": ["", ""],
            "chance": None,
        }
        board = {
            "board": "<svg><g></g></svg>",
            "caption": "",
            "url": f"/{key}",
            "worker": "",
            "signs": ["<g/>"] * 4,
            "seats": [f"{key}-1", f"{key}-2"],
        }
        self._browser.execute_script(
            "boards.keep(arguments[0])", usual | board | {"key": key, "slot": slot} | values
        )

    def over(self, key, slot=0, says="", **values):
        news = {
            "key": key,
            "slot": slot,
            "stored": True,
            "says": says or f"{key} ends",
            "points": ["1", "0"],
            "winners": [f"{key}-1"],
        }
        more = {
            "first": 0,
            "plies": [[0, "e2", 1]],
            "ply": 1,
            "turn": -1,
            "clocks_ms": [],
            "scores": ["", ""],
            "chance": 100,
        }
        self._browser.execute_script("boards.over(arguments[0])", news | more | values)

    def wait(self, ms, running=True):
        self._browser.execute_script("window.ms += arguments[0]; boards.tick(arguments[1])", ms, running)

    @property
    def names(self):
        """The upper name on each card; None on a card without a game."""
        return self._browser.execute_script(
            "return boards.places.map((one) => one.game && one.strips[1].querySelector('.who').textContent)"
        )

    @property
    def rate(self):
        return self._browser.execute_script("return boards.rate")

    def texts(self, selector):
        return text_of(self._browser, f"#boards {selector}")


def test_an_end_stays_in_its_place_until_the_next_game_starts_there(boards):
    boards.game("a", 0)
    boards.game("b", 1)
    boards.over("a", says="a-1 beats a-2: reaches the goal")
    boards.wait(3500)
    assert boards.names == ["a-2", "b-2"]
    assert boards.texts(".ended .end") == ["a-1 beats a-2: reaches the goal"]
    assert boards.texts(".ended .said") == ["0", "1"]
    assert boards.texts(".ended .last span")[0] == "ply 1: e2"
    boards.game("c", 0)
    assert boards.names == ["c-2", "b-2"]
    assert boards.texts(".ended") == []


def test_an_end_without_a_next_game_goes_after_five_seconds_and_leaves_its_place_empty(boards):
    boards.game("a", 0)
    boards.game("b", 1)
    boards.over("a")
    boards.wait(4900)
    assert boards.names == ["a-2", "b-2"]
    boards.wait(200)
    assert boards.names == [None, "b-2"]
    boards.game("c", 0)
    boards.over("b", 1)
    boards.wait(6000)
    assert boards.names == ["c-2", None]  # the first one does not move
    boards.over("c", 0)
    boards.wait(6000)
    assert boards.names == []


def test_a_slot_of_fast_games_shows_each_end_for_three_seconds_and_skips_games(boards):
    shown = []
    for number in range(40):  # four games a second
        boards.game(f"g{number}")
        boards.wait(200)
        boards.over(f"g{number}")
        boards.wait(50)
        if boards.names != shown[-1:]:
            shown += boards.names
    assert shown == ["g0-2", "g12-2", "g24-2", "g36-2"]
    rate, words = boards.rate.split(" ", 1)
    assert 235 < int(rate) < 245
    assert words == "games a minute"
    boards.wait(60_000)
    assert boards.rate == ""  # the games are slow now


def test_moves_are_written_as_people_write_them_if_the_rules_know_how(boards):
    plies = [[0, "e2e4", 1], [1, "e7e5", 1]]
    boards.game("a", plies=plies, ply=4, written=["2. e4", "2… e5"])
    assert boards.texts(".last span")[0] == "2… e5"
    boards.game("b", 1, plies=plies, ply=4)
    assert boards.texts(".last span")[2] == "ply 4: e7e5"
    boards.over("a", first=2, plies=[[0, "g1f3", 1]], ply=5, written=["3. Nf3"])
    assert boards.texts(".last span")[0] == "3. Nf3"


def test_all_games_come_again_and_the_cards_stay(boards):
    boards.game("a", 0)
    boards.game("b", 1)
    boards.over("a")
    boards._browser.execute_script("boards.reset([])")
    assert boards.names == ["a-2", None]  # its end is shown, and the other one runs no more
    boards.wait(6000)
    assert boards.names == []


def test_one_card_for_all_games_follows_a_slot_and_goes_on_to_another(boards):
    boards.start(alone=True)
    boards._browser.execute_script(
        "document.getElementById('boards').append(document.getElementById('card').content.cloneNode(true))"
    )
    boards.start(alone=True)
    boards.game("a", 0)
    boards.game("b", 1)
    assert boards.names == ["a-2"]
    boards.over("a", 0)
    boards.wait(4000)
    assert boards.names == ["a-2"]
    boards.wait(2000)
    assert boards.names == ["b-2"]


def test_a_clock_never_runs_backwards_in_a_turn_and_stops_without_news(boards):
    def clocks():
        boards.wait(0)
        return boards.texts(".clock")[::-1]

    boards.game("a", clocks_ms=[60_000, 50_000])
    boards.wait(1000)
    assert clocks() == ["0:59.0", "0:50.0"]
    boards.game("a", clocks_ms=[59_500, 50_000])  # late news
    assert clocks() == ["0:59.0", "0:50.0"]
    boards.wait(2500)
    assert clocks() == ["0:57.0", "0:50.0"]
    assert len(boards.texts(".turn")) == 1
    boards.wait(10_000)
    before = clocks()
    assert boards.texts(".turn") == []
    boards.wait(10_000)
    assert clocks() == before
    boards.game("a", ply=1, turn=1, clocks_ms=[58_000, 50_000])  # with an increment
    assert clocks() == ["0:58.0", "0:50.0"]


def test_a_seat_without_a_clock_shows_none_and_still_has_its_turn(boards):
    boards.game("a", turn=1, clocks_ms=[60_000, None])
    boards.wait(1000)
    assert boards.texts(".clock")[::-1] == ["1:00.0", ""]
    assert boards.texts(".turn .who") == ["a-2"]
    assert boards.texts(".low") == []


LOOK = """
const [first] = document.querySelectorAll("#boards .chance .first");
const moves = first.getAnimations().length ? " and moves" : "";
return first.getAttribute("y") + " " + first.getAttribute("height") + moves;
"""


def test_an_ended_card_shows_the_end_immediately_and_takes_nothing_into_the_next_game(boards):
    boards.game("a", clocks_ms=[500, 50_000], chance=10)
    boards.wait(400)
    assert len(boards.texts(".turn")) == len(boards.texts(".low")) == 1
    boards.over("a", clocks_ms=[450, 50_000], ply=0, plies=[])
    assert boards._browser.execute_script(LOOK) == "0% 100%"  # no transition runs
    assert boards.texts(".turn, .low") == []
    assert boards.texts(".clock")[::-1] == ["0:00.4", "0:50.0"]
    assert boards.texts(".won .who") == ["a-1"]
    boards.wait(1000)
    boards.game("b", chance=50)
    boards.wait(1900)
    assert boards.names == ["a-2"]
    boards.wait(100)
    assert boards.names == ["b-2"]
    assert boards._browser.execute_script(LOOK) == "50% 50%"
    assert boards.texts(".won") == []
    boards.over("b", chance=50, points=["½", "½"], winners=["b-1", "b-2"])
    assert boards.texts(".result") == ["½", "½"]
    assert boards.texts(".won") == []
