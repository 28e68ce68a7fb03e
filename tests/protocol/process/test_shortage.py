"""Tests of what this machine lacks when it starts an engine: never the engine's fault."""

import errno
import os
import subprocess

import pytest
import trio

from protocol.errors import EngineAbsent, EngineCrashed, HubFault
from protocol.hub.client import EngineClient
from protocol.process import starter
from protocol.process.engine_process import EngineProcess
from protocol.process.starter import StartedProcess
from protocol.spec import EngineSpec
from referee.match.job import Job, JobSeat, VoidCause
from referee.match.play import RefereedGame

SPEC = EngineSpec("e", ("sleep", "3600"))


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN])
async def test_a_process_that_the_machine_cannot_start_is_no_fault_of_the_engine(monkeypatch, code):
    def refuse(*_, **__):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)
    monkeypatch.setattr(subprocess.Popen, "__del__", lambda self: None)
    with pytest.raises(HubFault, match=os.strerror(code)):
        await EngineProcess.start(SPEC)


async def test_a_thread_that_cannot_be_started_is_no_fault_of_the_engine(monkeypatch):
    class Exhausted:
        def submit(self, *_):
            raise RuntimeError("can't start new thread")

    monkeypatch.setitem(starter._threads, starter._STARTER, Exhausted())
    with pytest.raises(HubFault, match="can't start new thread"):
        await EngineProcess.start(SPEC)


async def test_an_engine_that_started_while_descriptors_ran_out_is_not_left_behind(monkeypatch):
    pids = []

    def no_more(pid):
        pids.append(pid)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "pidfd_open", no_more)
    with pytest.raises(HubFault, match="Too many open files"):
        await EngineProcess.start(SPEC)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def start_relayed(script, *arguments):
    """Start a process in the thread that starts engines, which otherwise may kill it as an orphan."""
    words = ["sh", "-c", script, *arguments]
    popen = starter._thread(starter._STARTER).submit(starter._popen, words, None, dict(os.environ)).result()
    return StartedProcess(popen, relayed=True)


@pytest.mark.parametrize(
    ("line", "code", "kind"),
    [
        ("unshare: fork failed: Resource temporarily unavailable", 1, HubFault),
        ("sh: 1: Cannot fork", 2, HubFault),
        ("unshare: fork failed: Cannot allocate memory", 1, HubFault),
        ("sh: 1: Cannot fork", 3, EngineCrashed),
        ("engine: Cannot fork", 2, EngineCrashed),
        ("sh: 1: nothing known", 2, EngineCrashed),
    ],
)
async def test_only_the_starter_of_a_process_namespace_reports_a_shortage(line, code, kind):
    client = EngineClient(SPEC, EngineProcess(start_relayed('echo "$0" >&2; exit "$1"', line, str(code))))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.supervise)
        with pytest.raises((HubFault, EngineCrashed)) as caught:
            await client.handshake(None)
        assert type(caught.value) is kind
        client.kill_soon(nursery)


async def test_an_engine_that_has_greeted_cannot_pretend_that_the_machine_failed():
    shout = 'read -r _; echo ugiok; read -r _; echo "sh: 1: Cannot fork" >&2; exit 2'
    client = EngineClient(SPEC, EngineProcess(start_relayed(shout)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.supervise)
        await client.handshake(None)
        with pytest.raises(EngineCrashed, match="Cannot fork"):
            await client.new_game(())
        client.kill_soon(nursery)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (EngineAbsent, VoidCause.ABSENT),
        (HubFault, VoidCause.MACHINE),
    ],
)
async def test_a_game_is_void_by_what_the_machine_lacks(error, cause):
    class Pool:
        async def acquire(self, *_):
            raise error("this machine lacks something")

    seats = (JobSeat(SPEC, "1+0"), JobSeat(SPEC, "1+0"))
    finished = await RefereedGame(Job("7", "quoridor", seats), Pool(), lambda: None).play()
    assert (finished.termination, finished.void) == ("void", cause)
