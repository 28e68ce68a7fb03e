"""Tests of the parser of option lines, and of the check of values."""

import pytest

from protocol.wire.options import AdvertisedOption, nearest_option, parse_option


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("name Hash type spin default 16 min 1 max 64", AdvertisedOption("Hash", "spin", "16", 1, 64)),
        ("name Clear Hash type button", AdvertisedOption("Clear Hash", "button")),
        (
            "name Style type combo default very solid var very solid var wild",
            AdvertisedOption("Style", "combo", "very solid", choices=("very solid", "wild")),
        ),
        ("name Book type string default", AdvertisedOption("Book", "string", "")),
        ("name Own type check default true", AdvertisedOption("Own", "check", "true")),
        ("name Clear\tType \t type\tbutton", AdvertisedOption("Clear Type", "button")),
        ("name type type check default true", AdvertisedOption("type", "check", "true")),
        ("name default type spin default 3 min 1 max 5", AdvertisedOption("default", "spin", "3", 1, 5)),
        (
            "name min max type spin min -5 max -1 default -3",
            AdvertisedOption("min max", "spin", "-3", -5, -1),
        ),
        ("name name name type string default name", AdvertisedOption("name name", "string", "name")),
        ("name type type string default type check", AdvertisedOption("type", "string", "type check")),
        ("name a type check type string default b", AdvertisedOption("a type check", "string", "b")),
        ("name string type string type string", AdvertisedOption("string type string", "string")),
        ("name X type button type check default false", AdvertisedOption("X type button", "check", "false")),
        (
            "name Skill type level type spin default 1 min 1 max 2",
            AdvertisedOption("Skill type level", "spin", "1", 1, 2),
        ),
        (
            "name Book type string default my min and max book",
            AdvertisedOption("Book", "string", "my min and max book"),
        ),
        (
            "name var type combo default var var var var normal",
            AdvertisedOption("var", "combo", "var", choices=("var", "normal")),
        ),
        (
            "name Style type combo default default var default var play min",
            AdvertisedOption("Style", "combo", "default", choices=("default", "play min")),
        ),
        (
            "name Style type combo default var a var b",
            AdvertisedOption("Style", "combo", "", choices=("a", "b")),
        ),
        (
            "name Style type combo var a var b default a",
            AdvertisedOption("Style", "combo", "a", choices=("a", "b")),
        ),
        ("name X type spin default 5 min 1 max 9 step 2", AdvertisedOption("X", "spin", "5", 1, 9)),
    ],
)
def test_options_are_read(text, option):
    assert parse_option(text) == option


@pytest.mark.parametrize(
    "text", ["", "name x", "type spin", "name type spin", "name x type wheel", "name x type spin min one"]
)
def test_what_is_no_option_is_an_error(text):
    with pytest.raises(ValueError, match=r"."):
        parse_option(text)


def test_a_line_without_a_name_or_a_known_type_is_quoted():
    with pytest.raises(
        ValueError, match=r"^an option line needs a name and a known type: 'name x type wheel'$"
    ):
        parse_option("name x type wheel")


HASH = AdvertisedOption("Hash", "spin", "16", 1, 64)
STYLE = AdvertisedOption("Style", "combo", "solid", choices=("solid", "wild"))
OWN = AdvertisedOption("Own", "check", "true")


@pytest.mark.parametrize(
    ("option", "value", "sent"),
    [
        (HASH, "32", "32"),
        (HASH, "1", "1"),
        (HASH, "64", "64"),
        (OWN, "True", "true"),
        (STYLE, "WILD", "wild"),
        (OWN, "False", "false"),
        (AdvertisedOption("Go", "button"), "", None),
        (AdvertisedOption("Book", "string"), "any thing", "any thing"),
    ],
)
def test_values_are_sent_as_the_engine_spells_them(option, value, sent):
    assert option.check(value) == sent


@pytest.mark.parametrize(
    ("option", "value", "accepted"),
    [
        (HASH, "0", "a whole number from 1 up to 64"),
        (HASH, "65", "a whole number from 1 up to 64"),
        (HASH, "x", "a whole number from 1 up to 64"),
        (AdvertisedOption("Least", "spin", minimum=1), "0", "a whole number from 1"),
        (AdvertisedOption("Most", "spin", maximum=9), "10", "a whole number up to 9"),
        (STYLE, "mad", "one of solid, wild"),
        (AdvertisedOption("None", "combo"), "mad", "one of nothing, as it announces no `var`"),
        (OWN, "1", "true or false"),
    ],
)
def test_other_values_are_refused_with_those_that_are_accepted(option, value, accepted):
    with pytest.raises(ValueError, match=f"^option {option.name} takes {accepted}, not '{value}'$"):
        option.check(value)


def test_a_misspelt_name_gets_a_hint():
    assert nearest_option("Hsah", (HASH, STYLE)) == "did you mean Hash? it offers Hash, Style"
    assert nearest_option("Threads", ()) == "it offers none"
    assert nearest_option("Contempt", (HASH, STYLE)) == "it offers Hash, Style"
    assert nearest_option("Hass", (HASH,)) == "did you mean Hash? it offers Hash"


def test_a_long_list_of_names_is_cut():
    many = tuple(AdvertisedOption(f"Name{number:02}", "button") for number in range(40))
    names = ", ".join(option.name for option in many[:37])
    assert nearest_option("x", many) == f"it offers {names}, ..."
