"""The pages of the server are those of the report, about the games that are stored now."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from threading import Event
from typing import Any
from urllib.parse import urljoin

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from arena.config import load
from arena.errors import ArenaError
from arena.events import LiveGame, RunState
from arena.manual import pages
from arena.model import GameRecord, Opening, Pairing
from arena.store import GameSearch, Store
from arena.store.rating_lists import RatingLists
from arena.web.boards import draw
from arena.web.links import Links
from arena.web.offer import sample_offer
from arena.web.pages.engine import engine_view
from arena.web.pages.games import game_line
from arena.web.pages.home import latest
from arena.web.pages.section import Course, place_change
from arena.web.server.app import LOOPBACK, application
from arena.web.server.databases import Databases, ServedDatabase, finishes
from arena.web.server.live import Broadcast
from arena.web.server.pages import Pages
from protocol.wire.messages import Thought
from referee import game
from referee.ply import Ply
from tests.arena.formats.playing import plan
from tests.arena.stored import new_store
from tests.arena.web.sites import client_of, page_of, played
from tests.processes import wait_for
from tests.sample_games import SPRING, spring

ODD = "a/b?c&d=é #1"


def test_the_latest_results_are_of_all_tournaments_by_their_end() -> None:
    lines = sorted((game_line(record) for record in spring()), key=lambda line: -line.ended)
    found = latest([("a", Links("1"), lines[1::2]), ("b", Links("2"), lines[::2])])
    assert [one.line for one in found] == lines[:10]
    assert [one.tournament for one in found[:3]] == ["b", "a", "b"]


def test_browsers_that_ask_for_an_icon_by_its_old_name_get_it(client: TestClient) -> None:
    assert client.get("/favicon.ico").content == client.get("/icon.svg").content


def test_a_game_leads_to_the_games_before_and_after_it_of_its_game_id(client: TestClient) -> None:
    def beside(number: int) -> list[str]:
        page = client.get(f"/tournaments/{SPRING}/games/{number}.html").text
        return re.findall(r'<a href="([^"]*)" rel="(?:prev|next)"', page)

    numbers = [game["number"] for game in client.get(f"/api/tournaments/{SPRING}/games").json()][::-1]
    first, second, *_, last = numbers
    assert beside(first) == [f"/tournaments/{SPRING}/games/{second}.html"]
    assert beside(second) == [f"/tournaments/{SPRING}/games/{one}.html" for one in (first, numbers[2])]
    assert beside(last) == [f"/tournaments/{SPRING}/games/{numbers[-2]}.html"]


def test_the_documentation_can_be_read_and_its_links_lead_to_pages_and_headings(client: TestClient) -> None:
    listed = re.findall(r'<li><a href="(/docs/[^"]+)">', client.get("/docs/").text)
    assert [path.removeprefix("/docs/") for path in listed] == [*pages()]
    found = {path: client.get(path).text.partition("<main")[2].partition("</main>")[0] for path in listed}
    assert "Rule sheet: 004" in found["/docs/quoridor"]
    assert "<td>" in found["/docs/cli"]
    assert [path for path, text in found.items() if "&lt;!--" in text] == []  # comments of the source
    links = {link for text in found.values() for link in re.findall(r'href="([^"]+)"', text)}
    ours = {link for link in links if "://" not in link}
    assert len(ours) > 100
    for link in ours:
        path, _, heading = link.partition("#")
        assert path in ("", "/docs/") or path in found, link
        if path and heading:
            assert f'id="{heading}"' in found[path], link
    assert '<a href="/docs/quoridor">Rules</a>' in client.get(f"/tournaments/{SPRING}/").text
    assert client.get("/docs/tiny.py").headers["content-type"] == "text/plain; charset=utf-8"
    assert client.get("/docs/..%2f..%2fREADME").status_code == 404


def later_page(client: TestClient, path: str, text: str) -> str:
    """Return a page when it has a text; its tables rest for some time after they were computed."""
    wait_for(lambda: text in client.get(path).text, f"{path} never has {text}")
    return client.get(path).text


def test_new_games_are_read_and_names_may_hold_anything(tmp_path: Path) -> None:
    store = new_store(tmp_path / "arena.db", "cup", games=[played("hops", (ODD, "c"), 0)])
    with client_of(store) as client:
        address = page_of(client)
        assert '<b id="played">1</b>' in client.get(address).text
        store.add_games([played("hops", ("c", ODD), 1), played("hops", ("c", "d"), 2)])
        page = later_page(client, address, '<b id="played">3</b>')
        (link,) = set(re.findall(r'href="(/tournaments/[^/"]*/engine[^"]*)">a/b', page))
        engine = client.get(link.replace("&amp;", "&"))
        assert f"<h1>{ODD.replace('&', '&amp;')}</h1>" in engine.text
        games = client.get(f"{address}games", params={"engine": ODD, "opponent": "c"}).text
        assert re.findall(r'aria-label="game (\d+)"', games) == ["2", "1"]
        assert client.get(f"{address}engine?name=nobody").status_code == 404
    store.close()


def test_a_page_that_many_games_keep_waiting_explains_it_and_is_there_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, value = Event(), ServedDatabase._value

    def slowly(
        database: ServedDatabase, key: object, compute: Callable[[Store], object], *more: Any
    ) -> object:
        def later(store: Store) -> object:
            go.wait()
            return compute(store)

        return value(database, key, compute if key == "tournaments" else later, *more)

    monkeypatch.setattr(ServedDatabase, "_value", slowly)
    with closing(new_store(tmp_path / "arena.db", "cup", games=[played("hops", ("a", "c"), 0)])) as store:
        databases = Databases([store], patience=0)
        app = application(databases, Broadcast(databases), LOOPBACK)
        with TestClient(app, base_url="http://localhost", backend="trio") as client:
            expected = (
                (
                    page_of(client),
                    "The tables are being computed",
                    'aria-labelledby="game-hops"',
                ),
                ("/", "The ratings are being computed", "<caption>Engines in HOPS"),
                ("/engines", "The ratings are being computed", "<caption>Engines in HOPS"),
            )
            for address, words, complete in expected:
                page = client.get(address).text
                assert words in page
                assert '<noscript><meta http-equiv="refresh"' in page
                assert complete not in page
            go.set()
            for address, words, complete in expected:
                wait_for(lambda one=address, told=words: told not in client.get(one).text, "it stays so")
                assert complete in client.get(address).text
        assert [databases.all[0].came_late() for _ in range(2)] == [True, False]


def test_an_older_value_is_good_enough_until_the_new_one_is_there(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        database, go = ServedDatabase(1, store), Event()
        values = iter([1, 2])

        def compute(_: Store) -> int:
            if (value := next(values)) == 2:
                go.wait()
            return value

        def soon(seconds: float) -> int | None:
            return database.soon("x", compute, until=time.monotonic() + seconds)

        assert soon(60) == 1
        assert not database.came_late()
        store.begin_tournament("cup", {})
        store.add_games([played("hops", ("a", "c"), 0)])
        assert soon(0) == 1
        assert not database.came_late()
        go.set()
        assert soon(60) == 2
        assert database.came_late()


def test_an_error_of_a_value_reaches_the_reader_and_the_next_one_tries_again(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        database, answers = ServedDatabase(1, store), [ArenaError("damaged"), 1]

        def compute(_: Store) -> object:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        with pytest.raises(ArenaError, match="damaged"):
            database.soon("x", compute, until=time.monotonic() + 60)
        assert database.soon("x", compute, until=time.monotonic() + 60) == 1


def test_the_first_page_names_the_winner_of_each_finished_tournament(tmp_path: Path) -> None:
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "true"\n' for name in "ab")
    winners = []
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        for name, games in (("first", 1), ("second", 2), ("third", 2)):
            file = tmp_path / "t.toml"
            file.write_text(f'name = "{name}"\ngame = "hops"\ngames_per_pairing = {games}\n{engines}')
            spec = load(file)
            store.begin_tournament(name, spec.settings(), spec.plan.encode())
        for number, name in enumerate(("first", "second", "third", "third")):
            record = played("hops", ("a", "b"), number)
            store.add_games([replace(record, result=replace(record.result, tournament=name))])
            winners.append(next(player.name for player in record.result.players if player.rank == 1))
        with client_of(store) as client:
            page = client.get("/").text
    row = r'<span class="tag[^<]*</span></td><td class="name"><span class="two-lines">([^<]*)</span>'
    assert re.findall(row, page)[1:] == ["–", winners[0]]


def test_a_ladder_is_ranked_group_by_group_and_won_in_the_first_one(tmp_path: Path) -> None:
    names = "abcde"
    file = tmp_path / "t.toml"
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "true"\n' for name in names)
    file.write_text(f'game = "hops"\nformat = "ladder"\nmax_games = 3\n{engines}')
    spec = load(file)
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("spring", spec.settings(), spec.plan.encode())
        met = [("d", "e"), ("a", "b"), ("b", "c")]
        for number, seats in enumerate(met):
            record = played("hops", seats, number)
            players = tuple(replace(one, forfeit=None) for one in record.result.players)
            result = replace(record.result, tournament="spring", players=players)
            store.add_games([replace(record, result=result)])
        (best,) = finishes(store)["spring"].winners
        with client_of(store) as client:
            page = client.get(page_of(client)).text
    table = page.partition("<caption>Ranking of hops</caption>")[2].partition("</table>")[0]
    first, second = table.split('class="group" colspan="8">')[1:]
    assert (first[:7], second[:7]) == ("group 1", "group 2")
    assert re.findall(r"<tr><td>(\d)</td>", first) == ["1", "2", "3"]
    assert re.findall(r"<tr><td>(\d)</td>", second) == ["1", "2"]
    assert re.findall(r'class="name"><a[^>]*>(\w)<', first)[0] == best
    assert re.search(rf'<p class="winner">\s*<a [^>]*>{best}</a>\s*wins</p>', page)
    assert "Engines of two groups met in forfeited games only, or not at all" in page


def test_a_winner_is_another_one_after_the_game_was_void_and_played_again(tmp_path: Path) -> None:
    """The number of games is the same as before."""
    game = spring()[0]  # beta wins
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        file = tmp_path / "t.toml"
        engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "true"\n' for name in ("alpha", "beta"))
        file.write_text(f'name = "spring"\ngame = "quoridor"\ngames_per_pairing = 1\n{engines}')
        store.begin_tournament("spring", load(file).settings(), load(file).plan.encode())
        store.add_games([replace(game, worker="lab3")])
        assert won(store) == {"spring": ("beta",)}
        played_there = store.finder.results(GameSearch("spring", worker="lab3"))
        store.make_void([result.id or 0 for result in played_there], "no reason")
        assert won(store) == {}
        alpha, beta = game.result.players
        players = replace(alpha, rank=1, points=1.0), replace(beta, rank=2, points=0.0)
        store.add_games([replace(game, result=replace(game.result, players=players))])
        assert won(store) == {"spring": ("alpha",)}


def won(store: Store) -> dict[str, tuple[str, ...]]:
    return {name: finish.winners for name, finish in finishes(store).items()}


def test_all_numbers_of_a_page_are_of_one_moment_while_games_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(new_store(tmp_path / "arena.db", "spring")) as store:
        first, *later = [
            replace(one, result=replace(one.result, key=f"{number}")) for number, one in enumerate(spring())
        ]
        store.add_games([first])
        tournament = Databases([store]).tournaments()[0]

        def as_it_is_stored(read: Callable[..., Any]) -> Callable[..., Any]:
            def reads(*args: Any, **more: Any) -> Any:
                if later:
                    store.add_games([later.pop(0)])
                return read(*args, **more)

            return reads

        reads = (Store, "tally"), (Store, "results"), (RatingLists, "scored"), (Store, "marks")
        for owner, name in reads:
            monkeypatch.setattr(owner, name, as_it_is_stored(getattr(owner, name)))
        view = tournament.view()
        (section,) = view.sections
        (rated,) = {row.games for row in section.ranking.lines}
        counts = (
            view.facts.games,
            section.results.tally.total(),
            len(view.recent),
            rated,
            len(section.results.samples),
        )
        assert set(counts) == {1}
        assert section.statistics.summary.startswith("1 game played")
        assert not later


def test_games_that_became_void_while_the_server_runs_are_counted_no_more(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("spring", {})
        store.add_games([replace(game, worker="lab3" * (game.result.number == 2)) for game in spring()])
        tournament = Databases([store]).tournaments()[0]
        view = tournament.view()
        assert (view.facts.void, view.facts.forfeits) == (0, 1)
        assert engine_view(store, "gamma", "spring").forfeit_count == 1
        played_there = store.finder.results(GameSearch("spring", worker="lab3"))
        store.make_void([result.id or 0 for result in played_there], "no reason")
        wait_for(lambda: tournament.view().facts.void == 1, "the void game is not seen")
        assert tournament.view().facts.forfeits == 0
        assert engine_view(store, "gamma", "spring").forfeit_count == 0


def test_without_a_script_a_running_tournament_is_live_and_leads_to_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = LiveGame(Pairing(4, "k", "quoridor", ("a", "<b>")), plies=(Ply(0, "e2", 5),))
    with closing(new_store(tmp_path / "arena.db", "cup")) as store:
        run = RunState("cup", str(store.address), games={"k": running}, slots=1)
        monkeypatch.setattr(Broadcast, "run_of", lambda *_: run)
        with client_of(store) as client:
            address = page_of(client)
            page, game = client.get(address).text, client.get(f"{address}running/5").text
            monkeypatch.setattr(Broadcast, "run_of", lambda *_: None)
            later = client.get(address).text
    assert '<span id="status" class="tag good">live</span>' in page
    assert f'<a href="{address}running/5">a – &lt;b&gt;</a>' in page
    assert '<span class="tag good">live</span>' in game
    assert 'id="ply=1"' in game
    assert 'class="board' in game
    assert "live</span>" not in later
    assert "Playing now" not in later


def test_beside_a_large_board_the_first_engine_of_the_file_is_on_the_left_and_the_opening_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plies = (Ply(0, "e3", 5, "cp 30", thought=Thought(pv="e3 e7")), Ply(1, "e7", 5, "cp 10"))
    pairing = Pairing(1, "k", "quoridor", ("b", "a"), Opening(None, ("e2", "e8"), "side gate"))
    run = RunState("cup", "", games={"k": LiveGame(pairing, plies=plies)}, slots=1)
    outline = plan("round-robin", {"quoridor": ("a", "b")}).encode()
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("cup", {}, outline)
        monkeypatch.setattr(Broadcast, "run_of", lambda *_: run)
        with client_of(store) as client:
            address = f"{page_of(client)}running/2?watch"
            beside = client.get(address).text
            ended = played("quoridor", ("b", "a"), 1)
            store.add_games(
                [replace(ended, opening=pairing.opening, record=plies, result=replace(ended.result, key="k"))]
            )
            monkeypatch.setattr(Broadcast, "run_of", lambda *_: None)
            after = client.get(address).text
    duel, moves, plot = re.split('class="card (?:moves|plots)', beside)
    columns = '<svg[^\n]*(a)</th><td class="score"></td><th[^\n]*(b)</th>'
    assert re.search(columns, duel)
    assert re.findall("<td>([^<]*)</td><th scope=.row.>score", duel) == ["+0.10"]
    assert duel.index('aria-label="a"') < duel.index('aria-label="b"')
    assert moves.index(">b<") < moves.index(">a<")  # by seats
    assert "<span>opening side gate · ply 2</span>" in plot
    assert 'class="before"' in plot
    assert "<span>opening side gate · ply " in after


def test_the_first_page_says_what_it_is_and_shows_games_in_their_middle(
    client: TestClient, tmp_path: Path
) -> None:
    page = client.get("/").text
    assert "Here programs play board games against each other" in page
    assert '<a href="/docs/">Docs</a>' in page
    tiles = page.partition('<ul class="shelf">')[2].partition("</ul>")[0]
    start = draw("quoridor", game("quoridor").start()).small()
    assert "".join(start.items) not in tiles
    assert "<b>Quoridor, two players</b>" in tiles  # nobody can play on this server
    with closing(Store.open(tmp_path / "arena.db", create=True)) as empty:
        databases = Databases([empty], patience=60)
        routes = Pages(databases, Broadcast(databases), {}, sample_offer()).routes()
        with TestClient(Starlette(routes=routes), base_url="http://localhost", backend="trio") as playing:
            assert '<a href="/play/?game=hops">Play HOPS, the ball game</a>' in playing.get("/").text


LANDMARKED = (
    "",
    "/engines",
    "/engine?name=alpha",
    "/words",
    "/search?q=alpha",
    f"/tournaments/{SPRING}/",
    f"/tournaments/{SPRING}/engine?name=alpha",
    f"/tournaments/{SPRING}/pair?game=quoridor&engine=beta&opponent=alpha",
    f"/tournaments/{SPRING}/games",
    f"/tournaments/{SPRING}/games/1.html",
)


@pytest.mark.parametrize("address", LANDMARKED)
def test_a_page_has_each_landmark_once_and_no_link_without_a_text(client: TestClient, address: str) -> None:
    page = client.get(address or "/").text
    texts = dict(re.findall(r'id="([^"]+)">([^<]*)<', page))
    landmarks = re.findall(r'<(section|nav|form)\b[^>]* aria-(label|labelledby)="([^"]*)"', page)
    names = [(tag, texts.get(name, name) if how == "labelledby" else name) for tag, how, name in landmarks]
    assert landmarks
    assert [name for name in set(names) if names.count(name) > 1] == []
    assert 'role="region"' not in page
    assert re.findall(r"<a [^>]*>\s*</a>", page.replace('id="now"', ">")) == []


def test_a_tournament_without_games_has_a_page(tmp_path: Path) -> None:
    store = new_store(tmp_path / "arena.db", "spring")
    with client_of(store) as client:
        page = client.get(page_of(client))
        assert page.status_code == 200
        assert "No games yet" in page.text
    store.close()


def test_a_value_rests_while_games_are_stored_and_is_computed_again_later(
    tmp_path: Path, monkeypatch: Any
) -> None:
    store = Store.open(tmp_path / "arena.db", create=True)
    database, now, version = ServedDatabase(1, store), [0.0], ["a"]
    monkeypatch.setattr("arena.web.server.databases.time.monotonic", lambda: now[0])
    monkeypatch.setattr(Store, "version", property(lambda _: version[0]))
    computed = []

    def compute(_: Store) -> int:
        now[0] += 10
        computed.append(now[0])
        return len(computed)

    assert database.computed("x", compute, rest=3) == 1
    version[0] = "b"
    now[0] = 39.9
    assert database.computed("x", compute, rest=3) == 1
    now[0] = 40
    assert database.computed("x", compute, rest=3) == 2
    now[0] = 1000
    assert database.computed("x", compute, rest=3) == 2  # nothing was stored
    store.close()


def test_the_first_page_has_tournaments_and_ratings(client: TestClient) -> None:
    page = client.get("/").text
    listed = client.get("/api/tournaments").json()
    assert re.findall(r'<th scope="row" class="name"><a href="(/tournaments[^"]*)">', page) == [
        one["url"] for one in listed
    ]
    rankings = [one["ranking"] for one in client.get("/api/ratings").json()]
    best = [row["engine"] for ranking in rankings for row in ranking if row["rank"] == 1]
    assert re.findall(r'<tr><td>1</td><th scope="row" class="name"><a[^>]*>([^<]*)', page) == best


def test_the_page_of_forty_engines_is_packed_and_with_all_that_it_loads_at_most_60_kb(tmp_path: Path) -> None:
    rng = Random(40)
    names = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz-", k=rng.randrange(4, 14))) for _ in range(40)]
    pairs = [pair for pair in combinations(names, 2) for _ in range(rng.randrange(1, 5))]
    store = new_store(tmp_path / "arena.db", "cup")
    samples = [played("hops", ("a", "b"), number, plies=2) for number in range(9)]
    assert {sample.result.players[0].rank for sample in samples} == {1, 2}

    def game_of(pair: tuple[str, str], number: int) -> GameRecord:
        sample = rng.choice(samples)
        players = tuple(
            replace(one, name=name) for one, name in zip(sample.result.players, pair, strict=True)
        )
        result = replace(sample.result, number=number, key=f"hops:{number}", players=players)
        return replace(sample, result=result)

    store.add_games([game_of(pair, number) for number, pair in enumerate(pairs)])
    sizes: dict[str, int] = {}

    def load(address: str) -> None:
        if address not in sizes:
            answer = client.get(address)
            sizes[address] = int(answer.headers["content-length"])
            loaded = r'(?:src=|rel="stylesheet" href=|from |import\()"([^"]+\.(?:js|css))"'
            for found in re.findall(loaded, answer.text):
                load(urljoin(address, found))

    with client_of(store) as client:
        load(client.get("/api/tournaments").json()[0]["url"])
    store.close()
    assert {"/style.css", "/live.js", "/boards.js", "/streams.js"} <= sizes.keys()
    assert sum(sizes.values()) <= 60_000


def test_the_first_page_has_the_upset_the_shortest_win_and_the_closest_race(tmp_path: Path) -> None:
    names = ("alpha", "beta", "gamma")
    engines = "".join(f'[[engines]]\nname = "{name}"\ncommand = "true"\n' for name in names)
    file = tmp_path / "t.toml"
    file.write_text(f'name = "spring"\ngame = "quoridor"\ngames_per_pairing = 2\n{engines}')
    with closing(Store.open(tmp_path / "arena.db", create=True)) as store:
        store.begin_tournament("spring", load(file).settings(), load(file).plan.encode())
        store.add_games(spring())
        with client_of(store) as client:
            page = client.get("/").text
    part = page.partition('id="remarkable"')[2].partition("</section>")[0]
    assert re.findall(r"<h3>([^<]*)</h3><p><a href=.*-[a-z0-9]{6}/([^\"]*).>([^<]*)</a></p>", part) == [
        ("Upset", "games/1.html", "beta beats alpha"),
        ("Shortest win", "games/1.html", "beta wins"),
        ("Closest race", "", "alpha 3, beta 2½"),
    ]


@pytest.mark.parametrize(
    ("wanted", "kind", "to"),
    [
        ("bet", "Engines", "/engine?name=beta"),
        ("beta - ALPHA", "Pairs", f"/tournaments/{SPRING}/pair?game=quoridor&engine=beta&opponent=alpha"),
        ("spri", "Tournaments", f"/tournaments/{SPRING}/"),
        ("sandbox", "Documentation", "/docs/containers#the-sandbox"),
    ],
)
def test_the_search_finds_engines_pairs_tournaments_and_the_documentation(
    client: TestClient, wanted: str, kind: str, to: str
) -> None:
    page = client.get("/search", params={"q": wanted}).text
    part = page.partition(f">{kind}</h2>")[2].partition("</section>")[0].replace("&amp;", "&")
    assert f'<a href="{to}">' in part


def test_the_search_leads_to_the_only_game_with_a_number_and_says_what_it_takes(client: TestClient) -> None:
    found = client.get("/search", params={"q": "#2"}, follow_redirects=False)
    assert (found.status_code, found.headers["location"]) == (303, f"/tournaments/{SPRING}/games/2.html")
    for wanted in ("", "999999999999999999", "<b> - <i>", "a - b - c"):
        page = client.get("/search", params={"q": wanted})
        assert page.status_code == 200
        assert "the number of a game" in page.text


@pytest.mark.parametrize(
    ("course", "words"),
    [
        ([(0, {}), (2, {"a": 1, "b": 2}), (6, {"a": 3, "b": 2})], "up from 2 in the last 4 games"),
        ([(2, {"a": 2, "b": 1}), (3, {"a": 2, "b": 4, "c": 9})], "down from 1 in the last 1 game"),
        ([(2, {"a": 2, "b": 1}), (3, {"a": 2, "b": 2})], ""),
        ([], ""),
    ],
)
def test_an_engines_page_says_how_its_place_changed(course: Course, words: str) -> None:
    assert place_change("a", {"a", "b"}, course) == words
