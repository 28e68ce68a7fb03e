"""A bot that is a server of JSON, a message a line."""

import json
import socket
import sys

from choose import choose

with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    connection, _ = server.accept()
    with connection.makefile("rw") as lines:
        for line in lines:
            asked = json.loads(line)
            move = choose(asked["legal"], asked["player"], walls=0.1)
            lines.write(json.dumps({"move": move}) + "\n")
            lines.flush()
