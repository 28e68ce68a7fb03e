"""A database on a PostgreSQL server. Only an address on a server imports this, and psycopg with it."""
