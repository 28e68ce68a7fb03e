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
    ],
)
def test_options_are_read(text, option):
    assert parse_option(text) == option


@pytest.mark.parametrize("text", ["", "name x", "type spin", "name x type wheel", "name x type spin min one"])
def test_what_is_no_option_is_an_error(text):
    with pytest.raises(ValueError, match=r"."):
        parse_option(text)


HASH = AdvertisedOption("Hash", "spin", "16", 1, 64)
STYLE = AdvertisedOption("Style", "combo", "solid", choices=("solid", "wild"))
OWN = AdvertisedOption("Own", "check", "true")


@pytest.mark.parametrize(
    ("option", "value", "sent"),
    [
        (HASH, "32", "32"),
        (STYLE, "WILD", "wild"),
        (OWN, "False", "false"),
        (AdvertisedOption("Go", "button"), "", None),
        (AdvertisedOption("Book", "string"), "any thing", "any thing"),
    ],
)
def test_values_are_sent_as_the_engine_spells_them(option, value, sent):
    assert option.check(value) == sent


@pytest.mark.parametrize(
    ("option", "value"), [(HASH, "0"), (HASH, "65"), (HASH, "x"), (STYLE, "mad"), (OWN, "1")]
)
def test_other_values_are_refused_by_name(option, value):
    with pytest.raises(ValueError, match=f"option {option.name} takes"):
        option.check(value)


def test_a_misspelt_name_gets_a_hint():
    assert nearest_option("Hsah", (HASH, STYLE)) == "did you mean Hash? it offers Hash, Style"
    assert nearest_option("Threads", ()) == "it offers none"
