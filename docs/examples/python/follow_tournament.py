"""Follow a running tournament: print each result as it comes, and the table at the end.

python follow_tournament.py http://127.0.0.1:8321 league-k3f9x2
"""

import http.client
import json
import sys
import time
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

SILENCE = 30.0  # seconds after which a line is dead: the server says something every 5 seconds
PAUSE = 2.0  # seconds between two attempts
PATIENCE = 300.0  # seconds after which a server is given up


def events(server: str, tournament: str) -> Iterator[tuple[str, dict]]:
    """Yield the kind and the data of each event; come back with the last number when the line breaks."""
    address = f"{server}/api/tournaments/{tournament}/events"
    last, heard = "", time.monotonic()
    while time.monotonic() - heard < PATIENCE:
        try:
            with urlopen(Request(address, headers={"Last-Event-ID": last}), timeout=SILENCE) as stream:
                event = {}
                for line in stream:
                    heard = time.monotonic()
                    name, _, value = line.decode().rstrip("\n").partition(": ")
                    if name:
                        event[name] = value
                    elif "id" in event:
                        last = event["id"]
                        yield event["event"], json.loads(event["data"])
                        event = {}
        except HTTPError as error:
            if error.code < 500:  # it will not be better later
                sys.exit(json.load(error)["error"])
        except (OSError, http.client.HTTPException) as error:
            print(f"the line broke: {error}", file=sys.stderr)
        time.sleep(PAUSE)
    sys.exit("the server does not answer any more")


def main(server: str, tournament: str) -> None:
    """Follow a tournament until nobody plays it any more."""
    for kind, data in events(server, tournament):
        if kind == "over" and data["stored"]:
            print(data["says"], flush=True)
        if kind == "state" and not data["running"]:
            break
    with urlopen(f"{server}/api/tournaments/{tournament}", timeout=SILENCE) as answer:
        found = json.load(answer)
    print(f"{found['name']}: {found['status']}, {found['played']} games played")
    for game in found["standings"]["games"]:
        for row in game["ranking"]:
            print(f"{game['game']}: {row['engine']} {row['points']:g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
