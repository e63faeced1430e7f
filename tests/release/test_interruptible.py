"""Work inside an engine ends when the user interrupts, and not before it has let go."""

import os
import signal
import threading
import time

import pytest

from leastnoise.release.measure.backends.interruptible import interruptible


def test_results_and_errors_come_through() -> None:
    assert interruptible(lambda: 3, cancel=pytest.fail) == 3
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0, cancel=pytest.fail)


def test_an_interruption_ends_the_work_and_waits_for_it() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _interrupted_work()
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupted_work() -> None:
    started, cancelled, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        cancelled.wait()
        time.sleep(0.2)  # an engine takes a moment to let go
        ended.set()

    def interrupt() -> None:
        started.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(work, cancel=cancelled.set)
    assert ended.is_set()


def test_other_threads_just_work() -> None:
    found = list[int]()
    thread = threading.Thread(target=lambda: found.append(interruptible(lambda: 5, pytest.fail)))
    thread.start()
    thread.join()
    assert found == [5]
