"""Engines that misbehave. A word on the command line selects one: `python hostile.py exits-at-start`.

Each engine is a level-1 engine that plays the first legal pawn move, and misbehaves in one way. The tests
start hundreds of these engines, so a module that only a few of them need is imported only there, and
`hostile_engine` starts them without compiling all this each time.
"""

import os
import sys
import time


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Honest:
    """Plays the first legal move that does not place a wall."""

    searches = 0

    def ugi(self):
        say("id name hostile\nprotocol 1 legal\nugiok")

    def ready(self, legal):
        say("readyok")

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
                    self.ready(legal)
                case ["legal"]:
                    legal = sorted(words[1:], key=lambda move: (len(move), move))
                case ["go"]:
                    self.searches += 1
                    time.sleep(float(os.environ.get("THINK", "0")))
                    self.go(legal)
                case ["quit"]:
                    self.quit()


class AnnouncesNothing(Honest):
    def ugi(self):
        say("id name plain\nugiok")


class ExitsAtStart(Honest):
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


class PlaysIllegalAtFirst(Honest):
    """Answers every other `go` with an illegal move, and wants to know why it was refused."""

    def ugi(self):
        say("id name repents\nprotocol 1 legal errors delta\nugiok")

    def go(self, legal):
        say("bestmove e5" if self.searches % 2 else "bestmove " + legal[0])


class LateAtFirst(Honest):
    """Is late with its first answer, and quick with all others."""

    def ugi(self):
        say("id name late\nprotocol 1 legal errors\nugiok")

    def go(self, legal):
        if self.searches == 1:
            time.sleep(0.6)
        super().go(legal)


class SaysNothingOfUse(Honest):
    def go(self, legal):
        say("bestmove")


class AnswersTwice(Honest):
    def go(self, legal):
        super().go(legal)
        super().go(legal[1:] or legal)


class DiesInTheMiddle(Honest):
    def go(self, legal):
        import signal

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
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(0.01)


class HasTenThousandThreads(IgnoresQuit):
    def ready(self, legal):
        import threading

        threading.stack_size(32_768)
        try:
            while threading.active_count() < 10_000:
                threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        except RuntimeError:  # a limit of the machine
            pass
        sys.stderr.write(f"{threading.active_count()} threads\n")
        super().ready(legal)


class LeavesAGrandchild(Honest):
    def ugi(self):
        import subprocess

        child = subprocess.Popen(["sleep", "3600"])
        sys.stderr.write(f"grandchild {child.pid}\n")
        super().ugi()


class LeavesADaemon(Honest):
    """Starts a process in its own session, without parent, pipes and environment, that never ends."""

    def ugi(self):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                null = os.open(os.devnull, os.O_RDWR)
                for descriptor in range(3):
                    os.dup2(null, descriptor)
                spin = f"# {sys.argv[2]}\nimport time\nwhile True: time.sleep(0.001)"
                os.execve(sys.executable, [sys.executable, "-S", "-c", spin], {})
            os._exit(0)
        super().ugi()


def dare():
    """Exit unless a limit on processes makes a fork bomb harmless."""
    import resource

    if os.geteuid() == 0 or resource.getrlimit(resource.RLIMIT_NPROC)[0] > 5000:
        sys.exit("there is no limit on processes")


class ForkBomb(Honest):
    def go(self, legal):
        dare()
        while True:
            try:
                os.fork()
            except OSError:
                time.sleep(0.01)


class ForkBombOfDaemons(Honest):
    """A fork bomb whose processes leave their groups."""

    def go(self, legal):
        dare()
        while True:
            try:
                if os.fork() == 0:
                    os.setsid()
            except OSError:
                time.sleep(0.01)


class HogsMemory(Honest):
    def go(self, legal):
        kept = []
        while True:
            kept.append(bytearray(10_000_000))


class PrintsAGigabyteInALine(Honest):
    def go(self, legal):
        for _ in range(1000):
            sys.stdout.write("x" * 1_000_000)
        super().go(legal)


class PrintsAGigabyteOfErrors(Honest):
    def go(self, legal):
        for _ in range(1000):
            sys.stderr.write("y" * 1_000_000)
        super().go(legal)


class ComputesAfterQuit(Honest):
    def quit(self):
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            pass


class WritesALargeFile(Honest):
    def go(self, legal):
        descriptor = os.open("large", os.O_WRONLY | os.O_CREAT)
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        for _ in range(100):
            os.write(descriptor, bytes(1_000_000))
        super().go(legal)


class TellsWhatItSees(Honest):
    """Runs Python code from the command line, with its output on standard error."""

    def ugi(self):
        sys.stdout, stdout = sys.stderr, sys.stdout
        exec(sys.argv[2], {})
        sys.stderr.flush()
        sys.stdout = stdout
        super().ugi()


class ClosesItsInput(Honest):
    def go(self, legal):
        os.close(0)
        super().go(legal)
        time.sleep(3600)


class AnswersBeforeItIsAsked(Honest):
    """Answers before the question comes."""

    def ready(self, legal):
        say("\n".join(["readyok", *(f"bestmove {move}" for move in legal[:1])]))

    def go(self, legal):
        pass


class AnswersWhileItIsAsked(Honest):
    """Reads its input slowly through a pipe of one page, and prints at the same time."""

    def run(self):
        import fcntl

        fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, 4096)
        self.ugi()
        while os.read(0, 100):
            say("readyok\nbestmove e2")


class Disguises(Honest):
    """Prints long texts with markup and escape sequences, which attack the readers of reports."""

    nasty = "\x1b[2J\x1b]0;mine\x07\u202e[bold]</td><script>alert(1)</script> =cmd|'/C calc'!A0 \0\r|"

    def ugi(self):
        for key in ("name", "version", "author", "name2"):
            say(f"id {key} {self.nasty * 500}")
        say(f"option name {self.nasty} type string default {self.nasty}")
        say(f"option name UGI_Game type combo default quoridor var quoridor var {self.nasty}")
        say("protocol 1 legal\nugiok")

    def go(self, legal):
        say(f"info depth 3 score cp 5 pv {self.nasty} string {self.nasty}")
        if self.searches == 3:
            sys.stderr.write(self.nasty + "\n")
            say("bestmove " + "".join(self.nasty.split()))
        else:
            super().go(legal)


class AdvertisesWithoutEnd(Honest):
    def ugi(self):
        sys.stdout.write("".join(f"id k{number} x\n" for number in range(20_000)))
        sys.stdout.write("".join(f"option name o{number} type button\n" for number in range(20_000)))
        super().ugi()


class TalksInShortLines(Honest):
    """Prints only line ends, on both outputs, as many as allowed."""

    def ugi(self):
        if os.fork() == 0:
            while True:
                os.write(2, b"\n" * 65536)
        super().ugi()

    def go(self, legal):
        os.write(1, b"\n" * 65536)
        super().go(legal)


class DiesBehindAChild(Honest):
    """Crashes, but its child in a session of its own keeps the pipes open."""

    def go(self, legal):
        if os.fork() == 0:
            os.setsid()
            time.sleep(3600)
        os._exit(1)


class DiesAtAFullPipe(Honest):
    """Misbehaves while the hub waits for the rest of a long list of moves to be read."""

    games = 0

    def ready(self, legal):
        super().ready(legal)
        self.games += 1
        if self.games == 2:  # the last answer before the first position
            self.wait_for_input(60_000)
            self.attack()

    def wait_for_input(self, size):
        import fcntl
        import struct
        import termios

        while struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, bytes(4)))[0] < size:
            time.sleep(0.01)

    def attack(self):
        os._exit(3)


class FloodsAtAFullPipe(DiesAtAFullPipe):
    def attack(self):
        while True:
            say("x" * 60_000)


class AnswersAndDiesBehindAChild(DiesBehindAChild):
    """Answers its second search, and crashes immediately while its child keeps the pipes open."""

    def go(self, legal):
        Honest.go(self, legal)
        if self.searches == 2:
            super().go(legal)


class LeavesAForkLoop(Honest):
    """Starts a daemon that forks and exits without end, quicker than a program can find and kill it."""

    def ugi(self):
        if os.fork() == 0:
            os.setsid()
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(null, descriptor)
            while True:
                if os.fork():
                    os._exit(0)
                time.sleep(0.0005)  # leaves some of the processor to the tests
        super().ugi()


class KillsAll(Honest):
    """Signals all processes that it can reach, but only in a sandbox."""

    def go(self, legal):
        import signal

        if os.getpid() > 10 or os.getcwd() != "/home/engine":  # noqa: PTH109 - quicker
            sys.exit("not in a namespace of its own")
        os.kill(-1, signal.SIGKILL)
        os.kill(0, signal.SIGSTOP)


class StopsItsGroup(Honest):
    def go(self, legal):
        import signal

        os.kill(0, signal.SIGSTOP)


class StopsItsReferee(Honest):
    """Stops its referee in every sixth search; with a number on the command line, only for some seconds."""

    def go(self, legal):
        import signal

        if self.searches % 6 == 2:
            referee = os.getppid()
            os.kill(referee, signal.SIGSTOP)
            if len(sys.argv) > 2:
                time.sleep(float(sys.argv[2]))
                os.kill(referee, signal.SIGCONT)
        super().go(legal)


class KillsItsReferee(Honest):
    def go(self, legal):
        import signal

        if self.searches == 2:
            os.kill(os.getppid(), signal.SIGKILL)
        super().go(legal)


class StopsItsRefereeAtTheEnd(Honest):
    def quit(self):
        import signal

        os.kill(os.getppid(), signal.SIGSTOP)


class BuriesItsFolder(Honest):
    """Leaves a very deep tree of folders, with a link to the outside and without permissions."""

    def go(self, legal):
        from pathlib import Path

        if self.searches == 1:
            for _ in range(500):
                Path("d").mkdir()
                os.chdir("d")
            Path("out").symlink_to(sys.argv[2])
            Path().chmod(0)
        super().go(legal)


class Resigns(Honest):
    def go(self, legal):
        say("bestmove resign")


class SleepsPastItsClock(Honest):
    def go(self, legal):
        time.sleep(1.0)
        super().go(legal)


class ThinksALittle(Honest):
    def go(self, legal):
        time.sleep(0.1)
        super().go(legal)


class SureToWin(Honest):
    score = 900

    def go(self, legal):
        say(f"info depth 1 score cp {self.score}")
        super().go(legal)


class SureToLose(SureToWin):
    score = -900


def word(name):
    """Return the word that selects the engine of a class: exits-at-start for ExitsAtStart."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]


MODES = {word(name): engine for name, engine in list(globals().items()) if isinstance(engine, type)}

if __name__ == "__main__":
    MODES[sys.argv[1]]().run()
