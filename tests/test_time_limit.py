"""The limit counts processor time: loops are stopped, waiting is not, and nesting works."""

import signal
import time

import pytest

from tests.run_python import run_python
from tests.time_limit import time_limit


@pytest.fixture
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """For limits so short that the guard on the wall would come within seconds."""
    monkeypatch.setattr("tests.time_limit.HANGING", 1e5)


def spin(seconds: float) -> None:
    start = time.process_time()
    while time.process_time() < start + seconds:
        pass


@pytest.mark.usefixtures("_patient")
def test_an_endless_loop_is_stopped() -> None:
    with pytest.raises(AssertionError, match=r"0\.05 s of processor time"), time_limit(0.05):
        spin(1e9)


@pytest.mark.usefixtures("_patient")
def test_waiting_costs_nothing() -> None:
    with time_limit(0.05):
        time.sleep(0.3)


def test_a_wait_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.time_limit.HANGING", 1e-3)
    with pytest.raises(AssertionError, match="still waiting"), time_limit(100):
        time.sleep(1e6)


@pytest.mark.usefixtures("_patient")
def test_an_inner_limit_leaves_the_outer_one_running() -> None:
    def work() -> None:
        with time_limit(0.2):
            with time_limit(50):
                spin(0.05)
            spin(1e9)

    with pytest.raises(AssertionError, match=r"0\.2 s"):
        work()


@pytest.mark.usefixtures("_patient")
def test_an_inner_limit_is_stopped_before_the_outer_one() -> None:
    with time_limit(50), pytest.raises(AssertionError, match=r"0\.05 s"), time_limit(0.05):
        spin(1e9)


def test_a_script_has_a_limit_of_its_own() -> None:
    with pytest.raises(AssertionError):
        run_python("while True: pass", seconds=1)
    assert run_python("import time; time.sleep(1.5); print(3)", seconds=1) == "3\n"


def test_interruptions_reach_tests_and_their_children() -> None:
    """Whoever starts the tests may have told them to ignore SIGINT, as nohup's shells do."""
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    shown = run_python(
        """
        import os, signal
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert shown == "interrupted\n"
