"""What a running tournament tells other programs of the same user, such as `arena serve`.

The database has every finished game. A run adds what is not finished: the boards, clocks and plies of the
running games, and what it tells its user. It writes this to a Unix socket; see `docs/explanation/live.md`.
"""
