"""What a cluster has started ends with those who use it, however they ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.release.spark_watch import end, in_use, watch

SLEEPER = [sys.executable, "-c", "import time; time.sleep(100000)"]
USER = """
import subprocess, sys, time
from pathlib import Path
from tests.release.spark_watch import in_use, watch
lock, folder, kept = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with in_use(lock):
    started = subprocess.Popen(sys.argv[4:], start_new_session=True, stdout=subprocess.DEVNULL)
    watch(lock, folder, [started.pid])
    print(started.pid, flush=True)
    time.sleep(kept)
"""


def user(lock: Path, folder: Path, kept: int = 100000) -> tuple[subprocess.Popen[str], int]:
    """A process that uses another, which it has started."""
    started = subprocess.Popen(
        [sys.executable, "-c", USER, str(lock), str(folder), str(kept), *SLEEPER],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert started.stdout is not None
    with started.stdout as said:
        return started, int(said.readline())


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def ends(process: int, folder: Path, patience: float = 300) -> bool:
    """Whether both are gone after some seconds at most."""
    deadline = time.monotonic() + patience
    while lives(process) or folder.exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_user_has_started_ends(tmp_path: Path, sign: signal.Signals) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    parent, process = user(tmp_path / "lock", folder)
    assert lives(process)
    parent.send_signal(sign)
    parent.wait()
    assert ends(process, folder)


def test_it_stays_while_another_uses_it(tmp_path: Path) -> None:
    folder, lock = tmp_path / "folder", tmp_path / "lock"
    folder.mkdir()
    with in_use(lock):
        parent, process = user(lock, folder)
        parent.kill()
        parent.wait()
        assert not ends(process, folder, patience=2)
    assert ends(process, folder)


def test_who_watches_is_ended_with_the_rest(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with in_use(lock):
        sleeper = subprocess.Popen(SLEEPER, start_new_session=True)
        watching = watch(lock, str(tmp_path / "none"), [sleeper.pid])
        assert lives(watching)
        assert lives(sleeper.pid)
        end([watching, sleeper.pid], str(tmp_path / "none"))
        assert not lives(watching)
        assert not lives(sleeper.pid)
        sleeper.returncode = 0  # it was waited for
