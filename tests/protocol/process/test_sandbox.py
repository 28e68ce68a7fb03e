"""Tests of limits and sandboxes, with an engine that reports what it can see and use."""

import ast
import os
import platform
import pwd
import re
import socket
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import psutil
import pytest
import trio

from protocol.errors import EngineCrashed, EngineStartError
from protocol.hub.client import EngineClient
from protocol.process import bubblewrap, machine, sandbox
from protocol.process.engine_process import EngineProcess
from protocol.process.lifetime import VARIABLE
from protocol.spec import EngineSpec, ResourceLimits
from tests.missing_tools import needs

HOSTILE = Path(__file__).parents[2] / "engines" / "hostile_engine.py"
PYTHON = tuple(dict.fromkeys((sys.prefix, sys.base_prefix, str(HOSTILE.parent))))


needs_bwrap = needs("bwrap")
needs_prlimit = needs("prlimit")
boxes = pytest.mark.parametrize("box", ["folder", pytest.param("bwrap", marks=needs_bwrap)])


def spec(code, box, mode="tells-what-it-sees", **settings):
    settings = {"readable": PYTHON} | settings
    return EngineSpec("e", (sys.executable, "-S", str(HOSTILE), mode, code), sandbox=box, **settings)


@asynccontextmanager
async def open_engine(spec):
    async with trio.open_nursery() as nursery:
        client = EngineClient(spec, await EngineProcess.start(spec))
        nursery.start_soon(client.supervise)
        try:
            yield client
        finally:
            await client.close()


async def seen(code, box="bwrap", **settings):
    """Run ``code`` in an engine before ``ugiok``, and return what it prints, as a Python value."""
    async with open_engine(spec(code, box, **settings)) as client:
        await client.handshake(None)
        while not client._transport.stderr_tail.endswith("\n"):  # noqa: ASYNC110 - a pipe, which has no event
            await trio.sleep(0.01)
        return ast.literal_eval(client._transport.stderr_tail.splitlines()[-1])


@boxes
async def test_an_isolated_engine_starts_in_an_empty_folder_that_is_also_its_home(box):
    code = "import os; print([os.getcwd(), os.listdir(), os.environ['HOME'], os.environ['TMPDIR']])"
    folder, content, home, temporary = await seen(code, box)
    assert folder == home == temporary
    assert content == []


async def test_the_folder_of_an_engine_is_removed_with_what_it_made_there():
    code = (
        "import os; os.makedirs('a/b'); open('a/b/c', 'w').close(); os.chmod('a/b', 0); os.chmod('a', 0);"
        "print([os.getcwd()])"
    )
    (folder,) = await seen(code, "folder")
    gone = trio.Path(folder)
    with trio.fail_after(10):
        while await gone.exists():  # noqa: ASYNC110 - removed by a thread of the transport's own
            await trio.sleep(0.01)


@needs_bwrap
def test_the_folders_of_killed_processes_are_removed_by_the_next_referee_and_no_others(tmp_path, monkeypatch):
    """A process in another container has an id that no process has here, or another one."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    make = "import os, sys; from protocol.process import machine; folder = machine.make_folder();"
    make += "open(folder + '/file', 'w').close(); print(folder, flush=True);"
    make += "sys.stdin.read(); os.kill(os.getpid(), 9)"
    walls = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc"]
    start = partial(
        subprocess.Popen,
        [*walls, sys.executable, "-c", make],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    for name in ("leapfrog-mine", "leapfrog-1.0-source", "other-1-arena-x"):
        (tmp_path / name).mkdir()
    with start() as user, start() as killed:
        used, left = (Path(process.stdout.readline().strip()) for process in (user, killed))
        left.chmod(0)
        killed.stdin.close()
        killed.wait()
        before = set(tmp_path.iterdir())
        subprocess.run(
            [sys.executable, "-m", "referee"], stdin=subprocess.DEVNULL, env=environment, check=True
        )
        assert before - set(tmp_path.iterdir()) == {left}
        assert (used / "file").exists()


@boxes
async def test_an_isolated_engine_has_the_least_environment_and_what_the_file_adds(box, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    (found,) = await seen("import os; print([dict(os.environ)])", box, env={"HASH": "16"})
    assert set(found) - {"LANG", "LC_ALL", "LC_CTYPE", "TZ", "PWD"} == {
        "PATH",
        "HOME",
        "TMPDIR",
        "PYTHONUNBUFFERED",
        "HASH",
    }


@pytest.mark.parametrize("box", ["none", "folder", pytest.param("bwrap", marks=needs_bwrap)])
async def test_no_descriptor_of_ours_is_open_in_an_engine(box, tmp_path):
    with (tmp_path / "secret").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        found = await seen("import os; print(os.listdir('/proc/self/fd'))", box)
    assert len(found) == 4  # the fourth descriptor belongs to the listed folder
    assert {"0", "1", "2"} < set(found)


KEYS = """
import ctypes
libc = ctypes.CDLL(None)
user, session, rings = b"user", -3, (-3, -4, -5)  # also the user's, and the ring of all sessions
def keyctl(*given): return libc.syscall(NUMBER, *given)
def add(name, ring): return libc.syscall(ADD, user, name, b"x", 1, ring)
def found(name):
    found = any(keyctl(10, ring, user, name, 0) > 0 for ring in rings)
    return found or libc.syscall(ADD + 1, user, name, None, 0) > 0
"""


@needs("bwrap 0.8", "keyrings")
def test_behind_walls_an_engine_finds_no_key_of_a_session_and_leaves_none():
    number = bubblewrap._KEYCTL[platform.machine()]
    keys = KEYS.replace("NUMBER", str(number)).replace("ADD", str(number - 2))
    engine = keys + "print([*map(found, (b'secret', b'left')), add(b'left', session) > 0])\n"
    engine += "[add(b'left', ring) for ring in rings]"
    hub = (
        keys
        + f"""
import trio
from tests.protocol.process.test_sandbox import seen
keyctl(1, None)
print([add(b"secret", session) > 0, found(b"secret")])
for _ in range(2):
    print(trio.run(seen, {engine!r}))
print([found(b"secret"), found(b"left")])
"""
    )
    done = subprocess.run([sys.executable, "-c", hub], capture_output=True, text=True, timeout=60, check=True)
    have_keys, *of_engines, at_end = map(ast.literal_eval, done.stdout.splitlines())
    assert of_engines == [[False, False, False]] * 2
    assert at_end == [have_keys[1], False]


@needs_bwrap
async def test_behind_walls_the_home_folder_cannot_be_read():
    code = (
        "import os\n"
        "def listed(path):\n"
        "    try: return os.listdir(path)\n"
        "    except OSError as error: return error.strerror\n"
        f"print([listed({str(Path.home())!r}), listed('/home'), listed({str(Path.cwd())!r})])"
    )
    home, homes, here = await seen(code)
    allowed = {part for path in PYTHON for part in Path(path).parts}
    assert home == "No such file or directory" or set(home) <= allowed
    assert set(homes) <= {"engine", *allowed}
    assert here == "No such file or directory" or "arena.db" not in here


@needs_bwrap
async def test_behind_walls_nothing_can_be_written_but_in_folders_in_memory(tmp_path):
    code = (
        "import os\n"
        "wrote = []\n"
        "for root, folders, _ in os.walk('/'):\n"
        "    if root == '/': folders.remove('proc')\n"
        "    if root.count('/') > 2: folders.clear()\n"
        "    try: open(os.path.join(root, 'x'), 'w').close()\n"
        "    except OSError: continue\n"
        "    wrote.append(root)\n"
        "print(wrote)"
    )
    wrote = await seen(code, readable=(*PYTHON, str(tmp_path)))
    assert {"/tmp", "/dev/shm", "/home/engine"} <= set(wrote)
    assert [path for path in wrote if not path.startswith(("/tmp", "/dev/shm", "/home/engine"))] == []
    assert str(tmp_path) not in wrote
    assert list(tmp_path.iterdir()) == []


@needs_bwrap
async def test_behind_walls_not_even_roots_engine_can_set_how_the_machine_runs():
    code = (
        "import os\n"
        "opened = []\n"
        "for path in ('sys/kernel/core_pattern', 'sys/vm/drop_caches', 'self/oom_score_adj'):\n"
        "    try: opened.append((path, os.close(os.open('/proc/' + path, os.O_WRONLY))))\n"
        "    except OSError: pass\n"
        "print(opened)"
    )
    assert await seen(code) == []


@needs("bwrap", "bwrap 0.8")
async def test_behind_walls_an_engine_gets_no_namespaces_of_its_own():
    code = "import ctypes; print([ctypes.CDLL(None).unshare(flag) for flag in (0x10000000, 0x10020000)])"
    assert await seen(code) == [-1, -1]


@needs("bwrap", "root")  # the system itself keeps its secrets from other users
async def test_behind_walls_the_secrets_of_the_system_are_roots_alone():
    assert "/etc/shadow" in machine.secrets()
    code = (
        "import os\n"
        "def read(path):\n"
        "    try: return os.listdir(path) if os.path.isdir(path) else open(path).read()\n"
        "    except OSError: return ''\n"
        f"print([path for path in {machine.secrets()!r} if read(path)])"
    )
    assert await seen(code) == []


@needs("choom")
@boxes
async def test_when_memory_runs_out_the_kernel_ends_engines_first(box):
    assert await seen("print([int(open('/proc/self/oom_score_adj').read())])", box) == [1000]


@needs_bwrap
@pytest.mark.parametrize("folder", [bubblewrap.OWN_FOLDER, "/tmp", "/dev/shm"])
async def test_behind_walls_what_an_engine_writes_has_a_limit(folder):
    code = (
        "written = 0\n"
        "try:\n"
        "    for number in range(100):\n"
        f"        with open(f'{folder}/{{number}}', 'wb', buffering=0) as file:\n"
        "            written += file.write(bytes(1 << 20))\n"
        "except OSError as error: print([written, error.strerror])"
    )
    written, why = await seen(code)
    assert why == "No space left on device"
    assert written <= bubblewrap.FOLDER_SIZE == 64 << 20


@needs_bwrap
async def test_behind_walls_there_is_no_network_not_even_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = (
            "import socket\n"
            f"try: socket.create_connection(('127.0.0.1', {port}), 2); print(['connected'])\n"
            "except OSError as error: print([error.strerror])"
        )
        assert await seen(code, "folder") == ["connected"]
        assert await seen(code) == ["Connection refused"]
    interfaces = await seen("import socket; print([name for _, name in socket.if_nameindex()])")
    assert interfaces == ["lo"]


@needs_bwrap
async def test_behind_walls_no_other_process_can_be_seen_or_signalled():
    code = (
        "import os\n"
        "found = [pid for pid in os.listdir('/proc') if pid.isdigit()]\n"
        f"try: os.kill({os.getpid()}, 0); print([found, 'reached'])\n"
        "except OSError as error: print([found, error.strerror])"
    )
    found, why = await seen(code)
    assert len(found) <= 3  # bubblewrap's first process, for root another bubblewrap, and the engine
    assert why == "No such process"


YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
TRACED_BY_ALL = os.geteuid() == 0 or not YAMA.exists() or YAMA.read_text() == "0\n"
"""Whether a process may trace others of its user than those that it has started."""


@pytest.fixture
def sleeper():
    """A process that stands for the referee: a signal would stop one that is traced, so not the tests'."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


@needs_bwrap
async def test_behind_walls_neither_the_referee_nor_the_opponent_can_be_traced_or_read(sleeper, monkeypatch):
    monkeypatch.setenv(VARIABLE, "none")  # in a process namespace others have no number
    async with open_engine(spec("print()", "bwrap")) as opponent:
        await opponent.handshake(None)
        inside = psutil.Process(opponent._transport.pid).children(recursive=True)[-1].pid
        code = (
            "import ctypes, os\n"
            "def reached(pid):\n"
            "    seized = ctypes.CDLL(None).ptrace(0x4206, pid, None, None)\n"
            "    try: os.close(os.open(f'/proc/{pid}/mem', os.O_RDWR))\n"
            "    except OSError: return [seized, False]\n"
            "    return [seized, True]\n"
            f"print([*reached({sleeper.pid}), *reached({inside})])"
        )
        assert await seen(code) == [-1, False, -1, False]
        if TRACED_BY_ALL:
            assert (await seen(code, "folder"))[:2] == [0, True]


@needs_bwrap
async def test_behind_walls_no_socket_of_this_machine_can_be_reached(tmp_path):
    with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as abstract:
        addresses = [str(tmp_path / "s"), f"\0leapfrog-{os.getpid()}"]
        for server, address in zip((named, abstract), addresses, strict=True):
            server.bind(address)
            server.listen()
        code = (
            "import socket\n"
            "def reached(address):\n"
            "    try: socket.socket(socket.AF_UNIX).connect(address)\n"
            "    except OSError: return False\n"
            "    return True\n"
            f"print([reached(address) for address in {addresses}])"
        )
        assert await seen(code, "folder") == [True, True]
        assert await seen(code) == [False, False]


@pytest.mark.parametrize("box", ["none", pytest.param("bwrap", marks=needs_bwrap)])
async def test_an_engine_has_no_terminal_of_ours(box):
    async with open_engine(spec("", box)) as client:
        await client.handshake(None)
        assert os.getsid(client._transport.pid) == client._transport.pid != os.getsid(0)
    descriptors = "[os.readlink(f'/proc/self/fd/{number}').split(':')[0] for number in range(3)]"
    assert await seen(f"import os; print({descriptors})", box) == ["pipe"] * 3


@needs_bwrap
async def test_behind_walls_an_engine_has_no_rights_and_cannot_mount():
    code = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')])"
    _, permitted, effective, *_ = await seen(code)
    assert permitted == effective == "0" * 16


@needs_bwrap
async def test_behind_walls_the_signal_that_ended_an_engine_is_named():
    async with open_engine(spec("import os; os.kill(os.getpid(), 11)", "bwrap")) as client:
        with pytest.raises(EngineCrashed, match="ended with signal SIGSEGV"):
            await client.handshake(None)


@needs_bwrap
def test_a_program_in_the_home_folder_itself_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    with pytest.raises(EngineStartError, match=r"must hide the home folder, but .* would show it"):
        sandbox.check(EngineSpec("e", (str(engine),), sandbox="bwrap"))


def test_a_machine_without_bubblewrap_or_prlimit_says_what_to_install(monkeypatch):
    monkeypatch.setattr(machine, "which", lambda program: None)
    with pytest.raises(EngineStartError, match="install the package bubblewrap"):
        sandbox.check(EngineSpec("e", ("true",), sandbox="bwrap"))
    with pytest.raises(EngineStartError, match="install util-linux"):
        sandbox.check(EngineSpec("e", ("true",), limits=ResourceLimits(memory=1 << 20)))
    sandbox.check(EngineSpec("e", ("true",)))  # an engine without limits needs neither


@needs_bwrap
def test_a_machine_that_forbids_sandboxes_is_explained(monkeypatch):
    monkeypatch.setattr(bubblewrap, "_base", lambda *words: ["--no-such-option"])
    with pytest.raises(EngineStartError, match=r"does not work on this machine: bwrap: Unknown option"):
        sandbox.check(EngineSpec("e", ("true",), sandbox="bwrap"))


@needs_prlimit
@pytest.mark.parametrize("box", ["none", pytest.param("bwrap", marks=needs_bwrap)])
async def test_every_limit_reaches_the_engine(box):
    code = (
        "import resource as r; print({name: r.getrlimit(getattr(r, 'RLIMIT_' + name))"
        " for name in ('DATA', 'FSIZE', 'NPROC')})"
    )
    found = await seen(code, box, limits=ResourceLimits(memory=1 << 30, processes=64))
    assert found["DATA"] == (1 << 30, 1 << 30)
    assert box == "bwrap" or found["FSIZE"] == (1 << 30, 1 << 30)
    others = 0 if box == "bwrap" else 1
    assert found["NPROC"][0] >= 64 + others


@needs_prlimit
async def test_no_engine_leaves_a_core_dump():
    found = await seen("import resource as r; print(r.getrlimit(r.RLIMIT_CORE))", "none")
    assert found == (0, 0)


# --- root


def real_users(client):
    """Return the users of the engine, as the machine outside the sandbox sees them."""
    processes = psutil.Process(client._transport.pid).children(recursive=True)
    return {process.uids() for process in processes if process.name().startswith("python")}


@needs("bwrap", "root")
async def test_behind_walls_root_starts_engines_as_the_user_nobody():
    nobody = pwd.getpwnam("nobody").pw_uid
    async with open_engine(spec("", "bwrap")) as client:
        await client.handshake(None)
        assert real_users(client) == {(nobody, nobody, nobody)}
    assert await seen("import os; print([os.getresuid(), os.getgroups()])") == [(nobody,) * 3, []]


@needs("bwrap", "root")
async def test_behind_walls_an_engine_of_root_may_open_its_pipes_by_name():
    code = "print([open(f'/dev/{name}', 'a').close() for name in ('stdout', 'stderr')])"
    assert await seen(code) == [None, None]


@needs("bwrap", "root")
async def test_a_folder_in_a_closed_folder_of_root_can_be_shown(tmp_path):
    closed = tmp_path / "closed"
    folder = closed / "engine"
    folder.mkdir(parents=True)
    (folder / "book").write_text("e2")
    closed.chmod(0o700)
    code = f"import os; print([open({str(folder / 'book')!r}).read(), os.listdir({str(closed)!r})])"
    assert await seen(code, readable=(*PYTHON, str(folder))) == ["e2", ["engine"]]


@needs("bwrap", "root")
@pytest.mark.parametrize(("closed", "verb"), [("engine", "run"), ("book", "read")])
def test_a_file_that_nobody_may_not_use_is_named_with_advice(tmp_path, closed, verb):
    tmp_path.chmod(0o755)
    for name in ("engine", "book"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700 if name == closed else 0o755)
    command = EngineSpec("e", (str(tmp_path / "engine"), str(tmp_path / "book")), sandbox="bwrap")
    advice = f"who may not {verb} {tmp_path / closed}; run: chmod -R o+rX {tmp_path}"
    with pytest.raises(EngineStartError, match=re.escape(advice)):
        sandbox.check(command)
    (tmp_path / closed).chmod(0o755)
    sandbox.check(command)


@needs("prlimit", "java")
async def test_a_limit_on_memory_lets_runtimes_reserve_address_space():
    limited = EngineSpec("e", ("java", "-version"), limits=ResourceLimits(memory=512 << 20))
    async with open_engine(limited) as client:
        await client._transport.wait_exit()
        assert client._transport.exit_text == "exit code 0"


def test_root_gets_a_warning_that_no_limit_on_processes_binds_it(monkeypatch):
    limited = EngineSpec("e", ("true",), limits=ResourceLimits(processes=64))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert re.search("runs as root", " ".join(sandbox.warnings(limited)))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox.warnings(limited) == []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    walled = EngineSpec("e", ("true",), limits=ResourceLimits(processes=64), sandbox="bwrap")
    assert sandbox.warnings(walled) == []  # its engines are another user
