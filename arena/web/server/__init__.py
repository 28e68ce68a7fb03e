"""`arena serve`: live pages, an API and event streams, from databases and running tournaments.

Handlers that are plain functions may block: Starlette calls each in a thread.

The server stores only games of people, the data of the door, and checkpoints of ratings. Handlers use anyio,
so the program that serves them (`app`) can be exchanged. See `docs/explanation/architecture.md`.
"""
