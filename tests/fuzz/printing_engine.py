"""An engine that prints the lines of a file, a third of them before each of its first three answers."""

import sys
from pathlib import Path

lines = [line + b"\n" for line in Path(sys.argv[1]).read_bytes().split(b"\n")]
third = len(lines) // 3 + 1
parts = [lines[at : at + third] for at in range(0, len(lines), third)]
legal = [b"e2"]


def answer(text: bytes) -> None:
    sys.stdout.buffer.write(b"".join(parts.pop(0) if parts else []) + text + b"\n")
    sys.stdout.buffer.flush()


for line in sys.stdin.buffer:
    words = line.split()
    match words[:1]:
        case [b"ugi"]:
            answer(b"protocol 1 legal\nugiok")
        case [b"isready"]:
            answer(b"readyok")
        case [b"legal"]:
            legal = words[1:]
        case [b"go"]:
            answer(b"bestmove " + legal[0])
        case [b"quit"]:
            break
