"""The keys of each format in a tournament file, and the messages about wrong combinations."""

import os
import sys

import pytest

from arena.config import load
from arena.config.loader import FileWatch
from arena.errors import ConfigError
from arena.formats.plan import Plan
from arena.ratings.sprt import Sprt
from tests.arena.formats.playing import plan

QUORIDOR = 'game = "quoridor"'


@pytest.fixture
def read(tmp_path):
    def read(*lines, engines="abc", game=QUORIDOR):
        tables = [f'[[engines]]\nname = "{name}"\ncommand = ["{sys.executable}"]' for name in engines]
        file = tmp_path / "cup.toml"
        file.write_text("\n".join([game, *lines, *tables]))
        return load(file)

    return read


def test_without_a_format_it_is_a_round_robin(read):
    assert read().plan == plan("round-robin", {"quoridor": "abc"}, pairing_openings="own")


@pytest.mark.parametrize(
    ("lines", "engines", "expected"),
    [
        (['pairing_openings = "same"'], "abc", {"pairing_openings": "same"}),
        (['format = "gauntlet"'], "abc", {"seeds": ("a",), "pairing_openings": "same"}),
        (['format = "gauntlet"', 'seeds = ["c", "a"]'], "abc", {"seeds": ("c", "a")}),
        (['format = "swiss"', "rounds = 3", "games_per_pairing = 1"], "abc", {"rounds": 3}),
        (['format = "swiss"', "rounds = 3"], "abcd", {"rounds": 3}),
        (['format = "match"', "max_games = 7"], "ab", {"max_games": 7, "sprt": None}),
        (
            ['format = "match"', "sprt = { elo0 = -1.5, elo1 = 300 }"],
            "ab",
            {"max_games": None, "sprt": Sprt(-1.5, 300.0, 0.05, 0.05)},
        ),
        (
            ['format = "match"', 'sprt = { elo0 = -200, elo1 = 200, model = "normalized" }'],
            "ab",
            {"sprt": Sprt(-200.0, 200.0, model="normalized")},
        ),
        (
            ['format = "match"', "max_games = 2", 'openings = { kind = "random", plies = 2 }'],
            "ab",
            {"first": "turns"},
        ),
        (
            ['format = "match"', "max_games = 8", "sprt = { elo0 = 0, elo1 = 5, alpha = 0.1, beta = 0.2 }"],
            "ab",
            {"sprt": Sprt(0.0, 5.0, 0.1, 0.2)},
        ),
        (['format = "ladder"'], "abc", {"max_games": None}),
        (['format = "knockout"', "games_per_pairing = 4"], "abc", {"games_per_pairing": 4}),
    ],
)
def test_each_format_has_its_keys(read, lines, engines, expected):
    made = read(*lines, engines=engines).plan
    assert {key: getattr(made.keys, key) for key in expected} == expected
    assert Plan.stored(made.encode()) == made


STAGES = """format = "stages"

[[stages]]
name = "pools"
format = "round-robin"
{first}

[[stages]]
format = {second}
"""

OF_THREE = {
    "rounds = 3": 'line 2: rounds: this key is only for format = "swiss", but here format',
    'format = "match"\ngames_per_pairing = 2': "line 3: games_per_pairing: this key is only for format",
    'format = "gauntlet"\nseeds = ["x"]': "line 3: seeds, item 1: there is no engine 'x'",
    'format = "gauntlet"\nseeds = ["a", "a"]': "seeds, item 2: 'a' is in the list twice",
    'format = "gauntlet"\nseeds = []': "seeds: name at least one engine",
    'format = "gauntlet"\nseeds = ["a", "b", "c"]': "only seeds enter quoridor",
    'format = "swiss"': "line 2: format: a Swiss needs rounds, e.g. rounds = 2",
    'format = "swiss"\nrounds = 4': "rounds: 3 engines can play at most 3 rounds of quoridor",
    'format = "match"\nmax_games = 4': "format: a match has two engines, but 3 enter quoridor",
    'format = "stages"': "line 2: format: a tournament in stages needs [[stages]], one for each stage",
    'format = "stages"\nstages = 2': "line 3: stages: write [[stages]], in double brackets, above each stage",
    'format = "stages"\nstages = [{ name = "a" }]': "line 3: stages, item 1: the format is missing",
    "draw = { score = 5 }": 'but here format = "round-robin"; or move it to [adjudication]',
    'stages = [{ format = "swiss" }]': 'line 2: stages: this key is only for format = "stages", but here',
}

OF_A_MATCH = {
    'first = "loser"\nsprt = { elo0 = 0, elo1 = 5 }': "line 3: first: [sprt] needs games in which",
    'first = "loser"\nmax_games = 5\nopenings = { kind = "random", plies = 2 }': "line 5: [openings] kind: ",
    "": "line 2: format: a match needs max_games, e.g. max_games = 100, or a table [sprt]",
    "sprt = { elo0 = 0 }": "sprt: the elo1 is missing",
    "sprt = { elo0 = 5, elo1 = 5 }": "sprt] elo1: this must be greater than elo0, 5, not 5",
    "sprt = { elo0 = 0, elo1 = 5, alpha = 0.5 }": "alpha: this must be more than 0 and less than 0.5",
    "max_games = 5\nsprt = { elo0 = 0, elo1 = 5 }": "line 3: max_games: [sprt] counts pairs of games",
    'sprt = { elo0 = -300, elo1 = 5, model = "normalized" }': "sprt] elo0: with model = ",
    'sprt = { elo0 = 0, elo1 = 201, model = "normalized" }': "sprt] elo1: with model = ",
}

OF_THE_FIRST_STAGE = {
    "engines = 3": "line 7: stages[1].engines: all engines enter the first stage",
    "pools = 2": "line 7: stages[1].pools: 3 engines of quoridor are too few",
    "best_of = 3": 'line 7: stages[1].best_of: this key is only for format = "knockout", but',
    'ties = ["direct", "tme"]': "stages[1].ties, item 2: in a round-robin this must be",
    "pool = 2": "line 7: stages[1].pool: there is no such key; did you mean pools?",
    "plies = 2": "stages[1].plies: this key is in the wrong place; move it to [adjudication] or",
}

OF_A_LATER_STAGE = {
    '"knockout"': "line 9: stages[2].engines: this key is missing: how many of the 3 engines before enter?",
    '"knockout"\nengines = 4': "line 11: stages[2].engines: only 3 engines of quoridor are in the stage",
    '"knockout"\nengines = 2\nbest_of = 3\ngames_per_pairing = 2': "line 12: stages[2].best_of: the stage",
    '"knockout"\nengines = 2\nties = ["direct"]': 'item 1: in a knockout this must be "game" or "time" or',
    '"ladder"\nengines = 2': 'line 10: stages[2].format: this must be "round-robin" or "gauntlet" or',
    '"swiss"\nengines = 3': "line 10: stages[2].format: a Swiss needs rounds",
    '"swiss"\nengines = 3\nrounds = 7': "line 12: stages[2].rounds: 3 engines can play at most 3 rounds",
}

QUARTETS = {
    'format = "gauntlet"': 'gauntlet is for games of two: use "round-robin" or "ladder"',
    'format = "swiss"\nrounds = 1': 'swiss is for games of two: use "round-robin" or "ladder"',
    'format = "knockout"': 'knockout is for games of two: use "round-robin" or "ladder"',
    'format = "match"\nmax_games = 2': 'match is for games of two: use "round-robin" or "ladder"',
    'format = "stages"\nstages = [{ format = "knockout", ties = ["time"] }]': "is for 4 players; knockout",
    'format = "stages"\nstages = [{ format = "round-robin", ties = ["game"] }]': "4 players; a deciding",
}

SECOND = '"knockout"\nengines = 2'

MISTAKES = [
    *((lines, "abc", words) for lines, words in OF_THREE.items()),
    *((f'format = "match"\n{lines}', "ab", words) for lines, words in OF_A_MATCH.items()),
    *((STAGES.format(first=line, second=SECOND), "abc", words) for line, words in OF_THE_FIRST_STAGE.items()),
    *((STAGES.format(first="", second=lines), "abc", words) for lines, words in OF_A_LATER_STAGE.items()),
    *((lines, "abcdefgh", words) for lines, words in QUARTETS.items()),
    ('format = "swiss"\nrounds = 4', "abcd", "rounds: 4 engines can play at most 3 rounds of quoridor"),
    (
        'format = "swiss"\nrounds = 1\ngames_per_pairing = 50001',
        "abcd",
        "line 4: games_per_pairing: with 4 engines in quoridor this must be at most 50000 in a swiss",
    ),
]


@pytest.mark.parametrize(("lines", "engines", "words"), MISTAKES, ids=[words for *_, words in MISTAKES])
def test_keys_that_do_not_go_together_are_named_with_their_line(read, lines, engines, words):
    game = 'game = "quoridor4"' if len(engines) == 8 else QUORIDOR
    with pytest.raises(ConfigError) as caught:
        read(lines, engines=engines, game=game)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# -- changes of a file while its tournament runs -------------------------------------------------------------


def touch(spec, ns):
    os.utime(spec.path, ns=(ns, ns))


def test_a_file_that_has_changed_is_read_once(read):
    spec = read('format = "ladder"')
    watch = FileWatch(spec)
    assert watch.changed() is None
    read('format = "ladder"', engines="abcd")
    touch(spec, 1)
    changed = watch.changed()
    assert changed is not None
    assert [entry.spec.name for entry in changed.engines] == ["a", "b", "c", "d"]
    assert watch.changed() is None
    touch(spec, 2)
    assert watch.changed() is None  # the values are the same


def test_a_file_that_is_wrong_is_reported_once_and_the_next_change_counts_again(read):
    spec = read('format = "ladder"')
    watch = FileWatch(spec)
    spec.path.write_text("game = ")
    with pytest.raises(ConfigError, match="this is not TOML"):
        watch.changed()
    assert watch.changed() is None
    read('format = "ladder"', engines="abcd")
    touch(spec, 3)
    assert watch.changed() is not None
    spec.path.unlink()
    with pytest.raises(ConfigError, match="there is no such file"):
        watch.changed()
