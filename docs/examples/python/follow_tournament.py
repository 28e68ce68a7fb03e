"""Follow a running tournament: print each result as it comes, and the table at the end.

python follow_tournament.py http://127.0.0.1:8321 league-k3f9x2
"""

import json
import sys
from collections.abc import Iterator
from urllib.request import Request, urlopen


def events(server: str, tournament: str, last: str = "") -> Iterator[tuple[str, str, dict]]:
    """Yield the number, the kind and the data of each event."""
    address = f"{server}/api/tournaments/{tournament}/events"
    with urlopen(Request(address, headers={"Last-Event-ID": last})) as stream:
        event = {}
        for line in stream:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
            elif "data" in event:
                yield event["id"], event["event"], json.loads(event["data"])
                event = {}


def main(server: str, tournament: str) -> None:
    """Follow a tournament until nobody plays it any more."""
    for _, kind, data in events(server, tournament):
        if kind == "over":
            print(f"{data['key']}: {data['text']}", flush=True)
        with urlopen(f"{server}/api/tournaments/{tournament}") as answer:
            state = json.load(answer)
        if state["status"] != "running":
            break
    for game in state["standings"]["games"]:
        for row in game["ranking"]:
            print(f"{game['game']}: {row['engine']} {row['points']:g}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
