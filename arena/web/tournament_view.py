"""Compute what the page of a tournament shows, from the database and from the games that were read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.config import PairingPlan
from arena.ended_games import GameScoreCounts
from arena.ratings.lists import rating_list, repeated_games, repeats_note, with_clusters
from arena.ratings.trueskill import history
from arena.store import GameFilter, Store
from arena.tables.crosstable import WIDEST, crosstable, crosstable_view
from arena.tables.format_tables import format_view
from arena.tables.standings import StandingsOrder, points_note, points_table, standings
from arena.tables.statistics import tables as overview
from arena.web.index_section import IndexSection, section_values
from arena.web.links import Links
from arena.web.pages.tournament import TournamentView
from arena.web.tournament_collector import TournamentCollector
from arena.web.views.facts import tournament_facts
from protocol.plurals import counted

__all__ = ["read_section", "tournament_view"]


def read_section(store: Store, tournament: str, game: str, tally: GameScoreCounts) -> IndexSection:
    """Read the results of one game id of a tournament.

    Args:
        store: the database.
        tournament: the name of the tournament.
        game: the game id.
        tally: the scores of its games that count.
    """
    ratings = with_clusters(store, rating_list(store, game, store.tally(game=game)[game]))
    results = store.results(tournament=tournament, game=game)
    view = format_view(store.outline(tournament), game, results)
    return IndexSection(
        game,
        tally,
        crosstable(tally, view.order),
        ratings,
        ratings.fit(),
        repeats_note(repeated_games(store, game, tally, GameFilter(frozenset({tournament}))), tally),
        history([rated.outcome for rated in store.scored(game)], ratings.model),
        view,
    )


def tournament_view(
    name: str,
    plan: PairingPlan | None,
    sections: Sequence[IndexSection],
    collected: TournamentCollector,
    links: Links,
    made: str = "",
) -> TournamentView:
    """Return what the page shows.

    Args:
        name: the name of the tournament.
        plan: its plan; None if it is not known.
        sections: the results of each game id.
        collected: the games.
        links: the links of the page.
        made: when the page was made, in words; "" to leave it out.
    """
    values = [
        section_values(
            section, collected.statistics[section.game], collected.recent[section.game], plan, links
        )
        for section in sections
    ]
    tallies = {section.game: section.tally for section in sections}
    over = bool(values) and all(one["over"] for one in values)
    facts = tournament_facts(plan, tallies, collected.every, over=over)
    overall = _overall(tallies, collected, sections[-1].format.order) if len(sections) > 1 else None
    return TournamentView(name, made, values, facts, overall)


def _overall(
    tallies: dict[str, GameScoreCounts], collected: TournamentCollector, order: StandingsOrder
) -> dict[str, Any]:
    """Return the template's values for the section of all game ids together."""
    all_games = GameScoreCounts()
    for tally in tallies.values():
        all_games.update(tally)
    table, statistics = crosstable(all_games, order), collected.overall
    return {
        "summary": f"{counted(len(tallies), 'game id')}; {overview.summary(statistics)}",
        "standings": points_table(standings(all_games, order), order),
        "standings_note": points_note(order),
        "crosstable": crosstable_view(table).whole() if len(table.names) <= WIDEST else None,
        "crosstable_note": table.note,
        "seats": overview.seats_table(statistics, None),
        "seats_note": overview.ALL_SEATS_NOTE,
        "forfeits": overview.forfeits_table(all_games),
        "forfeits_note": overview.FORFEITS_NOTE,
        "ends": overview.ends_table(statistics),
        "ends_note": overview.ENDS_NOTE,
        "times": overview.times_table(statistics),
        "times_note": overview.TIMES_NOTE,
    }
