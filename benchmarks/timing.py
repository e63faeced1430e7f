"""Clocks for rivals that take turns.

Rivals are compared by processor time. On an idle machine it equals the time on the wall for
single-threaded work; on a busy one the wall favours whoever needs only milliseconds, because the
best of several short runs slips through between the interruptions that every long run suffers.
"""

import gc
import tracemalloc
from collections.abc import Callable, Mapping
from time import perf_counter, process_time

Work = Callable[[], object]
Clock = Callable[[], float]


def best(
    rivals: Mapping[str, Work], repetitions: int, clock: Clock = process_time
) -> dict[str, float]:
    """Each rival's quickest run, in seconds, the rivals taking turns."""
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(repetitions):
        for name, work in rivals.items():
            start = clock()
            work()
            times[name].append(clock() - start)
    return {name: min(runs) for name, runs in times.items()}


def clocks(work: Work) -> tuple[float, float]:
    """Seconds on the wall, and seconds of those that the processor worked for us."""
    wall, busy = perf_counter(), process_time()
    work()
    return perf_counter() - wall, process_time() - busy


def bytes_kept(build: Callable[[], object]) -> int:
    """Memory that the built object holds, NumPy's arrays included."""
    gc.collect()
    tracemalloc.start()
    kept = build()
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return held
