"""A client of a contest whose server calls: a line of JSON each way, and one game in a process."""

import json
import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
    for ply, line in enumerate(server.makefile("r")):
        message = json.loads(line)
        print("ply", ply, file=sys.stderr)
        server.sendall(json.dumps({"move": message["legal"][0]}).encode())
