"""How a submission is built and started is found out from its files."""

import pytest

from arena.door.upload import SourceFile, understand
from arena.engine_templates import LANGUAGES, write_engine
from arena.errors import ArenaError
from referee import game


def files(*paths, manifest=None):
    files = [SourceFile(path, b"") for path in paths]
    return files if manifest is None else [*files, SourceFile("engine.toml", manifest.encode())]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_new_engine_writes_is_understood(tmp_path, language):
    written = write_engine(tmp_path / "bot", language, game("quoridor").info)
    files = [SourceFile(str(path.relative_to(tmp_path / "bot")), b"") for path in written]
    plan = understand(files, None)
    assert (plan.language, plan.build, " ".join(plan.command)) == (
        language,
        LANGUAGES[language].build,
        LANGUAGES[language].command,
    )


@pytest.mark.parametrize(
    ("name", "build", "command"),
    [
        ("my bot.py", (), ("{python}", "my bot.py")),
        ("deep.c", ("cc -O2 -o engine deep.c -lm -lpthread",), ("./engine",)),
        ("Bot.java", ("javac -encoding UTF-8 Bot.java",), ("java", "-cp", ".", "Bot")),
        ("-x.lua", (), ("lua", "./-x.lua")),
        ("a;b.rs", ("rustc -O -o engine 'a;b.rs'",), ("./engine",)),
    ],
)
def test_one_source_file_of_any_name_is_understood(name, build, command):
    plan = understand(files(name), None)
    assert (plan.build, plan.command) == (build, command)


def test_engine_toml_decides_everything():
    manifest = 'command = "./bot --fast"\nbuild = ["./configure", "make"]\nlanguage = "c"'
    plan = understand(files("a.py", "b.py", manifest=manifest), None)
    assert plan.sentence() == "C (by engine.toml): built by `./configure && make`, started by `./bot --fast`"


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ("comand = 1", "no key 'comand'"),
        ("build = 'make'", "command is missing"),
        ("command = 1", "command must be"),
        ("command = []", "command must be"),
        ("command = '\"'", "command: No closing quotation"),
        ("command = 'remote:bob'", "plays from home by `arena connect`"),
        ("command = ['remote:bob', 'x']", "plays from home by `arena connect`"),
        ("command = 'x'\nbuild = [1]", "build must be"),
        ("command = 'x'\nlanguage = 'cobol'", "language must be"),
        ("command = ", "Invalid value"),
        ("x = " + "[" * 5000, "engine.toml"),
        ("x = " + "1" * 5000, "engine.toml"),
        ("a" + ".a" * 500_000 + " = 1", "more than 10000 bytes"),  # it would take an hour
    ],
)
def test_a_mistake_in_engine_toml_is_named(manifest, sentence):
    with pytest.raises(ArenaError, match=sentence):
        understand(files(manifest=manifest), None)


@pytest.mark.parametrize(
    ("paths", "sentence"), [(("README.md",), "no source file"), (("a.py", "b.py"), "several source files")]
)
def test_what_cannot_be_understood_is_explained(paths, sentence):
    with pytest.raises(ArenaError, match=sentence):
        understand(files(*paths), None)


CLASS = b'''"""A bot
of two lines."""
import random

class MyPlayer(Base):
    def __init__(self, name):
        self.name = name

    def act(self, legal):
        return random.choice(legal)
'''


def test_a_class_without_a_program_is_answered_with_the_engine_toml_that_it_needs():
    with pytest.raises(ArenaError, match=r"my.py has a class MyPlayer and runs nothing") as caught:
        understand([SourceFile("my.py", CLASS)], None)
    assert 'command = "bridge:class my.py:MyPlayer --method act(legal)"' in str(caught.value)
    for line in (b"MyPlayer('x').act()", b"if __name__ == '__main__':\n    pass", b"while True:\n    pass"):
        assert understand([SourceFile("my.py", CLASS + line)], None).command == ("{python}", "my.py")


def test_a_language_that_is_not_allowed_is_refused():
    with pytest.raises(ArenaError, match=r"Python is not allowed in this tournament; allowed: C, Rust"):
        understand(files("bot.py"), ("rust", "c"))
    declared = 'command = "./bot"\nlanguage = "go"'
    with pytest.raises(ArenaError, match=r"Go is not allowed in this tournament; allowed: C, Rust"):
        understand(files("bot.c", manifest=declared), ("rust", "c"))


def test_an_engine_toml_without_a_language_is_no_way_around_the_allowed_ones():
    manifest = 'command = "perl bot.pl"'
    with pytest.raises(ArenaError, match=r"engine.toml: language is missing.*\(C, Rust\).*language = \"c\""):
        understand(files("bot.pl", manifest=manifest), ("rust", "c"))
    assert understand(files("bot.pl", manifest=manifest), None).command == ("perl", "bot.pl")
    declared = f'{manifest}\nlanguage = "c"'
    assert understand(files("bot.pl", manifest=declared), ("rust", "c")).language == "c"


def test_an_unknown_language_is_answered_with_the_allowed_languages():
    manifest = 'command = "bash bot.sh"\nlanguage = "bash"'
    with pytest.raises(ArenaError, match=r"language must be one of c, js$"):
        understand(files("bot.sh", manifest=manifest), ("js", "c"))
    with pytest.raises(ArenaError, match=r"language must be one of python, c, .*js"):
        understand(files("bot.sh", manifest=manifest), None)
