"""The door: people hand in engines, which are built, checked, tried and entered in a running tournament.

`upload` reads what is handed in and finds out how it is built and started, `folder` stores it on the disk,
and `register` stores everything else. `worker` takes submissions from the database, and builds and starts
them, always in the sandbox. `asking` plays the games that participants ask for. `connect` and `switchboard`
are the two ends of the line of a bot at home. `desk` and `routes` are what people see; they start nothing.
"""
