"""Tests of the engine library during a search: two threads, one output, and all ways to end."""

from __future__ import annotations

import re

import pytest

PATIENCE = 30.0  # seconds, long enough for a busy machine

WAITS = """
    class Waits(Engine):
        def choose(self, turn):
            while not turn.stopped():
                time.sleep(0.001)
            return "e2"

    run(Waits())
"""

DEAF = """
    class Deaf(Engine):
        def choose(self, turn):
            turn.info(string="begun")
            while True:
                pass

    run(Deaf())
"""


def test_isready_and_stop_are_answered_while_a_search_runs(talk):
    engine = talk(WAITS)
    engine.send("ugi\nuginewgame\nisready\nposition startpos\ngo infinite\n")
    engine.until("readyok")
    for _ in range(3):
        engine.send("isready\n")
        assert engine.line() == "readyok"
    engine.send("stop\n")
    assert engine.line() == "bestmove e2"


def test_a_stop_right_behind_go_is_not_lost_and_an_idle_one_is_ignored(talk):
    engine = talk(WAITS)
    engine.send("stop\ngo infinite\nstop\nstop\n")
    assert engine.line() == "bestmove e2"
    engine.send("stop\ngo infinite\n")
    assert engine.line(0.2) is None
    engine.send("stop\n")
    assert engine.line() == "bestmove e2"


def test_every_go_gets_exactly_one_bestmove_even_when_sent_too_early(talk):
    engine = talk(WAITS)
    engine.send("go infinite\ngo infinite\nstop\n")
    assert [engine.line(), engine.line()] == ["bestmove e2"] * 2
    assert engine.line(0.2) is None


def test_lines_of_the_two_threads_are_never_mixed(talk):
    engine = talk("""
        class Chatty(Engine):
            def choose(self, turn):
                while not turn.stopped():
                    turn.info(depth=1, score_cp=2, string="x" * 500)
                return "e2"

        run(Chatty())
    """)
    engine.send("go infinite\n")
    info = re.compile(r"info depth 1 score cp 2 time \d+ string x{500}")
    for _ in range(50):
        engine.send("isready\n")
        *infos, ready = engine.until("readyok")
        assert ready == "readyok"
        assert all(info.fullmatch(line) for line in infos)
    engine.send("stop\n")
    engine.until("bestmove")


def test_nothing_is_reported_of_a_search_that_was_answered(talk):
    engine = talk("""
        class Late(Engine):
            def choose(self, turn):
                def report():
                    time.sleep(0.1)
                    turn.info(string="late")
                    print("done")
                threading.Thread(target=report).start()
                return "e2"

        run(Late())
    """)
    assert engine.ask("go depth 1\n") == "bestmove e2"
    assert engine.process.stderr.readline() == b"done\n"
    engine.send("isready\n")
    assert engine.line() == "readyok"


def test_what_an_engine_prints_goes_to_standard_error(talk):
    engine = talk("""
        class Prints(Engine):
            def choose(self, turn):
                print("bestmove nonsense")
                return "e2"

        run(Prints())
        print("after the game")
    """)
    engine.send("go depth 1\n")
    assert engine.line() == "bestmove e2"
    engine.send("quit\n")
    assert engine.line() == "after the game"
    assert engine.end() == 0
    assert engine.errors == "bestmove nonsense\n"


@pytest.mark.parametrize("farewell", ["quit\n", ""])
def test_quit_and_the_end_of_input_end_the_process_during_a_search(talk, farewell):
    engine = talk(DEAF)
    engine.send("go infinite\n")
    engine.until("info")
    engine.send(farewell)
    if not farewell:
        engine.process.stdin.close()
    assert engine.process.wait(10) == 0


def test_a_hub_that_reads_no_more_ends_the_engine_quietly(talk):
    engine = talk("""
        class Chatty(Engine):
            def choose(self, turn):
                while True:
                    turn.info(string="x")

        run(Chatty())
    """)
    engine.send("go infinite\n")
    engine.until("info")
    engine.process.stdout.close()
    assert engine.process.wait(PATIENCE) == 0
    assert engine.errors == ""


def test_an_exception_in_the_search_is_printed_and_ends_the_engine(talk):
    engine = talk("""
        class Broken(Engine):
            def choose(self, turn):
                raise ArithmeticError("out of luck")

        run(Broken())
    """)
    engine.send("go depth 1\n")
    assert engine.process.wait(PATIENCE) == 1
    assert engine.errors.rstrip().endswith("ArithmeticError: out of luck")


@pytest.mark.parametrize("answer", ["None", "''", "'e2 e3'"])
def test_an_answer_that_is_no_move_ends_the_engine_with_a_reason(talk, answer):
    engine = talk(f"""
        class Wrong(Engine):
            def choose(self, turn):
                return {answer}

        run(Wrong())
    """)
    engine.send("go depth 1\n")
    assert engine.process.wait(PATIENCE) == 1
    assert "choose must return the text of one move" in engine.errors
