"""Engines with one fault each, for tests of the checks: `python -m faulty AnswersTwice`.

`Good` has no fault: level 1, most capabilities, one thread. `Plain` has no fault at level 0, and exits when
it gets a line that plain UGI does not have. Every other class has the fault that its name describes, and
names the check that must find it. As far as possible, it has no other fault. The tests start hundreds of
these engines, so a module that only a few of them need is imported only there.
"""

import os
import select
import sys
import time
from itertools import pairwise

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120 - quicker than pathlib
FAULTS = {}


def fails(number, game="quoridor"):
    """Register a class as the engine that fails a check."""

    def register(cls):
        FAULTS[cls.__name__] = (number, game)
        return cls

    return register


class Good:
    """Plays the shortest legal move. It searches for a short time, and reads its input meanwhile."""

    capabilities = "legal seat result errors stop ping query"
    options = (
        "UGI_Game type combo default quoridor var quoridor var quoridor4",
        "Hash type spin default 16 min 1 max 128",
        "Style type combo default solid var solid var wild child",
        "Book type check default false",
        "Clear Hash type button",
        "File type string default",
    )
    game = "quoridor"
    position = "startpos"
    legal = ()
    go_words = ()
    started = 0.0
    until = None  # when the running search must end
    games = searches = 0

    def __init__(self):
        self.buffer = b""
        self.closed = False

    # --- bytes

    def say(self, text):
        self.write(text.encode() + b"\n")

    def write(self, data):
        while data:
            data = data[os.write(1, data) :]

    def read_line(self, seconds):
        """Return the next line without its LF; None if none comes in time, or at the end of input."""
        while b"\n" not in self.buffer and not self.closed:
            if seconds is not None and not select.select([0], [], [], seconds)[0]:
                return None
            data = os.read(0, 65536)
            self.buffer += data
            self.closed = not data
        line, found, self.buffer = self.buffer.partition(b"\n")
        return line.decode() if found else None

    def run(self):
        while True:
            line = self.read_line(None if self.until is None else max(0.0, self.until - time.monotonic()))
            if line is not None:
                self.take(line)
            elif self.closed:
                self.at_end()
            else:
                self.move()

    def take(self, line):
        words = line.split()
        if not words:
            self.on_empty()
        else:
            getattr(self, "on_" + words[0].replace("+", "_more"), self.on_unknown)(words[1:])

    def at_end(self):
        sys.exit(0)

    # --- outside a search

    def identify(self):
        self.say("id name faulty\nid author nobody")

    def announce(self):
        self.say("protocol 1 " + self.capabilities)

    def advertise(self):
        for option in self.options:
            self.say("option name " + option)

    def on_ugi(self, words):
        self.identify()
        self.advertise()
        self.announce()
        self.say("ugiok")

    def on_isready(self, words):
        self.say("readyok")

    def on_setoption(self, words):
        if words[:3] == ["name", "UGI_Game", "value"]:
            self.game = words[3]

    def on_uginewgame(self, words):
        self.games += 1

    def on_gameinfo(self, words):
        self.gameinfo = dict(zip(words[::2], words[1::2], strict=False))

    def on_position(self, words):
        self.position = " ".join(words)

    def on_legal(self, words):
        self.legal = tuple(words)

    def on_legal_more(self, words):
        self.legal += tuple(words)

    def on_gameover(self, words):
        pass

    on_protocol = on_error = on_unknown = on_gameover

    def on_empty(self):
        pass

    def on_quit(self, words):
        sys.exit(0)

    # --- a search

    def turn(self):
        """Return the seat to move, 0-based, in a game without removed seats."""
        start, _, moves = self.position.partition("moves")
        first = int(start.split()[-1]) - 1 if start.startswith("fen") else 0
        return (first + len(moves.split())) % (4 if self.game == "quoridor4" else 2)

    def think_ms(self, limits):
        """Return the milliseconds to search."""
        own = limits.get(f"p{self.turn() + 1}time")
        if own is not None:
            return own / 200
        return limits.get("movetime", 0) / 5

    def on_go(self, words):
        self.searches += 1
        limits = {word: int(value) for word, value in pairwise(words) if value.isdecimal()}
        self.limits = limits
        self.started = time.monotonic()
        self.until = self.started + self.think_ms(limits) / 1000

    def on_stop(self, words):
        if self.until is not None:
            self.until = 0.0

    def choose(self):
        return min(self.legal, key=lambda move: (len(move), move))

    def other(self):
        """Return a legal move that `choose` does not return, if there are two."""
        return max(self.legal, key=lambda move: (len(move), move))

    def report(self, move):
        passed = int((time.monotonic() - self.started) * 1000)
        self.say(f"info depth 1 score cp 12 nodes 7 nps 700 time {passed} pv {move} string fine")

    def move(self):
        self.until = None
        move = self.choose()
        self.report(move)
        self.say(f"bestmove {move}")

    # --- questions

    def board(self):
        """Return the position by the referee's rules, which are slow to import."""
        sys.path.insert(0, ROOT)
        from referee import game

        rules = game(self.game)
        start, _, moves = self.position.partition(" moves ")
        board = rules.start() if start == "startpos" else rules.parse_position(start.removeprefix("fen "))
        for text in moves.split():
            board = board.play(board.parse_move(text))
        return board

    def on_query(self, words):
        self.say("response " + self.respond(self.board(), *words))

    def respond(self, board, question, *words):
        outcome = board.outcome()
        winner = None if outcome is None else outcome.winner
        legal = [str(move) for move in board.legal_moves()]
        result = "none" if outcome is None else "draw" if winner is None else f"p{winner + 1}win"
        answers = {
            "gameover": str(outcome is not None).lower(),
            "p1turn": str(board.turn == 0).lower(),
            "result": result,
            "turn": str(board.turn + 1),
            "legal": " ".join(legal),
            "islegal": str(words[:1] != () and words[0] in legal).lower(),
            "fen": str(board),
            "hash": str(board).replace(" ", "_"),
        }
        return answers[question]


class Plain(Good):
    """A strict level-0 engine. Like some real engines, it exits at a line that plain UGI does not have."""

    options = ()
    shown = False

    def announce(self):
        pass

    def die(self, *words):
        sys.exit("unknown command")

    on_protocol = on_gameinfo = on_legal = on_legal_more = on_gameover = on_error = on_unknown = on_empty = (
        die
    )

    def on_isready(self, words):
        self.shown = False  # like a real engine, it forgets a position before isready
        super().on_isready(words)

    def on_position(self, words):
        if words[-1] == "moves":
            self.die()
        self.shown = True
        super().on_position(words)

    def on_go(self, words):
        if not self.shown or not {*words[::2]} <= {"p1time", "p2time", "p1inc", "p2inc", *_SINGLE}:
            self.die()
        super().on_go(words)

    def on_stop(self, words):
        self.die()

    def choose(self):
        self.legal = self.steps() or tuple(str(move) for move in self.board().legal_moves())
        return super().choose()

    def steps(self):
        """Return the moves of the pawn by the rules of a sample engine, which are quick to import."""
        sys.path.insert(0, os.path.join(ROOT, "engines", "python-alphabeta"))  # noqa: PTH118 - quicker
        from quoridor_board import STARTS, Board, move_text, read_move, squares

        start, _, moves = self.position.partition(" moves ")
        text = STARTS[2] if start == "startpos" else start.removeprefix("fen ")
        board = Board.parse(text, {})
        for move in moves.split():
            board = board.play(read_move(move))
        return [move_text(square) for square in squares(board.targets())]


_SINGLE = ("movetime", "depth", "nodes")


class Uci(Plain):
    """The same engine with the dialect ``uci``."""

    def on_uci(self, words):
        self.identify()
        self.say("uciok")

    def on_go(self, words):
        ours = {"wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc"}
        super().on_go([ours.get(word, word) for word in words])

    def on_ucinewgame(self, words):
        self.on_uginewgame(words)


class Four(Good):
    """Plays games for four players."""

    capabilities = "legal seat"


class OneGame(Good):
    """Offers one game only."""

    options = ("UGI_Game type combo default quoridor var quoridor",)


class Delta(Good):
    """Uses the capability ``delta``."""

    capabilities = "legal delta"

    def on_moves(self, words):
        self.position += (" " if " moves " in self.position else " moves ") + " ".join(words)


# --- 1xx


@fails(101)
class ExitsAtStart(Good):
    def run(self):
        sys.exit("there is no book.bin")


@fails(101)
class TalksFirst(Good):
    def run(self):
        self.say("readyok")
        super().run()


class Holds(Good):
    """Prints into its own buffer, as C and Python do when the output is a pipe."""

    held = b""

    def write(self, data):
        self.held += data
        if len(self.held) >= 8192:
            data, self.held = self.held, b""
            super().write(data)

    def leave(self):
        super().write(self.held)
        sys.exit(0)

    def at_end(self):
        self.leave()

    def on_quit(self, words):
        self.leave()


@fails(102)
class NeverFlushes(Holds):
    pass


@fails(102)
class FlushesAllButItsMove(Holds):
    def write(self, data):
        self.held += data
        if not data.startswith(b"bestmove"):
            data, self.held = self.held, b""
            Good.write(self, data)


@fails(102)
class NeverFlushesAndNeverEnds(Holds):
    def leave(self):
        time.sleep(60)


@fails(103)
class AnswersInCapitals(Good):
    def on_ugi(self, words):
        self.identify()
        self.say("UGIOK")


@fails(201)
class SearchesUntilItIsToEnd(Good):
    """Ignores its clock, and moves only at ``quit``. This is not a missing flush."""

    def think_ms(self, limits):
        return 3_600_000

    def on_quit(self, words):
        if self.until is not None:
            self.move()
        super().on_quit(words)


@fails(103)
class Mute(Good):
    def say(self, text):
        pass


@fails(104)
class LosesALine(Good):
    """Loses the first line after ``uginewgame``."""

    def take(self, line):
        if line == "isready" and self.last == "uginewgame":
            line = "lost"
        self.last = line
        super().take(line)

    last = ""

    capabilities = "legal"


@fails(104)
class NotReadyForAGame(Good):
    def on_isready(self, words):
        if not self.games:
            super().on_isready(words)


@fails(105)
class FlushesOnlyWithOurHelp(Good):
    def write(self, data):
        sys.stdout.write(data.decode())

    def at_end(self):
        sys.stdout.flush()
        super().at_end()


@fails(106)
class HasNoName(Good):
    def identify(self):
        self.say("id author nobody")


@fails(106)
class HasTwoNames(Good):
    def identify(self):
        self.say("id name faulty\nid name faulty again\nid author nobody")


@fails(107)
class HasADefaultOutOfBounds(Good):
    options = (*Good.options, "Threads type spin default 0 min 1 max 8")


@fails(107)
class HasAnOptionOfNoType(Good):
    options = (*Good.options, "Threads default 1")


@fails(108)
class AdvertisesTwice(Good):
    options = (*Good.options, "hash type spin default 16 min 1 max 128")


@fails(109)
class AnnouncesItselfTwice(Good):
    def announce(self):
        super().announce()
        super().announce()


@fails(109)
class AnnouncesItselfLate(Plain):
    def on_ugi(self, words):
        super().on_ugi(words)
        self.say("protocol 1 legal")


@fails(110)
class GreetsSlowly(Good):
    def on_ugi(self, words):
        time.sleep(1.3)
        super().on_ugi(words)


@fails(111)
class AnswersOncePerRead(Good):
    def on_isready(self, words):
        while self.buffer.startswith(b"isready\n"):
            self.buffer = self.buffer[8:]
        super().on_isready(words)


@fails(112)
class GreetsAgain(Good):
    def on_go(self, words):
        self.say("ugiok")
        super().on_go(words)


@fails(113)
class DiesOfItsMaximum(Good):
    def on_setoption(self, words):
        if words == ["name", "Hash", "value", "128"]:
            os.abort()
        super().on_setoption(words)


@fails(114)
class OffersAGameThatItDoesNotPlay(Good):
    def on_setoption(self, words):
        if words[-1] == "quoridor4":
            sys.exit("not yet")
        super().on_setoption(words)


@fails(115)
class KnowsNoCarriageReturn(Good):
    def take(self, line):
        if not line.endswith("\r"):
            super().take(line)


@fails(116)
class KnowsNoSpaces(Good):
    def take(self, line):
        if not line.startswith(" ") or not line.strip():
            super().take(line)


@fails(117)
class DiesOfUnknownWords(Good):
    def on_unknown(self, words):
        sys.exit("what?")


@fails(117)
class AnswersUnknownWords(Good):
    def on_unknown(self, words):
        self.say("unknown command")


@fails(118)
class DiesOfUnknownTrailers(Good):
    def on_go(self, words):
        if "tomorrow" in words:
            sys.exit("what?")
        super().on_go(words)


@fails(119)
class DiesOfEmptyLines(Good):
    def on_empty(self):
        sys.exit("what?")


@fails(120)
class HasABufferOneTooSmall(Good):
    def take(self, line):
        if len(line) > 65_530:
            os.abort()
        super().take(line)


# --- 2xx


@fails(201)
class StartsIllegally(Good):
    def choose(self):
        return "e5" if self.position == "startpos" else super().choose()


@fails(201)
class ResignsUnasked(Good):
    def choose(self):
        return "resign" if self.position == "startpos" else super().choose()


@fails(201)
class DiesInItsSearch(Good):
    def choose(self):
        import signal

        os.kill(os.getpid(), signal.SIGSEGV)


@fails(202)
class ReadsTwelveMoves(Good):
    def choose(self):
        return "wtf" if len(self.position.split()) > 14 else super().choose()


class SpendsItsWallsTwice(Good):
    """Places a wall that it does not have."""

    def spent(self):
        return all(len(move) == 2 for move in self.legal)

    def choose(self):
        return "a1h" if self.spent() else super().choose()


@fails(202)
class DefendsWithAWallThatItDoesNotHave(SpendsItsWallsTwice):
    """Does so only when the other pawn is near its goal, which is seldom in random games."""

    def spent(self):
        seat = self.turn()
        steps = [move for move in self.position.split()[2:][1 - seat :: 2] if len(move) == 2]
        return bool(steps) and steps[-1][1] in ("789", "123")[seat == 0] and super().spent()


@fails(203)
class KnowsNoFen(Good):
    def on_position(self, words):
        if words[0] == "fen":
            sys.exit("a position string?")
        super().on_position(words)


@fails(204)
class ForgetsTheFenBeforeMoves(Good):
    def choose(self):
        mixed = self.position.startswith("fen") and "moves" in self.position
        return "0000" if mixed else super().choose()


class Remembers(Good):
    """Plays a move of an older position if it is illegal in the current one."""

    old = ()

    def stale(self):
        wrong = [move for move in self.old if move not in self.legal]
        return wrong[0] if wrong else super().choose()


@fails(205)
class PlaysWhatItPlayedBefore(Remembers):
    """When a position comes again after another one, its board still shows the other one."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def choose(self):
        again = self.position in self.seen[:-1] and self.seen[-1] != self.position
        move = self.stale() if again else super().choose()
        self.seen.append(self.position)
        self.old = self.legal
        return move


@fails(206)
class PlaysOneGame(Good):
    def on_uginewgame(self, words):
        super().on_uginewgame(words)
        if self.games > 1:
            sys.exit("one is enough")


@fails(207)
class PlaysFirstOnly(Good):
    def on_gameinfo(self, words):
        super().on_gameinfo(words)
        if self.gameinfo["seat"] != "1":
            sys.exit("I only play first")


@fails(208)
class SeesNoMoveWhereThereIsOne(Good):
    def choose(self):
        return super().choose() if len(self.legal) > 1 else "(none)"


@fails(209)
class ReadsTwoKilobytes(Good):
    def on_position(self, words):
        super().on_position(words)
        if len(self.position) > 2048:
            os.abort()


@fails(210)
class PlaysItsOwnMoves(Remembers):
    """When the same position comes again, its board already has its own move."""

    before = ""

    def on_uginewgame(self, words):
        super().on_uginewgame(words)
        self.before = ""

    def choose(self):
        same = self.before == self.position
        self.before = self.position
        return "zz" if same else super().choose()


@fails(211)
class TakesTheFirstOfTwoPositions(Remembers):
    pending = 0

    def on_position(self, words):
        super().on_position(words)
        self.pending += 1
        self.old = self.legal if self.pending > 1 else ()

    def choose(self):
        self.pending = 0
        return self.stale()


@fails(212)
class AnswersTwice(Good):
    def move(self):
        super().move()
        self.say(f"bestmove {self.other()}")


@fails(212)
class ReportsAfterItsMove(Good):
    def move(self):
        super().move()
        self.report(self.choose())


@fails(213)
class TalksBetweenMoves(Good):
    def on_position(self, words):
        super().on_position(words)
        self.say("info string a fine position")


@fails(214)
class IgnoresNewMoves(Delta, Remembers):
    def on_moves(self, words):
        self.old = self.legal

    def choose(self):
        return self.stale()


@fails(215)
class HasNoRoomForLegal(Good):
    def take(self, line):
        if line.startswith("legal") and len(line) > 60_000:
            os.abort()
        super().take(line)


@fails(216)
class DiesOfMoreLegal(Good):
    def on_legal_more(self, words):
        sys.exit("more?")


@fails(217, "quoridor4")
class DiesOfARemoval(Four):
    def on_position(self, words):
        if "!4" in words:
            sys.exit("what is !4?")
        super().on_position(words)


# --- 3xx


@fails(301)
class TakesMoreThanItsMovetime(Good):
    def think_ms(self, limits):
        return limits["movetime"] + 300 if "movetime" in limits else super().think_ms(limits)


@fails(302)
class PlansHalfASecond(Good):
    def think_ms(self, limits):
        return 500 if limits.get("p1time", 1000) <= 100 and not limits["p1inc"] else super().think_ms(limits)


@fails(303)
class SpendsItsIncrement(Good):
    def think_ms(self, limits):
        return 300 if limits.get("p1time") == 1 else super().think_ms(limits)


@fails(304)
class ReadsTheOthersClock(Good):
    def turn(self):
        return 1 - super().turn()


@fails(305)
class KnowsNoDepth(Good):
    def think_ms(self, limits):
        return 10_000 if "depth" in limits else super().think_ms(limits)


@fails(306)
class KnowsNoNodes(Good):
    def think_ms(self, limits):
        return 10_000 if "nodes" in limits else super().think_ms(limits)


@fails(307)
class SpendsHalfOfItsTime(Good):
    def think_ms(self, limits):
        return 1200 if limits.get("p1time") == 2000 else super().think_ms(limits)


@fails(308)
class KnowsNoMovesToGo(Good):
    def on_go(self, words):
        if "movestogo" in words:
            sys.exit("go what?")
        super().on_go(words)


class Locks(Good):
    """Detects whether another instance is running for the same hub."""

    def __init__(self):
        super().__init__()
        import fcntl

        # One byte of a file that nobody has to remove; who has the lock is known by the hub's number.
        self.file = os.open(__file__, os.O_RDWR)
        place = os.getppid() << 8 | sum(type(self).__name__.encode()) & 255
        try:
            fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            self.alone = True
        except OSError:
            self.alone = False


@fails(309)
class IsSlowInCompany(Locks):
    def think_ms(self, limits):
        return super().think_ms(limits) + (300 if "movetime" in limits and not self.alone else 0)


# --- 4xx


@fails(401)
class IgnoresStop(Good):
    def on_stop(self, words):
        pass


@fails(402)
class LosesAnEarlyStop(Good):
    def on_stop(self, words):
        if time.monotonic() - self.started > 0.1:
            super().on_stop(words)


@fails(403)
class AnswersAnIdleStop(Good):
    def on_stop(self, words):
        if self.until is None:
            self.say("bestmove 0000")
        super().on_stop(words)


@fails(404)
class IsDeafWhileItThinks(Good):
    def think_ms(self, limits):
        return 1500 if limits.get("p1time") == 20_000 else super().think_ms(limits)

    def on_isready(self, words):
        if self.until is not None and self.limits.get("p1time", 0) >= 5000:
            time.sleep(max(0.0, self.until - time.monotonic()))
            self.move()
        super().on_isready(words)


@fails(405)
class TearsItsLines(Good):
    pings = 0

    def think_ms(self, limits):
        return 1000 if limits.get("p1time") == 5000 else super().think_ms(limits)

    def on_isready(self, words):
        self.pings += self.until is not None
        if self.pings == 3:
            self.write(b"info depth")
        super().on_isready(words)


@fails(406)
class AnswersGameover(Good):
    def on_gameover(self, words):
        self.say("info string good game")


@fails(407)
class AnswersErrors(Good):
    def on_error(self, words):
        self.say("info string sorry")


@fails(411)
class IgnoresQuit(Good):
    def on_quit(self, words):
        pass


@fails(412)
class CrashesOnItsWayOut(Good):
    def on_quit(self, words):
        os.abort()


@fails(413)
class FinishesItsSearchBeforeItQuits(Good):
    def on_quit(self, words):
        if self.until is not None:
            time.sleep(60)
        super().on_quit(words)


@fails(414)
class StaysAtTheEndOfInput(Good):
    def at_end(self):
        time.sleep(60)


@fails(414)
class SpinsAtTheEndOfInput(Good):
    def at_end(self):
        pass

    def move(self):
        if not self.closed:
            super().move()


@fails(415)
class FinishesItsSearchAfterTheEndOfInput(Good):
    def at_end(self):
        if self.until is not None:
            time.sleep(60)
        super().at_end()


@fails(416)
class IgnoresSigterm(Good):
    def on_ugi(self, words):
        import signal

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().on_ugi(words)


@fails(417)
class LeavesAChild(Good):
    def on_quit(self, words):
        import subprocess

        subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        super().on_quit(words)


# --- 5xx


@fails(501)
class Floods(Good):
    def report(self, move):
        for _ in range(self.limits.get("movetime", 0) * 9 // 1000):
            self.write((b"info string " + b"x" * 1011 + b"\n") * 1024)
        super().report(move)


@fails(502)
class Chatters(Good):
    def report(self, move):
        if "movetime" in self.limits:
            self.write((b"info string " + b"x" * 1011 + b"\n") * 1100)
        super().report(move)


@fails(503)
class PrintsAVeryLongLine(Good):
    def report(self, move):
        super().report(move)
        self.say("info string " + "x" * 70_000)


@fails(504)
class PrintsBytes(Good):
    def report(self, move):
        self.write(b"info string \xff\xfe\n")
        super().report(move)


@fails(504)
class PrintsColours(Good):
    def report(self, move):
        self.say("info string \033[1mfine\033[0m")
        super().report(move)


class Says(Good):
    """Prints reports that the protocol does not have."""

    words = ""

    def report(self, move):
        self.say("info " + self.words.format(move=move, other=self.other()))


@fails(505)
class CountsSeconds(Says):
    words = "depth 1 time 0.054 score cp 3"


@fails(506)
class ScoresWithoutAUnit(Says):
    words = "depth 1 score 12 pv {move}"


@fails(507)
class ReportsImpossibleLines(Says):
    words = "depth 2 pv {move} {move} {move}"


@fails(508)
class PlaysAnotherMoveThanItReports(Says):
    words = "depth 1 pv {other}"


@fails(509)
class CountsTimeTwice(Says):
    words = "depth 1 time 5000"


@fails(510)
class ThinksAloud(Good):
    def report(self, move):
        self.say("hm, let me see ...")
        super().report(move)


@fails(511)
class WritesToItsLog(Good):
    def report(self, move):
        os.write(2, b"node visited\n" * 2000)
        super().report(move)


# --- 6xx


@fails(601)
class MisspellsItsResponses(Plain):
    def on_query(self, words):
        self.say("reponse " + self.respond(self.board(), *words))


class Answers(Good):
    """Gives a wrong answer to one question."""

    question = ""

    def respond(self, board, question, *words):
        answer = super().respond(board, question, *words)
        return self.wrong(answer) if question == self.question else answer


@fails(602)
class KnowsNoWinner(Answers):
    question = "result"

    def wrong(self, answer):
        return "none" if answer == "p2win" else answer


@fails(603)
class MissesAMove(Answers):
    question = "legal"

    def wrong(self, answer):
        return answer.rpartition(" ")[0]


@fails(604)
class CountsSeatsFromZero(Answers):
    question = "turn"

    def wrong(self, answer):
        return str(int(answer) - 1)


@fails(605)
class HashesTheLineInsteadOfThePosition(Answers):
    question = "hash"

    def wrong(self, answer):
        return self.position.replace(" ", "_")


# --- 7xx


@fails(701)
class Leaks(Good):
    leaked = ()

    def on_uginewgame(self, words):
        super().on_uginewgame(words)
        self.leaked += (b"x" * 400_000 + bytes([self.games % 256]),)


@fails(702)
class WantsToBeAlone(Locks):
    def on_ugi(self, words):
        if not self.alone:
            sys.exit("another instance is running")
        super().on_ugi(words)


@fails(703)
class Varies(Good):
    def choose(self):
        return sorted(self.legal)[os.getpid() * 7 % len(self.legal)]


def main():
    globals()[sys.argv[1]]().run()


if __name__ == "__main__":
    main()
