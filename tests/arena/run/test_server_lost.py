"""`arena run` while the server of its database goes away: no game is lost, and none is stored twice."""

import signal

import pytest

from arena.address import ServerAddress
from arena.store import Store
from tests.arena.run.test_faults_machine import change
from tests.arena.run.test_run_process import running, write
from tests.missing_tools import needs
from tests.postgres import new_server
from tests.processes import wait_for

pytestmark = [needs("postgresql"), pytest.mark.system]


@pytest.fixture
def server():
    with new_server() as server:
        server.start()
        server.execute("CREATE DATABASE league")
        yield server


def tournament(folder, server, **keys):
    file = write(folder, ("a", "honest"), ("b", "honest"), concurrency=2, **keys)
    change(file, {'game = "quoridor"': f'game = "quoridor"\ndatabase = "{server.url("league")}"'})
    return file


def keys(server):
    store = Store.open(ServerAddress(server.url("league")), create=False)
    try:
        return [result.key for result in store.results() if result.counts]
    finally:
        store.close()


def test_games_go_on_without_the_server_and_are_stored_when_it_is_back(tmp_path, server):
    file = tournament(tmp_path, server, games_per_pairing=300)
    with running(file) as process:
        wait_for(lambda: process.stderr.count("\n[") >= 4, "no games were stored")
        server.stop("immediate")
        wait_for(lambda: "of them can wait" in process.stderr, "nobody says that the server is lost")
        server.start()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "the database is back" in err
    assert "300 games played" in err
    stored = keys(server)
    assert len(stored) == len(set(stored)) == 300
    assert f"error: {server.url('league')}" not in err
    assert out


def test_ctrl_c_twice_without_the_server_ends_the_run_and_what_was_reported_is_stored(tmp_path, server):
    file = tournament(tmp_path, server, games_per_pairing=1000)
    with running(file) as process:
        wait_for(lambda: process.stderr.count("\n[") >= 4, "no games were stored")
        server.stop("fast")
        wait_for(lambda: "of them can wait" in process.stderr, "nobody says that the server is lost")
        process.send_signal(signal.SIGINT)
        wait_for(lambda: "\nstopping" in process.stderr, "Ctrl-C is not obeyed")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    server.start()
    stored = keys(server)
    assert len(stored) == len(set(stored)) >= sum(line.startswith("[") for line in err.splitlines())
