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


class _Over(BaseException):
    """What a program's own handler of a signal raises: that time is up, or that it is to end."""


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, TimeoutError, _Over])
@pytest.mark.parametrize("times", [1, 3])
def test_an_interruption_ends_the_work_and_waits_for_it(
    raised: type[BaseException], times: int
) -> None:
    def interrupted(*_: object) -> None:
        raise raised

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        _interrupted_work(raised, times)
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupted_work(raised: type[BaseException], times: int) -> None:
    started, cancelled, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        cancelled.wait()
        time.sleep(0.3)  # an engine takes a moment to let go
        ended.set()

    def interrupt() -> None:
        started.wait()
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)
            cancelled.wait()
            time.sleep(0.05)

    sender = threading.Thread(target=interrupt)
    sender.start()
    with pytest.raises(raised):
        interruptible(work, cancel=cancelled.set)
    assert ended.is_set()
    sender.join()


def test_other_threads_just_work() -> None:
    found = list[int]()
    thread = threading.Thread(target=lambda: found.append(interruptible(lambda: 5, pytest.fail)))
    thread.start()
    thread.join()
    assert found == [5]


def test_where_no_thread_can_begin_the_work_is_done_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How much memory is left for one may hang on the rows."""

    def refused(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert interruptible(lambda: 3, cancel=pytest.fail) == 3
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0, cancel=pytest.fail)


def test_work_that_a_signal_stopped_before_it_began_is_never_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Late(threading.Thread):
        """Begins when all is over."""

        def start(self) -> None:
            late.append(self)
            raise KeyboardInterrupt

    late: list[Late] = []
    monkeypatch.setattr(threading, "Thread", Late)
    with pytest.raises(KeyboardInterrupt):
        interruptible(pytest.fail, cancel=pytest.fail)
    late[0].run()


def test_what_a_signal_raised_while_a_thread_began_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Begun(threading.Thread):
        """Has done its work when a handler raises what a failing thread would raise."""

        def start(self) -> None:
            self.run()
            raise RuntimeError("of a signal")

    monkeypatch.setattr(threading, "Thread", Begun)
    with pytest.raises(RuntimeError, match="of a signal"):
        interruptible(lambda: 3, cancel=pytest.fail)
