"""Tests of playing against engines in a real browser: by clicks, by keys, by typing, and what is shown."""

import pytest

from referee import game
from tests.arena.web.accessible import violations
from tests.arena.web.play.play_browser import Finger, Person, Walker, ask, server, tournament_file
from tests.arena.web.sites import IDS
from tests.missing_tools import needs
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, needs("chromium", "chromedriver")]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    games = [*IDS, "chess", "chess960"]
    with server(tournament_file(tmp_path_factory.mktemp("play"), games)) as (_, found):
        yield found


def seats(id_):
    return [None, *(f"mate-{number}" for number in range(2, game(id_).info.players + 1))]


def no_errors(browser):
    return [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


GROUND = "wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb/-------/wbwbwbw/bwbwbwb/wbwbwbw/bwbwbwb"
# Near the end of each game, moves of all kinds of parts: walls, paths, captures, signs, letters, tiles, the
# ball, two actions.
ENDS = {
    "quoridor": ("/ / e7 a9 / 10 10 / 1", ["e8", "b3h", "e9"], "Player 1 reaches the goal"),
    "quoridor4": ("/ / e8 a5 e4 i5 / 5 5 5 5 / 1", ["c3v", "e9"], "Player 1 reaches the goal"),
    "movers-hoppers": (
        *("HHH/MM1/2M/3/mmm/hhh/3/3 w", ["c6c7"]),
        "White has all six pieces in the opposite camp",
    ),
    "movers-hoppers-expert": (
        *("HHH/M1M/1M1/3/mmm/mmm/3/3 w", ["b6b7"]),
        "White has all six pieces in the opposite camp",
    ),
    "rampants": ("HHH/MM1/2M/3/mmm/hhh/3/3 w", ["c6c7"], "White has all six pieces in the opposite camp"),
    "eclaircissement": (
        *("WWr1W/r3r/r1w1r/r1R1r/WW1WW w", ["c3c1+"]),
        "White has every pawn lit and on the border",
    ),
    "quatre-en-ligne": (
        *(".R...../.R...../._r..W./W____WR/.._rW_./.._WRw. 0,0 0 0 w", ["5,3>6,3@2,0"]),
        "White has four in a line",
    ),
    "rodeurs": (
        f"{GROUND} 3gr2/g5g/1y1y3/2g4/3g2r/4y2/7/y6/g2r2g 1",
        ["a1a3,d9f9"],
        "Light has fewer points",
    ),
    "rodeurs-diagonal": (
        f"{GROUND} 2y4/r3y2/7/g6/7/y5g/3g3/7/gyrr3 1",
        ["c1e1,a1c1"],
        "Light has fewer points",
    ),
    "hops": ("1rr3r/rr3r1/6r/7/b2bB2/2bbb2/6b b", ["e2f3,c2e4*e2g4g6#"], "Blue carries the ball out"),
    "chess": ("7k/P7/6K1/8/8/8/8/8 w - - 0 1", ["a7a8r"], "White gives checkmate"),
    "chess960": ("2rkr3/2p1p3/8/8/8/8/8/1RK4R w HB - 0 1", ["c1b1"], "White gives checkmate"),
}


FEW = ("quoridor", "eclaircissement", "quatre-en-ligne", "hops", "chess")
"""Walls, signs, tiles, the ball and letters; clicks play the others."""


def play_to_the_end(person, id_):
    for text in ENDS[id_][1]:
        moves = person.ready()
        person.choose_way(moves, next(way for way in moves["ways"] if way[0] == text))
        person.wait(lambda text=text: text in [move["text"] for move in person.state()["moves"]])
    person.wait(lambda: person.text("status") == f"You win: {ENDS[id_][2]}")
    assert no_errors(person.browser) == []


@pytest.mark.parametrize("id_", ENDS)
def test_the_end_of_every_game_is_played_by_clicks(browser, address, id_):
    play_to_the_end(Person(browser, address, game=id_, seats=seats(id_), start=ENDS[id_][0]), id_)


@pytest.mark.parametrize("id_", FEW)
def test_the_end_of_a_game_is_played_by_touching_a_phone(browser, address, phone, id_):
    play_to_the_end(Finger(browser, address, game=id_, seats=seats(id_), start=ENDS[id_][0]), id_)


@pytest.mark.parametrize("id_", FEW)
def test_the_end_of_a_game_is_played_by_keys(browser, address, id_):
    play_to_the_end(Walker(browser, address, game=id_, seats=seats(id_), start=ENDS[id_][0]), id_)


@pytest.mark.parametrize(
    ("kind", "id_"), [(Person, "movers-hoppers"), (Walker, "rampants"), (Finger, "movers-hoppers-expert")]
)
def test_pieces_are_set_up_by_buttons_at_their_squares(browser, address, kind, id_, request):
    if kind is Finger:
        request.getfixturevalue("phone")
    person = kind(browser, address, game=id_, seats=seats(id_))
    moves = person.ready()
    way = next(way for way in moves["ways"] if way[0] == "hmhmhm")
    for count, number in enumerate(way[1][:4], 1):
        person.choose_part(moves["parts"][number])
        assert len(browser.find_elements("css selector", "#standing .piece")) == count
        at = browser.execute_script(
            "const [button, place] = ['meanings', 'places'].map((id) => document.getElementById(id));"
            "const box = button.getBoundingClientRect();"
            "const square = document.querySelector(`[data-place='${arguments[0]}']`).getBoundingClientRect();"
            "return Math.min(Math.abs(box.bottom - square.top), Math.abs(box.top - square.bottom));",
            moves["parts"][way[1][count]]["place"],
        )
        assert at < 12  # pixels from the square that is next
    assert violations(browser) == []
    for number in way[1][4:]:
        person.choose_part(moves["parts"][number])
    person.wait(lambda: person.state()["ply"] == 2)
    assert person.state()["moves"][0]["text"] == "hmhmhm"


HOLD_MOVES = """
// Hold each answer with the legal moves until the test releases it, and count those that the page has taken.
window.held = [];
window.taken = 0;
const fetched = window.fetch;
window.fetch = async (address, ...more) => {
  const answer = await fetched(address, ...more);
  if (!address.endsWith("/moves")) return answer;
  await new Promise((release) => window.held.push(release));
  const data = await answer.json();
  return { ok: true, json: async () => { setTimeout(() => { window.taken += 1; }); return data; } };
};
"""


def test_what_was_chosen_stays_when_the_legal_moves_come_twice(browser, address):
    person = Person(browser, address, game="chess", seats=seats("chess"))
    person.ready()
    browser.execute_script(HOLD_MOVES)
    ask(f"{person.api}/move", {"move": "e2e4", "ply": 0})
    person.wait(lambda: browser.execute_script("return held.length") == 1)
    ask(f"{person.api}/hint", {"engine": "mate-2"})  # news of the same position
    person.wait(lambda: browser.execute_script("return held.length") > 1)
    browser.execute_script("held[0]()")
    moves = person.ready()
    person.choose_part(moves["parts"][moves["ways"][0][1][0]])
    assert browser.find_element("id", "undo").is_enabled()
    browser.execute_script("held.slice(1).forEach((release) => release())")
    person.wait(lambda: browser.execute_script("return taken === held.length"))
    assert browser.find_element("id", "undo").is_enabled()


def test_a_button_that_is_released_on_a_later_position_chooses_nothing(browser, address):
    person = Person(browser, address, game="chess", seats=seats("chess"))
    person.ready()
    person.press_place("e2")
    person.mouse("mousePressed", *person.point_of("e4"))  # plays the move, and the engine answers
    person.wait(lambda: person.state()["ply"] == 2)
    person.ready()
    person.mouse("mouseReleased", *person.point_of("d2"))
    assert not browser.find_element("id", "undo").is_enabled()
    person.press_place("d2")
    assert browser.find_element("id", "undo").is_enabled()


def any_move(person):
    return lambda moves: person.choose_way(moves, person.random.choice(moves["ways"]))


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    ActionChains(browser, duration=0).send_keys(*keys).perform()


def test_a_game_is_won_by_typing_and_a_wrong_move_is_explained(browser, address):
    person = Person(browser, address, game="quoridor", seats=seats("quoridor"), start="/ / e8 a9 / 10 10 / 1")
    person.ready()
    typed = browser.find_element("id", "typed")
    typed.send_keys("e5\n")
    person.wait(lambda: "e5" in person.text("problem"))
    typed.send_keys("e9\n")
    person.wait(lambda: person.text("status") == "You win: Player 1 reaches the goal")
    assert violations(browser) == []


def test_a_rematch_is_the_same_game_with_the_seats_changed(browser, address):
    start = "/ / e8 a9 / 10 10 / 1"
    person = Person(browser, address, game="quoridor", seats=seats("quoridor"), start=start)
    person.ready()
    browser.find_element("id", "typed").send_keys("e9\n")
    person.wait(lambda: browser.find_element("id", "rematch").is_displayed())
    person.press(browser.find_element("id", "rematch"))
    person.wait(lambda: not browser.current_url.endswith(f"{person.api.rpartition('/')[2]}/"))
    state = ask(f"{address}/api/play/games/{browser.current_url.split('/')[-2]}")
    assert [seat["name"] for seat in state["seats"]] == ["mate-2", "You"]
    assert state["game"] == "quoridor"


def test_a_key_goes_from_one_place_that_can_be_chosen_to_the_next(browser, address):
    person = Person(browser, address, game="quoridor", seats=seats("quoridor"))
    person.ready()
    from selenium.webdriver import ActionChains

    places = []
    for shift in (False, False, False, True):
        keys = ActionChains(browser, duration=0)
        (keys.key_down("\ue008").send_keys("n").key_up("\ue008") if shift else keys.send_keys("n")).perform()
        place, label = browser.execute_script(
            "const {dataset, ariaLabel} = document.activeElement; return [dataset.place, ariaLabel];"
        )
        assert label.endswith(", can be chosen")
        places.append(place)
    assert len(set(places)) == 3
    assert places[3] == places[1]


def test_a_wall_is_shown_before_it_is_placed_and_a_forbidden_one_says_why(browser, address):
    start = "e3 / / e1 e9 / 9 10 / 1"
    person = Person(browser, address, game="quoridor", seats=seats("quoridor"), start=start)
    person.ready()

    def shown():
        return [
            (wall.get_attribute("class"), round(wall.size["width"]), round(wall.size["height"]))
            for wall in browser.find_elements("css selector", "#hover rect, #marks rect")
        ]

    unit = browser.find_element("css selector", "[data-place=a1]").size["width"] / 36
    long, thin = round(80 * unit), round(6 * unit)
    person.point_at("c5h")
    assert shown() == [("wall ghost", long, thin)]
    person.point_at("c5v")
    assert shown() == [("wall ghost", thin, long)]
    person.point_at("e3v")
    assert shown() == [("wall never", thin, long)]
    person.press_place("e3v")
    person.wait(lambda: person.text("problem") == "a wall at e3v would cross the wall e3h")
    person.press_place("c5h")
    person.press_place("g5v")  # another wall takes its place
    person.point_at("a1")
    assert shown() == [("wall chosen", thin, long)]
    assert person.text("advice") == "Click the wall again, press Enter, or Play."
    assert person.state()["ply"] == 0
    assert browser.find_elements("css selector", "#marks .target")  # the pawn may still go instead
    person.press_place("a8")
    person.wait(lambda: person.text("problem") == "the pawn on e1 cannot reach a8: it is too far away")
    assert browser.find_elements("css selector", "#marks .wall.chosen")
    press(browser, "\ue007")  # Enter
    person.wait(lambda: person.state()["ply"] == 2)
    assert person.state()["moves"][0]["text"] == "g5v"
    assert len(browser.find_elements("css selector", "#below .hand rect")) == 8


def test_a_done_action_stays_when_the_next_place_cannot_follow(browser, address):
    person = Person(browser, address, game="hops", seats=seats("hops"))
    person.ready()
    person.press_place("c1")
    person.press_place("c2")
    assert person.text("advice") == "The turn goes on: choose its next action."
    person.press_place("b1")
    person.wait(lambda: "must change its square in this turn" in person.text("problem"))
    assert person.text("steps") == "c1 → c2"


def test_a_piece_is_shown_where_it_goes_and_its_shadow_where_it_came_from(browser, address):
    start = "1rr3r/rr3r1/6r/7/b2bB2/2bbb2/6b b"
    person = Person(browser, address, game="hops", seats=seats("hops"), start=start)
    moves = person.ready()
    way = next(way for way in moves["ways"] if way[0] == "e2f3,c2e4*e2g4g6#")
    for number in way[1][:5]:  # e2f3,c2e4*e2: the ball of e3 is taken
        person.choose_part(moves["parts"][number])

    def at(selector, place):
        """Whether a drawing of this kind has its centre on a place."""
        return browser.execute_script(
            "const box = document.querySelector(`[data-place='${arguments[1]}']`).getBBox();"
            "const point = `translate(${box.x + box.width / 2} ${box.y + box.height / 2})`;"
            "return document.querySelector(`${arguments[0]}[transform='${point}']`)?.innerHTML ?? '';",
            selector,
            place,
        )

    assert "#ring" in at("#standing .piece", "f3")
    assert at("#standing .gone", "c2")
    assert "#ball" in at("#standing .piece", "e2")
    assert "#ball" not in at("#standing .piece", "e3")
    assert browser.execute_script("return document.querySelectorAll('#ways .way:not(.under)').length") == 3
    press(browser, "u")
    assert "#ball" in at("#standing .piece", "e3")
    person.press_place("a7")
    person.wait(lambda: "a7" in person.text("problem"))


def test_whose_turn_it_is_stays_in_sight_on_a_phone_and_the_board_keeps_its_place(browser, address, phone):
    person = Finger(browser, address, game="quoridor4", seats=seats("quoridor4"))
    person.ready()
    for there in ("0", "1e6"):
        browser.execute_script(f"scrollTo(0, {there})")
        edges = browser.execute_script(
            "const {top, bottom} = document.getElementById('status').getBoundingClientRect();"
            "return [top >= 0, bottom <= innerHeight, document.documentElement.scrollWidth];"
        )
        assert edges == [True, True, 390]
    browser.get(browser.current_url)
    shift = (
        "const add = (list) => { for (const one of list.getEntries()) window.shift += one.value; };"
        "new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true});"
    )
    browser.execute_script(f"window.shift = 0; {shift}")
    person.ready()
    assert browser.execute_script("return window.shift") < 0.1
    assert violations(browser) == []


def test_a_goal_that_is_clicked_first_shows_its_move_and_a_second_click_plays_it(browser, address):
    person = Person(browser, address, game="chess", seats=seats("chess"))
    person.ready()
    person.press_place("e4")
    assert person.text("send") == "Play e4"
    press(browser, "\ue00c")  # Escape
    assert person.state()["ply"] == 0
    person.press_place("e2")
    person.press_place("e2")  # a piece that is clicked again is put down
    assert browser.find_elements("css selector", "#marks .held") == []
    person.press_place("d4")
    person.press_place("d4")
    person.wait(lambda: person.state()["ply"] == 2)
    assert person.state()["moves"][0]["text"] == "d2d4"


def test_moves_of_chess_are_shown_and_typed_as_people_write_them(browser, address):
    start = "r3k2r/8/8/8/8/8/8/4K1N1 b kq - 3 16"
    person = Person(browser, address, game="chess", seats=["mate-2", None], start=start)
    person.ready()
    for typed, text in (("O-O", "e8g8"), ("a8b8", "a8b8")):
        ply = person.state()["ply"]
        browser.find_element("id", "typed").send_keys(f"{typed}\n")
        person.wait(lambda ply=ply: person.state()["ply"] >= ply + 2)
        assert person.state()["moves"][ply]["text"] == text
        person.ready()
    shown = "return [...document.querySelectorAll('#moves :is(.number, b)')].map((one) => one.textContent)"
    answers = person.state()["moves"][1::2]
    first, second = (one["written"] for one in answers)
    assert browser.execute_script(shown) == ["16.", "O-O", "17.", first, "Rab8", "18.", second]
    answer = answers[-1]
    assert person.text("status") == f"Your turn. mate-2 played 18.\u00a0{second}"
    assert answer["written"] != answer["text"]
    browser.find_element("id", "hint").click()
    person.wait(lambda: person.text("hinted").startswith("The hint is "))
    hint = person.state()["hint"]
    assert person.text("hinted") == f"The hint is {hint['written']}."
    assert hint["written"] == person.ready()["written"][hint["move"]] != hint["move"]


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


@pytest.mark.parametrize("how", ["outside the board", "cancelled"])
def test_a_piece_that_is_let_go_elsewhere_goes_back_and_does_not_hang_on_the_pointer(browser, address, how):
    from selenium.webdriver import ActionChains

    person = Person(browser, address, game="rampants", seats=seats("rampants"))
    person.play(any_move(person), most=1)
    moves = person.ready()
    way = next(way for way in moves["ways"] if len(way[1]) == 2)
    here, there = (
        browser.find_element("css selector", f'[data-place="{moves["parts"][number]["place"]}"]')
        for number in way[1]
    )

    def pieces():
        drawn = browser.find_elements("css selector", "#standing .piece")
        return sorted(piece.get_attribute("transform") for piece in drawn)

    before = pieces()

    def mouse():
        return ActionChains(browser, duration=0)

    mouse().click_and_hold(here).move_to_element_with_offset(there, 3, 0).perform()
    assert pieces() != before
    if how == "cancelled":
        cancel = "new PointerEvent('pointercancel', {bubbles: true})"
        browser.execute_script(f"document.getElementById('board').dispatchEvent({cancel})")
    else:
        mouse().move_to_element(browser.find_element("id", "status")).release().perform()
    assert pieces() == before
    mouse().move_to_element_with_offset(there, 3, 0).perform()
    assert pieces() == before
    mouse().release().perform()


def test_a_page_says_that_its_game_ended_with_the_server_and_offers_a_new_one(browser, tmp_path):
    file = tournament_file(tmp_path, ["quoridor"])
    with server(file) as (_, address):
        person = Person(browser, address, game="quoridor", seats=seats("quoridor"))
        person.ready()
    Person.playing = ""
    wait_for(lambda: person.text("status") == "The server does not answer", "the end is not seen")
    with server(file, "--port", address.rpartition(":")[2]):
        wait_for(lambda: person.text("status") == "The game ended with the server", "the page waits for ever")
        assert browser.find_element("css selector", "#over a").is_displayed()
        assert not browser.find_element("id", "record").is_displayed()


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
    assert browser.find_elements("css selector", "#ways .advised, #ways .ghost")
    browser.find_element("id", "resign").click()
    press(browser, Keys.ESCAPE)
    assert person.state()["status"] == "yours"
    browser.find_element("id", "resign").click()
    browser.find_element("css selector", "#resigning [value=yes]").click()
    person.wait(lambda: person.text("status") == "Mate-1 wins: Player 2 resigns")
    assert browser.find_element("id", "record").is_displayed()


def test_the_form_starts_a_game_and_says_what_is_wrong(browser, address):
    from selenium.webdriver.support.ui import Select

    browser.get(f"{address}/play/")
    browser.find_element("css selector", ".picks a[href*='hops']").click()
    wait_for(lambda: "game=hops" in browser.current_url, "the link does not choose the game")
    assert browser.find_element("css selector", "#choose h2").text.startswith("HOPS")
    assert browser.find_element("css selector", ".picks [aria-current]").text == "HOPS, the ball game"
    assert violations(browser) == []
    browser.get(f"{address}/play/?game=hops&engine=mate-3")
    seats = [Select(browser.find_element("id", f"seat-{seat}")) for seat in (0, 1)]
    assert [one.first_selected_option.text for one in seats] == ["You", "mate-3"]
    browser.find_element("css selector", "#choose summary").click()
    start = browser.find_element("id", "start")
    start.send_keys("nowhere")
    browser.find_element("css selector", "#choose button").click()
    assert violations(browser) == []
    problem = browser.find_element("id", "problem")
    wait_for(lambda: problem.text, "the form does not say what is wrong")
    assert "is no set-up of this game" in problem.text
    start.clear()
    browser.find_element("css selector", "input[value='movetime=5']").click()
    browser.find_element("css selector", "#choose button").click()
    wait_for(lambda: browser.find_elements("id", "board"), "no game starts")
    begun = ask(browser.current_url.replace("/play/", "/api/play/games/").rstrip("/"))
    assert begun["game"] == "hops"
    assert begun["seats"][1]["clock_ms"] is None  # 60+0, as in the file, has a clock


@pytest.fixture
def phone(browser):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    no_errors(browser)  # forget those that other tests expect
    yield
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
