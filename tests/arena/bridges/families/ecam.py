"""A bot of ECAM's contest: it subscribes, and then the server connects to it for each move."""

import json
import socket
import struct
import sys


def send(connection, value):
    data = json.dumps(value).encode()
    connection.sendall(struct.pack("I", len(data)) * FRAMED + data)


def receive(connection):
    if FRAMED:
        (length,) = struct.unpack("I", connection.recv(4))
        data = b""
        while len(data) < length:
            data += connection.recv(1024)
        return json.loads(data)
    return json.loads(connection.recv(1 << 16))


FRAMED = sys.argv[2] == "framed"
with socket.create_server(("127.0.0.1", 0)) as own:
    with socket.create_connection(("localhost", int(sys.argv[1]))) as runner:
        port = own.getsockname()[1]
        send(runner, {"request": "subscribe", "port": port, "name": "Toy", "matricules": ["1"]})
        assert receive(runner) == {"response": "ok"}
    while True:
        connection, _ = own.accept()
        with connection:
            state = receive(connection)["state"]
            me, board = state["current"], state["board"]
            place = next((row, line.index(me)) for row, line in enumerate(board) if me in line[::2])
            step = 2 if me == 0 else -2
            if state["blockers"] == [10, 10] and board[5][4] == board[5][6] == 3:
                move = {"type": "blocker", "position": [[5, 6], [5, 4]]}
            else:
                tries = [(place[0] + step, place[1]), (place[0], place[1] - 2), (place[0], place[1] + 2)]
                row, column = next(
                    (row, column)
                    for row, column in tries
                    if 0 <= column < 17
                    and board[row][column] == 2
                    and board[(row + place[0]) // 2][(column + place[1]) // 2] == 3
                )
                move = {"type": "pawn", "position": [[row, column]]}
            send(connection, {"response": "move", "move": move, "message": "hop"})
