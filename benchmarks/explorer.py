"""The explorer's answer to a slider's move, over HTTP on this machine, as the page asks for it.

The page sends a move as soon as the answer to the last one is there, and a slow question (the
search for the least noise, in a process of its own) whenever the hand rests. So paths here are
walked without pauses, each value for the first time, with slow questions running beside them:
nothing is answered from memory, and the processor is shared. In Bounds the slider moves along what
is there already; what is asked there is how a guess spreads, and in Choose, when the hand rests,
the curve for another δ, sensitivity or number of queries.

    python -m benchmarks.explorer
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import product
from subprocess import PIPE
from threading import Thread
from time import perf_counter, process_time, sleep
from urllib.parse import urlsplit

from benchmarks.row import Row, markdown
from leastnoise.web.ask import Ask
from leastnoise.web.error_curve import error_curve
from leastnoise.web.sketch import sketch

_PROGRAM = "from leastnoise.cli.main import main; main()"
_EPSILONS = [f"{0.01 * 2000 ** (place / 165):.3g}" for place in range(166)]
_SIZES = ("1", "2", "3", "4", "5", "6", "8", "10", "15", "20", "30", "50", "75", "100", "150",
          "200", "300", "500", "1000")  # fmt: skip
_DELTAS = ("0", *(f"1e-{digits}" for digits in range(15, 1, -1)))
_REST_EVERY = 10

Said = dict[str, str]


def explorer_rows() -> Iterator[Row]:
    """How soon a move is answered, and how much work that is, which other programs cannot slow."""
    with _running() as address:
        place = urlsplit(address)
        _settle(place.netloc, place.path)
        moves = list(_measured(place.netloc, place.path))
        bounds = list(_bounds(place.netloc, place.path))
    yield from _rows("a slider's move, over HTTP", sorted(moves), 100.0)
    yield from _rows("another promise in Bounds, over HTTP", sorted(bounds), 100.0)
    yield from _rows("the work behind a move, processor time", sorted(_worked()), None)
    yield from _rows("the curve when the hand rests, processor time", sorted(_curved()), None)


def _rows(case: str, times: list[float], target: float | None) -> Iterator[Row]:
    count, slowest = len(times), f"the slowest: {times[-1]:.3g} ms"
    for name, place, wish in (("median", count // 2, None), ("95 %", count * 95 // 100, target)):
        figure = times[place]
        ours = f"{figure:.3g} ms"
        yield Row(f"{case}, {name} of {count}", ours, slowest, figure, "ms", "at most", wish)


def _worked() -> Iterator[float]:
    for path in _paths():
        for ask in path:
            start = process_time()
            sketch(Ask.read(ask))
            yield 1000 * (process_time() - start)


def _curved() -> Iterator[float]:
    """Of each path that moves something else than ε."""
    for path in _paths():
        if len({ask["epsilon"] for ask in path}) == 1:
            for ask in path:
                start = process_time()
                error_curve(Ask.read(ask))
                yield 1000 * (process_time() - start)


def _paths() -> Iterator[list[Said]]:
    """What a hand does: one slider at a time, from one end to the other, the rest held still."""
    base = {"epsilon": "1", "delta": "0", "sensitivity": "1", "queries": "1", "cost": "absolute"}
    for delta, size, queries in product(("0", "1e-6"), ("1", "10", "1000"), ("1", "10", "300")):
        held = base | {"delta": delta, "sensitivity": size, "queries": queries}
        yield [held | {"epsilon": epsilon} for epsilon in _EPSILONS[5::9]]
    for cost in ("squared", "tail:20"):
        held = base | {"cost": cost, "epsilon": "0.7", "delta": "1e-7"}
        yield [held | {"sensitivity": size} for size in _SIZES]
        yield [held | {"queries": queries} for queries in _SIZES]
        yield [held | {"delta": delta, "sensitivity": "7"} for delta in _DELTAS]


def _measured(host: str, path: str) -> Iterator[float]:
    for number, asks in enumerate(_paths()):
        yield from _walked(host, path, asks, f"page {number}")


def _bounds(host: str, path: str) -> Iterator[float]:
    """Another promise, or another guess of how many people have how many rows."""
    connection = HTTPConnection(host, timeout=60)
    for place, epsilon in enumerate(_EPSILONS[3::5]):
        for delta in ("0", "1e-6"):
            people = [1000 + place, 2900, 9500, 9700, 870, 30, 0, 0]
            start = perf_counter()
            ask = {"epsilon": epsilon, "delta": delta, "people": people}
            _post(connection, f"{path}api/bounds", ask)
            yield 1000 * (perf_counter() - start)
    connection.close()


def _walked(host: str, path: str, asks: list[Said], page: str) -> Iterator[float]:
    connection = HTTPConnection(host, timeout=60)
    for place, ask in enumerate(asks, 1):
        start = perf_counter()
        _post(connection, f"{path}api/sketch", ask)
        yield 1000 * (perf_counter() - start)
        if place % _REST_EVERY == 0:
            slow = (host, f"{path}api/choose", ask | {"page": page})
            Thread(target=_left_alone, args=slow, daemon=True).start()
    connection.close()


def _left_alone(host: str, path: str, ask: Said) -> None:
    """A slow question that nobody waits for; a later one of the same page ends it."""
    connection = HTTPConnection(host, timeout=120)
    _post(connection, path, ask)
    connection.close()


def _post(connection: HTTPConnection, path: str, ask: Mapping[str, object]) -> None:
    connection.request("POST", path, json.dumps(ask), {"content-type": "application/json"})
    response = connection.getresponse()
    response.read()
    assert response.status in (200, 409), response.status


def _settle(host: str, path: str) -> None:
    """The libraries are loaded while the page is being painted and read."""
    connection = HTTPConnection(host, timeout=60)
    ask = {"epsilon": "1", "delta": "0", "sensitivity": "1", "queries": "1", "cost": "absolute"}
    _post(connection, f"{path}api/sketch", ask)
    connection.close()
    sleep(2)


@contextmanager
def _running() -> Iterator[str]:
    command = [sys.executable, "-c", _PROGRAM, "explore", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=PIPE, text=True, env=environment) as program:
        try:
            assert program.stdout is not None
            yield program.stdout.readline().split()[-1]
        finally:
            program.terminate()
            program.wait(timeout=10)


if __name__ == "__main__":
    print(markdown(list(explorer_rows())))
