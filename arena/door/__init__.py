"""The door: people hand in engines, which are built, checked, tried and entered in a running tournament.

`tokens` and `archive` are pure. `understanding` finds out what a submission is, `folder` stores it on the
disk, `arena.store.door` stores everything else. `worker` takes submissions from the database, and builds and
starts them, always in the sandbox. The pages are in `arena.web.server.door`; they start nothing.
"""
