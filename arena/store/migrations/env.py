"""Run by alembic, inside the transaction that `arena.store.schema` began."""

from alembic import context

from arena.store.rows import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite can't alter a column: a batch copies the table
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
