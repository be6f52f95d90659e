"""Methods of other packages, run as programs: their adapters and locks."""

import importlib
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PEERS = sorted(path.parent.name for path in (TOP / "benchmarks" / "peers").glob("*/adapter.py"))


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(TOP)
    return importlib.import_module("benchmarks.peers.__main__")


def test_there_are_peers():
    assert "crowd_kit" in PEERS


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_is_locked_and_offers_methods_by_the_door(runner, peer):
    before = set(sys.modules)
    found = runner.candidates(peer, sys.executable)
    # The package lives in another environment: naming its methods imports none of it.
    assert not {
        name for name in set(sys.modules) - before if name.startswith(("crowdkit", "torch"))
    }
    assert found
    package, number = found[0].SOURCE.split()
    assert number[0].isdigit()
    for each in found:
        assert each.METHOD.name.startswith(package)
        assert f"{package} {number}" == each.SOURCE
        assert not each.METHOD.reference.endswith((" ", ":"))


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_asks_for_what_it_locks(runner, peer):
    folder = TOP / "benchmarks" / "peers" / peer
    package = runner.version(peer).split()[0]
    assert package in (folder / "requirements.in").read_text().split()


def test_benchmarks_of_speed_do_not_take_the_peers_for_one(monkeypatch):
    monkeypatch.syspath_prepend(TOP)
    speed = importlib.import_module("benchmarks.__main__")
    with pytest.raises(SystemExit, match="'peers' is not one of"):
        speed.main(["peers"])
