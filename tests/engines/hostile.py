"""Engines that misbehave, one for each word on the command line: `python hostile.py crash-at-start`.

What is not said otherwise is done right: a level-1 engine that plays the first legal pawn move.
"""

import os
import signal
import subprocess
import sys
import time


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Honest:
    """Plays the first legal move that is no wall."""

    searches = 0

    def ugi(self):
        say("id name hostile\nprotocol 1 legal\nugiok")

    def go(self, legal):
        say("bestmove " + legal[0])

    def quit(self):
        sys.exit(0)

    def run(self):
        legal = []
        for line in sys.stdin:
            words = line.split()
            match words[:1]:
                case ["ugi"]:
                    self.ugi()
                case ["isready"]:
                    say("readyok")
                case ["legal"]:
                    legal = sorted(words[1:], key=lambda move: (len(move), move))
                case ["go"]:
                    self.searches += 1
                    self.go(legal)
                case ["quit"]:
                    self.quit()


class AnnouncesNothing(Honest):
    def ugi(self):
        say("id name plain\nugiok")


class ExitsAtOnce(Honest):
    def run(self):
        sys.stderr.write("no such opening book: book.bin\n")
        sys.exit(3)


class PrintsGarbage(Honest):
    def ugi(self):
        sys.stdout.buffer.write(bytes(range(256)) * 10 + b"\n")
        say("Welcome to MyEngine!\nprotocol one\noption name\nid\n\n")
        super().ugi()

    def go(self, legal):
        sys.stdout.buffer.write(b"info \xff\xfe depth x score cp\r\n\0\0\n")
        super().go(legal)


class NeverSaysOk(Honest):
    def ugi(self):
        say("id name mute")


class NeverReady(Honest):
    def run(self):
        for line in sys.stdin:
            if line.startswith("ugi\n"):
                self.ugi()


class HangsInSearch(Honest):
    def go(self, legal):
        time.sleep(3600)


class Floods(Honest):
    def go(self, legal):
        while True:
            say("info string " + "x" * 60_000)


class FloodsWithoutNewline(Honest):
    def go(self, legal):
        while True:
            sys.stdout.write("x" * 60_000)


class FloodsStderr(Honest):
    def go(self, legal):
        sys.stderr.write("y" * 4_000_000)
        sys.stderr.flush()
        super().go(legal)


class PlaysIllegal(Honest):
    def go(self, legal):
        say("bestmove e5")


class SaysNothingOfUse(Honest):
    def go(self, legal):
        say("bestmove")


class AnswersTwice(Honest):
    def go(self, legal):
        super().go(legal)
        super().go(legal[1:] or legal)


class DiesInTheMiddle(Honest):
    def go(self, legal):
        if self.searches == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        super().go(legal)


class AnswersAndExits(Honest):
    def go(self, legal):
        super().go(legal)
        sys.exit(0)


class AnswersWithoutNewline(Honest):
    def go(self, legal):
        sys.stdout.write("bestmove " + legal[0])
        sys.stdout.flush()
        sys.exit(0)


class IgnoresQuit(Honest):
    def quit(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(0.01)


class LeavesAGrandchild(Honest):
    def ugi(self):
        child = subprocess.Popen(["sleep", "3600"])
        sys.stderr.write(f"grandchild {child.pid}\n")
        super().ugi()


class ClosesItsInput(Honest):
    def go(self, legal):
        os.close(0)
        super().go(legal)
        time.sleep(3600)


class Resigns(Honest):
    def go(self, legal):
        say("bestmove resign")


class SleepsPastItsClock(Honest):
    def go(self, legal):
        time.sleep(1.0)
        super().go(legal)


class SureToWin(Honest):
    score = 900

    def go(self, legal):
        say(f"info depth 1 score cp {self.score}")
        super().go(legal)


class SureToLose(SureToWin):
    score = -900


MODES = {
    "honest": Honest,
    "announces-nothing": AnnouncesNothing,
    "exits-at-once": ExitsAtOnce,
    "prints-garbage": PrintsGarbage,
    "never-says-ok": NeverSaysOk,
    "never-ready": NeverReady,
    "hangs-in-search": HangsInSearch,
    "floods": Floods,
    "floods-without-newline": FloodsWithoutNewline,
    "floods-stderr": FloodsStderr,
    "plays-illegal": PlaysIllegal,
    "says-nothing-of-use": SaysNothingOfUse,
    "answers-twice": AnswersTwice,
    "dies-in-the-middle": DiesInTheMiddle,
    "answers-and-exits": AnswersAndExits,
    "answers-without-newline": AnswersWithoutNewline,
    "ignores-quit": IgnoresQuit,
    "leaves-a-grandchild": LeavesAGrandchild,
    "closes-its-input": ClosesItsInput,
    "resigns": Resigns,
    "sleeps-past-its-clock": SleepsPastItsClock,
    "sure-to-win": SureToWin,
    "sure-to-lose": SureToLose,
}

if __name__ == "__main__":
    MODES[sys.argv[1]]().run()
