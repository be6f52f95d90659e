"""Chains of samplers run in threads, and end when nobody waits for them."""

import signal
import time
from itertools import repeat
from threading import Event

import numpy as np
import pytest

from annobench.models._chains import run_chains, unless


def test_chains_come_in_the_order_of_their_generators():
    def run(generator, _):
        first = generator.random()
        time.sleep(0.02 * first)
        return first, np.full(2, first)

    numbers, arrays = run_chains(run, np.random.default_rng(1), 4)
    expected = [each.random() for each in np.random.default_rng(1).spawn(4)]
    assert numbers.tolist() == expected
    assert arrays.tolist() == [[each, each] for each in expected]


def test_an_interruption_stops_the_chains():
    ended = []

    def run(_, stopped):
        try:
            for _block in unless(stopped, repeat((0, 1), 2_000)):
                time.sleep(0.01)
        finally:
            ended.append(stopped.is_set())
        return (0,)

    def interrupt(*_):
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            run_chains(run, np.random.default_rng(1), 3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    assert ended == [True] * 3


def test_blocks_pass_until_the_event_is_set():
    stopped = Event()
    assert list(unless(stopped, [(0, 2), (2, 3)])) == [(0, 2), (2, 3)]
