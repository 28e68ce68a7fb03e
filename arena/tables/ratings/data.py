"""Rating lists as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.tables.ratings.tables import fit_data, ranking_data, settings_data

if TYPE_CHECKING:
    from arena.ratings.fit import Fit
    from arena.ratings.fit_check import FitCheck
    from arena.ratings.lists import RatingList
    from arena.tables.ratings.ranking import RankingRow

__all__ = ["rating_data"]


def rating_data(
    rated: RatingList,
    rows: Sequence[RankingRow],
    best: Fit | None,
    check: FitCheck | None,
    *,
    counted: object,
    repeated: int | None,
    superiority: bool = False,
) -> dict[str, object]:
    """Return a rating list as `arena ratings --json` prints it.

    Args:
        rated: the list.
        rows: its ranking.
        best: the fit of Elo; None if nothing can be fitted.
        check: how well the fit explains the games.
        counted: which games were counted.
        repeated: how many games repeat earlier ones; None if that was not counted.
        superiority: whether to add the likelihood of superiority of each pair.
    """
    return {
        "game": rated.game,
        "counted": counted,
        "repeated": repeated,
        "ranking": ranking_data(rows, best),
        "fit": fit_data(best, check, superiority=superiority),
        "settings": settings_data(rated),
    }
