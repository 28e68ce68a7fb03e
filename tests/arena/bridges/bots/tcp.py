"""A bot of the kind of bridge:tcp: a message a line. It takes one connection."""

import json
import socket
import sys
import time

port, what = sys.argv[1:]
time.sleep(0.1)  # the bridge must wait for it
with socket.create_server(("127.0.0.1", int(port))) as server:
    connection, _ = server.accept()
    with connection.makefile("rw") as lines:
        for line in lines:
            print("bestmove a1", flush=True)
            message = json.loads(line)
            assert message["request"] == "play"
            if what == "crash":
                raise SystemExit("Segmentation fault of ann")
            if what == "sleep":
                print("Looking 90 plies deep", file=sys.stderr, flush=True)
                time.sleep(60)
            move = "Z9" if what == "illegal" else message["state"]["legal"][-1]
            lines.write(json.dumps({"response": {"move": move}}) + "\n")
            lines.flush()
