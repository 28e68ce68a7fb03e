"""Tests of playing against engines in a real browser: by clicks, by keys, by typing, and what is shown."""

import pytest

from referee import game
from tests.arena.web.accessible import violations
from tests.arena.web.play.play_browser import Finger, Person, ask, server, tournament_file
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]

IDS = (
    "quoridor",
    "quoridor4",
    "movers-hoppers",
    "movers-hoppers-expert",
    "rampants",
    "eclaircissement",
    "quatre-en-ligne",
    "rodeurs",
    "rodeurs-diagonal",
    "hops",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    games = [*IDS, "chess", "chess960"]
    with server(tournament_file(tmp_path_factory.mktemp("play"), games)) as (_, found):
        yield found


def seats(id_):
    return [None, *(f"mate-{number}" for number in range(2, game(id_).info.players + 1))]


def winning_or_any(person, id_):
    """Make a winning move by clicks if there is one, or any."""
    rules = game(id_)

    def move(moves):
        position = rules.parse_position(person.state()["position"])
        ways = moves["ways"]
        wins = [way for way in ways[:200] if position.play(position.parse_move(way[0])).outcome() is not None]
        person.choose_way(moves, person.random.choice(wins or ways))

    return move


def no_errors(browser):
    return [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.mark.parametrize(
    ("id_", "start"),
    [("quoridor", "/ / e8 a8 / 10 10 / 1"), ("quoridor4", "/ / e8 a5 e4 i5 / 5 5 5 5 / 1")],
)
def test_a_game_is_won_by_clicks(browser, address, id_, start):
    person = Person(browser, address, game=id_, seats=seats(id_), start=start)
    last = person.play(winning_or_any(person, id_))
    assert last["result"]["text"].startswith("You win: Player 1 reaches the goal")
    person.wait(lambda: person.text("status").startswith("You win"))
    assert no_errors(browser) == []


def any_move(person):
    return lambda moves: person.choose_way(moves, person.random.choice(moves["ways"]))


def longest_move(person):
    return lambda moves: person.choose_way(moves, max(moves["ways"], key=lambda way: len(way[1])))


# Moves of one part, of several, with signs and letters, with a tile, and of two actions.
@pytest.mark.parametrize(
    "id_",
    [
        "hops",
        "quatre-en-ligne",
        # Their parts are pieces and places too; test_parts.py builds the moves of all games.
        *(
            pytest.param(id_, marks=pytest.mark.slow)
            for id_ in ("movers-hoppers-expert", "eclaircissement", "rodeurs")
        ),
    ],
)
def test_moves_of_all_kinds_are_made_by_clicks(browser, address, id_):
    start = "__wrr/rrrw_/wr__w/__w_w 0,0 0 0 w" if id_ == "quatre-en-ligne" else ""
    person = Person(browser, address, game=id_, seats=seats(id_), start=start)
    person.play(longest_move(person), most=3)
    person.ready()
    assert len(person.state()["moves"]) == 6
    assert no_errors(browser) == []


def click_move(person, text):
    """Make a move by clicks."""
    moves = person.ready()
    person.choose_way(moves, next(way for way in moves["ways"] if way[0] == text))
    person.wait(lambda: text in [move["text"] for move in person.state()["moves"]])


@pytest.mark.parametrize("text", ["e5*c5e7e5,d3d2", "d3d2,e5*c5e7e5c7"])
def test_a_path_that_comes_back_to_a_square_is_made_by_clicks(browser, address, text):
    start = "7/3brrr/3Rbrr/5br/3bbbb/7/7 b"
    person = Person(browser, address, game="hops", seats=seats("hops"), start=start)
    click_move(person, text)
    assert no_errors(browser) == []


def test_a_pawn_is_promoted_by_clicks(browser, address):
    start = "7k/P7/6K1/8/8/8/8/8 w - - 0 1"
    person = Person(browser, address, game="chess", seats=seats("chess"), start=start)
    click_move(person, "a7a8r")
    person.wait(lambda: person.text("status") == "You win: White gives checkmate")
    assert person.state()["position"].startswith("R6k/")
    assert no_errors(browser) == []


# In chess960 castling is a move of the king to its own rook.
@pytest.mark.parametrize(
    ("id_", "start", "move", "row"),
    [
        pytest.param(
            *("chess", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "2KR4"),
            marks=pytest.mark.slow,  # its parts are those of any move
        ),
        ("chess960", "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1", "c1b1", "2KR3R"),
    ],
)
def test_castling_is_made_by_clicks(browser, address, id_, start, move, row):
    person = Person(browser, address, game=id_, seats=seats(id_), start=start)
    click_move(person, move)
    person.ready()
    assert row in person.state()["position"].split()[0].split("/")
    assert no_errors(browser) == []


def focused(browser):
    return browser.execute_script("return document.activeElement.dataset.place ?? null")


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    ActionChains(browser, duration=0).send_keys(*keys).perform()


def test_a_game_is_won_by_keys(browser, address):
    from selenium.webdriver import Keys

    person = Person(browser, address, game="quoridor", seats=seats("quoridor"), start="/ / e7 a9 / 10 10 / 1")
    person.ready()
    for _ in range(30):
        if focused(browser):
            break
        press(browser, Keys.TAB)
    for target in ("e8", "e9"):
        for _ in range(40):
            here = focused(browser)
            if here == target:
                break
            column, row = here[0] < target[0], here[1] < target[1]
            aside = here[0] != target[0] or (len(here) > 2 and here[2] == "v")
            press(browser, (Keys.RIGHT if column else Keys.LEFT) if aside else Keys.UP if row else Keys.DOWN)
        assert focused(browser) == target
        press(browser, Keys.ENTER)
        person.wait(lambda target=target: target in [move["text"] for move in person.state()["moves"]])
        person.ready()
    assert person.state()["result"]["text"] == "You win: Player 1 reaches the goal"


def test_a_game_is_won_by_typing_and_a_wrong_move_is_explained(browser, address):
    person = Person(browser, address, game="quoridor", seats=seats("quoridor"), start="/ / e8 a9 / 10 10 / 1")
    person.ready()
    typed = browser.find_element("id", "typed")
    typed.send_keys("e5\n")
    person.wait(lambda: "e5" in person.text("problem"))
    typed.send_keys("e9\n")
    person.wait(lambda: person.text("status") == "You win: Player 1 reaches the goal")
    assert violations(browser) == []


def test_a_piece_is_dragged_and_steps_are_undone(browser, address):
    from selenium.webdriver import ActionChains

    person = Person(browser, address, game="rampants", seats=seats("rampants"))
    person.play(any_move(person), most=1)
    moves = person.ready()
    way = next(way for way in moves["ways"] if len(way[1]) == 2)
    here, there = (
        browser.find_element("css selector", f'[data-place="{moves["parts"][number]["place"]}"]')
        for number in way[1]
    )
    here.click()
    press(browser, "u")
    assert browser.execute_script("return document.getElementById('undo').disabled")
    ActionChains(browser, duration=0).click_and_hold(here).move_to_element(there).release().perform()
    person.wait(lambda: way[0] in [move["text"] for move in person.state()["moves"]])


def test_a_person_takes_back_asks_for_a_hint_and_resigns_when_asked_again(browser, address):
    from selenium.webdriver import Keys

    person = Person(browser, address, game="quoridor", seats=["mate-1", None])
    person.wait(lambda: "turned" in browser.find_element("id", "strips").get_attribute("class"))
    person.play(any_move(person), most=1)
    person.ready()
    assert person.state()["ply"] == 3
    browser.find_element("id", "takeback").click()
    person.wait(lambda: person.state()["ply"] == 1 and person.state()["status"] == "yours")
    person.ready()
    browser.find_element("id", "hint").click()
    person.wait(lambda: person.text("hinted").startswith("The hint is "))
    browser.find_element("id", "resign").click()
    press(browser, Keys.ESCAPE)
    assert person.state()["status"] == "yours"
    browser.find_element("id", "resign").click()
    browser.find_element("css selector", "#resigning [value=yes]").click()
    person.wait(lambda: person.text("status") == "Mate-1 wins: Player 2 resigns")
    assert browser.find_element("id", "record").is_displayed()


def test_the_form_begins_a_game_and_says_what_is_wrong(browser, address):
    from selenium.webdriver.support.ui import Select

    browser.get(f"{address}/play/?game=hops")
    assert Select(browser.find_element("id", "game")).first_selected_option.text.startswith("HOPS")
    start = browser.find_element("id", "start")
    start.send_keys("nowhere")
    browser.find_element("css selector", "#choose button").click()
    assert violations(browser) == []
    problem = browser.find_element("id", "problem")
    wait_for(lambda: problem.text, "the form does not say what is wrong")
    assert "is no set-up of this game" in problem.text
    start.clear()
    browser.find_element("css selector", "#choose button").click()
    wait_for(lambda: browser.find_elements("id", "board"), "no game begins")
    assert ask(browser.current_url.replace("/play/", "/api/play/games/").rstrip("/"))["game"] == "hops"


@pytest.fixture
def phone(browser):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    no_errors(browser)  # forget those that other tests expect
    yield
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_move_and_a_wall_are_made_by_touching(browser, address, phone):
    person = Finger(browser, address, game="quoridor", seats=seats("quoridor"), start="/ / e7 a9 / 10 10 / 1")
    person.ready()
    person.press_place("e8")
    person.wait(lambda: person.state()["ply"] == 2)
    person.ready()
    person.press_place("b3h")  # the first touch of a wall shows it, so that a finger can correct where it is
    person.wait(lambda: browser.find_elements("css selector", ".wall.chosen"))
    assert person.text("advice") == "Tap the wall again, or Play."
    assert person.state()["ply"] == 2
    person.press_place("b3h")
    person.wait(lambda: person.state()["ply"] == 4)
    assert [move["text"] for move in person.state()["moves"]][::2] == ["e8", "b3h"]
    assert no_errors(browser) == []


@pytest.mark.slow  # four minutes: the quick tests play some moves, these play every game to its end
@pytest.mark.parametrize("id_", [*IDS, "chess", "chess960"])
def test_a_whole_game_of_every_id_is_played_by_clicks(browser, address, id_):
    person = Person(browser, address, game=id_, seats=seats(id_))
    last = person.play(winning_or_any(person, id_))
    assert last["status"] == "over"
    assert last["record"]
    assert no_errors(browser) == []
