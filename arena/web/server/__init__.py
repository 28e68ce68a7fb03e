"""`arena serve`: live pages, an API and event streams, from databases and running tournaments.

The server stores only games of people, the data of the door, and checkpoints of ratings. Handlers use anyio,
so the program that serves them (`app`) can be exchanged. See `docs/explanation/live.md`.
"""
