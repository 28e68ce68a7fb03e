"""A bot of IIT Delhi's contest: a client that sends numbers without a newline."""

import socket
import sys

server = socket.create_connection((sys.argv[1], int(sys.argv[2])))


def heard():
    data = server.recv(1023)
    if not data:
        raise SystemExit
    return data.decode().split()


player, rows, columns, walls, seconds = map(int, heard())
row, step = (1, 1) if player == 1 else (rows, -1)
column = (columns + 1) // 2
other = (rows + 1 - row, column)
taken = set()
first = player == 1
while True:
    if not first:
        kind, *place, going = map(int, heard())
        assert going == 3
        if kind == 0:
            other = tuple(place)
        else:
            taken.add((kind, *place))
    first = False
    target = (row + step, column)
    low = max(row, row + step)  # the wall between two rows has the number of the upper one
    blocked = (1, low, column) in taken or (1, low, column + 1) in taken or target == other
    if blocked:
        column += -1 if column > 1 else 1
    else:
        row += step
    server.sendall(f"0 {row} {column}".encode())
    left, going = heard()
    assert going == "3"
