"""The command of a bridge: what is wrong in it is told with its place, and the reference has all options."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena import bridges
from arena.bridges.families import FAMILY_VALUES, RECIPES
from arena.bridges.kinds import BRIDGES
from arena.bridges.spelling import PARTS, Spelling
from arena.bridges.values import OF_GAME, VALUES, Moment, Seat
from arena.cli import main
from arena.config import load
from arena.errors import ConfigError
from protocol.engine import Turn
from protocol.process.program import split_command
from referee import game, game_ids
from referee.drawn_board import Scene

PAGE_OF_RECIPES = Path(__file__).parents[3] / "docs/howto/bring-your-bots.md"
PAGE = Path(__file__).parents[3].joinpath("docs/reference/bridges.md").read_text(encoding="utf-8")

WRONG = {
    "bridge:gpt -- bot": "there is no bridge 'gpt'; did you mean gtp?",
    "bridge:zzz": "there is no bridge 'zzz'; use gtp, lines, class, http, tcp",
    "bridge:gtp": "bridge:gtp: the command of the bot is missing; write it after --",
    "bridge:lines --trun x -- bot": "bridge:lines: unrecognized arguments: --trun",
    "bridge:lines --turn {postion} -- bot": "'{postion}': there is no value 'postion'; there are game, size,",
    "bridge:lines --start {text} -- bot": "'{text}': there is no value 'text'; there are game, size,",
    "bridge:gtp --square .* {file} -- bot": "is wrong: '{file}': there is no value 'file'; there are letter,",
    "bridge:gtp --square a( {row} -- bot": "bridge:gtp: a pattern or what replaces it is wrong: missing )",
    "bridge:gtp --move a( b -- bot": "bridge:gtp: a pattern or what replaces it is wrong: missing )",
    "bridge:gtp --sent (a) '\\2' -- bot": "a pattern or what replaces it is wrong: invalid group reference 2",
    "bridge:lines --answer move( -- bot": "a pattern or what replaces it is wrong: missing )",
    "bridge:class --method act bot.py:Bot": "write the file and the class before the options: bot.py:Bot",
    "bridge:gtp --like qpt -- bot": "argument --like: invalid choice: 'qpt' (choose from 'qtp')",
    "bridge:lines --listen 3000 -- bot": "argument --listen: '3000' is no HOST:PORT",
    "bridge:tcp -- bot": "write the HOST:PORT of the bot, or --listen ADDRESS if the bot connects to it",
    "bridge:tcp --like ecam": "the command of the bot is missing; write it after --",
    "bridge:class bot.py:Bot --method act --python ./none": "there is no file",
    "bridge:class bot.py --method act": "the following arguments are required: CLASS",
    "bridge:class bot.py:Bot --method act(txt)": "'act(txt)': there is no value 'txt'; there are game,",
    "bridge:class bot.py:Bot(text) --method act": "CLASS: 'Bot(…)': there is no value 'text'",
    "bridge:class bot.py:Bot --method 1(text)": "'1(text)' is not of the form NAME(VALUE, KEYWORD=VALUE)",
    "bridge:class bot.py:Bot --method act -- ./bot": "bridge:class: the class is the bot, so remove './bot'",
    "bridge:tcp localhost:99999": "'localhost:99999' is no HOST:PORT",
    "bridge:tcp localhost": "ADDRESS: 'localhost' is no HOST:PORT",
    "bridge:http localhost:80": "'localhost:80' is no URL such as http://127.0.0.1:8000/move",
    "bridge:tcp --message {txt} localhost:1": "--message: '{txt}': there is no value 'txt'",
    "bridge:gtp -- ./nothing": "there is no file",
    "bridge:class nothing.py:Bot --method act": "nothing.py; correct the path of the script",
    "bridge:lines -- python3 nothing.py": "nothing.py; correct the path of the script",
}


@pytest.mark.parametrize("command", WRONG)
def test_what_is_wrong_is_told_with_file_line_and_key_and_on_the_command_line(
    command: str, tmp_path: Path
) -> None:
    file = tmp_path / "t.toml"
    quoted = command.replace("\\", "\\\\")
    file.write_text(f'game = "hops"\n[[engines]]\nname = "ann"\ncommand = "{quoted}"\n')
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert f'{file}, line 4: [[engines]] "ann": command: ' in str(caught.value)
    assert WRONG[command] in str(caught.value)
    done = CliRunner().invoke(main, ["play", "hops", "--seat", command, "--seat", "sample:random"])
    assert done.exit_code == 2
    assert WRONG[command] in done.stderr


def test_a_command_without_a_name_in_front_of_a_colon_stays_as_it_is() -> None:
    for command in ((), ("python3", "bridge:gtp"), ("bridges",), ("/bridge:gtp",)):
        assert bridges.expanded(command) == command
        assert bridges.bot_of(command) == []


def test_the_file_of_a_class_is_a_word_of_its_own_and_a_module_is_not_taken_for_one() -> None:
    method = ("--method", "act(text,a=legal)")
    for given, words in {
        ("bots/a.py:Bot",): ("bots/a.py", "Bot"),
        ("{file}:Bot(seat)",): ("{file}", "Bot(seat)"),
        ("bots.a:Bot",): ("bots.a", "Bot"),
        ("a.py", "Bot"): ("a.py", "Bot"),
    }.items():
        python, *rest = bridges.expanded(("bridge:class", *given, *method))
        assert (python, *rest) == ("{python}", "-P", "-m", "arena.bridges.kinds", "class", *words, *method)


# --- the page


def section(title: str) -> str:
    (found,) = re.findall(rf"^## {title}\n(.*?)^## ", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("kind", BRIDGES)
def test_the_page_has_every_option_and_value(kind: str) -> None:
    title = "bridge:tcp and bridge:http" if kind in ("tcp", "http") else f"bridge:{kind}"
    own = section(title) + section("bridge:lines") * (kind == "gtp")
    words = ["x:1"] if kind == "tcp" else ["http://x"] if kind == "http" else ["x", "Y", "--method", "z"]
    given = vars(BRIDGES[kind].read(["x"] if kind in ("gtp", "lines") else words))
    for name in given.keys() - {"bot", "where", "make"}:
        assert f"`--{name}" in own or f"`--{name}" in section("Moves and squares")
    assert kind in bridges.KINDS


def test_the_page_has_every_value_and_every_name_of_a_square() -> None:
    assert re.findall(r"^\| `(\w+)` \| [^|]*\|$", section("Values"), re.MULTILINE) == list(VALUES)
    assert ", ".join(f"`{name}`" for name in OF_GAME[:-1]) + f" and `{OF_GAME[-1]}` are known" in PAGE
    assert " | ".join(f"`{name}`" for name in PARTS) in PAGE


EXAMPLE = r"^\| (`[^|]*) \| (?:`(.*)`)? ?\| `(.*)` \| `(.*)` \| `(.*)` \| `(.*)` \|$"


def test_the_page_has_an_example_of_the_values_of_the_board_for_each_game() -> None:
    rows = re.findall(EXAMPLE, section("Values"), re.MULTILINE)
    ids = [id_ for names, *_ in rows for id_ in re.findall(r"[\w-]+", names)]
    assert sorted(ids) == sorted(game_ids())
    for names, moves, *examples in rows:
        for id_ in re.findall(r"[\w-]+", names):
            rules = game(id_)
            seat = Seat(rules, 0, "white", Spelling([], [], rules.info))
            moment = Moment(seat, Turn(id_, moves=moves.split(), seat=0))
            for name, example in zip(("board", "pawns", "walls", "hands"), examples, strict=True):
                assert json.dumps(getattr(moment, name)).startswith(example.removesuffix("…").strip()), name


def test_a_game_without_a_drawn_board_has_an_empty_one() -> None:
    rules = game("hops")
    bare = Moment(Seat(rules, 0, "white", Spelling([], [], rules.info)), Turn("hops", seat=0))
    bare.scene = Scene({})
    assert (bare.pawns, bare.walls, bare.hands) == ({}, [], [])


def test_the_examples_of_the_page_are_right() -> None:
    lines = [line.partition("-- ")[2] for line in re.findall(r"^arena check (-- .*)$", PAGE, re.MULTILINE)]
    assert len(lines) == 3
    for line in lines:
        assert bridges.expanded(tuple(shlex.split(line)))[0] == "{python}"


def test_the_page_has_every_family_with_its_values_and_a_recipe_on_the_other_page() -> None:
    recipes = PAGE_OF_RECIPES.read_text(encoding="utf-8")
    for kind, families in RECIPES.items():
        for name in families:
            assert re.search(rf"^\\| `bridge:{kind} .*--like {name}`", section("Families"), re.MULTILINE)
            assert re.search(rf'^command = "bridge:{kind} .*--like {name}[ "]', recipes, re.MULTILINE)
    for name in set(FAMILY_VALUES) - set(VALUES):
        assert f"`{name}`" in section("Families")
    (qtp,) = re.findall(r"```text\n(--colors.*?)```", PAGE, re.DOTALL)
    assert qtp.split() == RECIPES["gtp"]["qtp"].split(), "the page has the options of QTP"


def test_the_recipes_are_right() -> None:
    (block,) = re.findall(
        r"^```toml\n# recipes.*?^```$", PAGE_OF_RECIPES.read_text(), re.DOTALL | re.MULTILINE
    )
    engines = tomllib.loads(block.partition("\n")[2].removesuffix("```"))["engines"]
    assert len(engines) == 10
    for table in engines:
        assert bridges.expanded(tuple(split_command(table["command"])))[0] == "{python}"
