"""Create all tables."""

import sqlalchemy as sa
from alembic import op

from arena.store.rows import TEXT, WHOLE

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "tournament",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("remote", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tournament"),
        sa.UniqueConstraint("name", name="uq_tournament_name"),
    )
    op.create_table(
        "engine",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("version", TEXT, nullable=False),
        sa.Column("program", TEXT, nullable=False),
        sa.Column("options", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_engine"),
    )
    identity = ["name", "version", "program", "options"]
    op.create_index("uq_engine_name_version_program_options", "engine", identity, unique=True)
    _create_game()
    _create_player()
    _create_record()
    _create_ratings()
    _create_door()


def _create_game() -> None:
    op.create_table(
        "game",
        sa.Column("id", WHOLE, nullable=False, autoincrement=False),
        sa.Column("tournament_id", WHOLE, nullable=False),
        sa.Column("number", WHOLE, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("game", TEXT, nullable=False),
        sa.Column("termination", TEXT, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("detail", TEXT, nullable=False),
        sa.Column("plies", WHOLE, nullable=False),
        sa.Column("opening", TEXT, nullable=False),
        sa.Column("started", sa.Float(), nullable=False),
        sa.Column("duration", WHOLE, nullable=False),
        sa.Column("worker", TEXT, nullable=False),
        sa.Column("scale", sa.Float(), nullable=False),
        sa.Column("checksum", WHOLE, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_game"),
        sa.CheckConstraint("plies >= 0", name=op.f("ck_game_plies")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_game_tournament_id"),
    )
    op.create_index(
        "uq_game_scored_key",
        "game",
        ["tournament_id", "key"],
        unique=True,
        sqlite_where=sa.literal_column("termination != 'void'"),
        postgresql_where=sa.literal_column("termination != 'void'"),
    )


def _create_player() -> None:
    op.create_table(
        "player",
        sa.Column("game_id", WHOLE, nullable=False),
        sa.Column("seat", WHOLE, nullable=False),
        sa.Column("engine_id", WHOLE, nullable=False),
        sa.Column("rank", WHOLE),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("forfeit", TEXT),
        sa.Column("time_control", TEXT, nullable=False),
        sa.Column("margin", WHOLE, nullable=False),
        sa.Column("time_used", WHOLE, nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_player"),
        sa.CheckConstraint("seat >= 0", name=op.f("ck_player_seat")),
        sa.CheckConstraint("rank >= 1", name=op.f("ck_player_rank")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_player_game_id"),
        sa.ForeignKeyConstraint(["engine_id"], ["engine.id"], name="fk_player_engine_id"),
        sqlite_with_rowid=False,
    )


def _create_record() -> None:
    op.create_table(
        "record",
        sa.Column("game_id", WHOLE, nullable=False),
        sa.Column("opening_position", TEXT),
        sa.Column("opening_moves", sa.JSON(), nullable=False),
        sa.Column("moves", sa.JSON(), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("times", sa.JSON(), nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("depths", sa.JSON(), nullable=False),
        sa.Column("final_position", TEXT, nullable=False),
        *(sa.Column(name, sa.JSON()) for name in ("nodes", "nps", "seldepths", "hashfulls", "pvs")),
        sa.PrimaryKeyConstraint("game_id", name="pk_record"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_record_game_id"),
    )


def _create_ratings() -> None:
    op.create_table(
        "rating_list",
        sa.Column("game", TEXT, nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_rating_list"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("game", TEXT, nullable=False),
        sa.Column("model", TEXT, nullable=False),
        sa.Column("games", WHOLE, nullable=False),
        sa.Column("tournament_id", WHOLE, nullable=False),
        sa.Column("number", WHOLE, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("duration", WHOLE, nullable=False),
        sa.Column("ratings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("game", "model", "games", name="pk_checkpoint"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_checkpoint_tournament_id"),
    )


def _create_door() -> None:
    op.create_table(
        "door_participant",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("tournament", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("token", TEXT, nullable=False),
        sa.Column("role", TEXT, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_door_participant"),
        sa.UniqueConstraint("tournament", "name", name="uq_door_participant_tournament_name"),
        sa.UniqueConstraint("token", name="uq_door_participant_token"),
    )
    op.create_table(
        "door_submission",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("participant_id", WHOLE, nullable=False),
        sa.Column("version", WHOLE, nullable=False),
        sa.Column("digest", TEXT, nullable=False),
        sa.Column("filename", TEXT, nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("problem", TEXT, nullable=False),
        sa.Column("attempts", WHOLE, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("ended", sa.Float()),
        sa.PrimaryKeyConstraint("id", name="pk_door_submission"),
        sa.UniqueConstraint("participant_id", "version", name="uq_door_submission_participant_id_version"),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["door_participant.id"], name="fk_door_submission_participant_id"
        ),
    )
    op.create_table(
        "door_line",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("tournament", TEXT, nullable=False),
        sa.Column("submission_id", WHOLE),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_door_line"),
        sa.ForeignKeyConstraint(["submission_id"], ["door_submission.id"], name="fk_door_line_submission_id"),
    )
    op.create_index("ix_door_line_submission_id", "door_line", ["submission_id"])
    op.create_table(
        "door_request",
        sa.Column("id", WHOLE, nullable=False),
        sa.Column("participant_id", WHOLE, nullable=False),
        sa.Column("state", TEXT, nullable=False),
        sa.Column("game", TEXT, nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("attempts", WHOLE, nullable=False),
        sa.Column("problem", TEXT, nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_door_request"),
        sa.ForeignKeyConstraint(
            ["participant_id"], ["door_participant.id"], name="fk_door_request_participant_id"
        ),
    )
