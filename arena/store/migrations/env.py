"""The environment of the migrations: alembic runs it in the transaction of `arena.store.database`."""

from alembic import context

from arena.store.rows import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite cannot alter a column, so a batch copies the table
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
