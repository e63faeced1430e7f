"""Ctrl-C at every stage: one line, a status that tells whether there was a charge, whole files."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from leastnoise.cli import interrupted
from leastnoise.ledger import Charge, Ledger
from leastnoise.release.draw import answered as engine
from tests.cli.plans import PLAN, write_visits
from tests.cli.run import run

PROGRAM = "from leastnoise.cli.main import main; main()"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


def stop(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


def press(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def pressing(function: Callable[..., Any], number: int = signal.SIGINT) -> Callable[..., Any]:
    """The function, with a key pressed first."""

    def pressed(*arguments: Any) -> Any:
        press(number)
        return function(*arguments)

    return pressed


def charged(plan: Path) -> int:
    place = plan.parent / "budget.db"
    return sum(isinstance(entry.event, Charge) for entry in Ledger(place).history())


def left_over(plan: Path) -> set[str]:
    return {path.name for path in (plan.parent / "out").iterdir()}


@pytest.mark.parametrize(
    ("target", "charges"),
    [
        ("leastnoise.cli.release.read_plan", 0),
        ("leastnoise.release.plan.PricedPlan.of", 0),
        ("leastnoise.release.draw.answered.measured", 0),
        ("leastnoise.ledger.ledger.Ledger.charge", 0),
        ("leastnoise.release.draw.answered.answered", 1),
    ],
)
def test_before_anything_is_written(
    plan: Path, monkeypatch: pytest.MonkeyPatch, target: str, charges: int
) -> None:
    monkeypatch.setattr(target, stop)
    outcome = run("release", plan, "--yes", "--json")
    monkeypatch.undo()
    status = 3 if charges else 130
    assert outcome.status == status
    assert outcome.errors.count("\n") == 1
    assert ("nothing was charged" in outcome.errors) == (not charges)
    assert ("The charge stands" in outcome.errors) == bool(charges)
    assert json.loads(outcome.output)["status"] == status
    assert charged(plan) == charges
    if (plan.parent / "out").exists():
        assert left_over(plan) == set()


def test_while_files_are_written(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interruption waits: what was paid for is written, all of it."""
    monkeypatch.setattr("os.replace", pressing(os.replace))
    outcome = run("release", plan, "--yes")
    assert outcome.status == 0
    assert "all answers were written" in outcome.errors
    assert "release.json" in left_over(plan)
    assert {name.partition("_")[0] for name in left_over(plan)} >= {"01", "02", "03"}
    assert not [name for name in left_over(plan) if name.endswith(".part")]
    assert charged(plan) == 1


def test_other_commands(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leastnoise.cli.preview.read_plan", stop)
    assert run("preview", plan).status == 130
    monkeypatch.setattr("leastnoise.cli.looked_at.read", stop)
    assert run("init", plan.parent / "visits.csv", "--plan", plan.parent / "new.toml").status == 130
    assert not (plan.parent / "new.toml").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_is_charged_is_drawn_and_written_whatever_comes(
    plan: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Also between the charge and the noise, where a signal would cost the answers."""
    charge = Ledger.charge

    def pressed(*arguments: Any, **options: Any) -> Any:
        os.kill(os.getpid(), number)
        entry = charge(*arguments, **options)
        os.kill(os.getpid(), number)
        return entry

    monkeypatch.setattr(Ledger, "charge", pressed)
    outcome = run("release", plan, "--yes")
    assert outcome.status == 0
    assert "line 1 of the ledger was charged by then, and all answers" in outcome.errors
    assert len(left_over(plan)) >= 5
    assert charged(plan) == 1


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_before_the_charge_a_signal_costs_nothing(
    plan: Path, monkeypatch: pytest.MonkeyPatch, number: int, status: int
) -> None:
    monkeypatch.setattr(engine, "measured", lambda *_: os.kill(os.getpid(), number))
    outcome = run("release", plan, "--yes")
    assert outcome.status == status
    assert outcome.errors == "leastnoise: interrupted; nothing was charged or written.\n"
    assert charged(plan) == 0


def test_signals_that_the_caller_ignores_stay_ignored(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        monkeypatch.setattr("os.replace", pressing(os.replace, signal.SIGHUP))
        outcome = run("release", plan, "--yes")
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (outcome.status, outcome.errors) == (0, "")


def test_an_interruption_while_the_command_loads() -> None:
    """Of a real process: status 130, one line, no traceback."""
    program = (
        "import builtins, os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "real = builtins.__import__\n"
        "def loading(name, *more):\n"
        "    if name == sys.argv[2]: os.kill(os.getpid(), signal.SIGINT)\n"
        "    return real(name, *more)\n"
        "builtins.__import__ = loading\n" + PROGRAM
    )
    for module in ("typer", "leastnoise.release.file.plan_file", "numpy"):
        command = [sys.executable, "-c", program, "preview", module]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 130, (module, done.stderr)
        assert done.stderr == "leastnoise: interrupted; nothing was charged or written.\n"


def test_interruptions_wait_only_where_they_can() -> None:
    seen = list[str]()

    def elsewhere() -> None:
        with interrupted.Signals().watched():
            seen.append("worked")

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == ["worked"]
    before = signal.getsignal(signal.SIGINT)

    def here(signals: interrupted.Signals) -> None:
        with signals.watched():
            press()
            seen.append("went on")

    with pytest.raises(KeyboardInterrupt):
        here(interrupted.Signals())
    assert seen[-1] == "worked"
    held = interrupted.Signals()
    with held.watched():
        held.hold()
        press()
        seen.append("went on")
    assert seen[-1] == "went on"
    assert held.status == 130
    assert signal.getsignal(signal.SIGINT) is before


def test_a_real_interruption_of_a_real_process(plan: Path) -> None:
    program = PROGRAM.replace(
        "main()",
        "import leastnoise.release.draw.answered as p, os, signal; old = p.measured\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def measured(*a):\n  os.kill(os.getpid(), signal.SIGINT); return old(*a)\n"
        "p.measured = measured\nmain()",
        1,
    ).replace("import main; import", "import main\nimport")
    command = [sys.executable, "-c", program, "release", str(plan), "--yes"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr == "leastnoise: interrupted; nothing was charged or written.\n"
    assert charged(plan) == 0


def on_a_terminal(*arguments: str) -> tuple[int, str]:
    """Status and output of a command that believes to talk to a person."""
    mine, theirs = pty.openpty()
    command = [sys.executable, "-c", PROGRAM, *arguments]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "200"}
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    output = b""
    while True:
        try:
            part = os.read(mine, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    os.close(mine)
    return process.wait(), output.decode()


def test_tables_on_a_terminal_have_colour_and_elsewhere_none(plan: Path) -> None:
    status, output = on_a_terminal("preview", str(plan))
    assert status == 0
    assert "\x1b[" in output
    plain = run("preview", plan).output
    assert "\x1b[" not in plain
    assert "count by city" in plain


def test_progress_is_shown_to_people_alone(plan: Path) -> None:
    status, output = on_a_terminal("release", str(plan), "--yes")
    assert status == 0
    assert "reading the data" in output
    silent = run("release", plan, "--yes", "--replace", "--yes")
    assert silent.errors == ""
    assert "reading the data" not in silent.output


def test_a_full_disk_after_the_charge_does_not_lose_the_answers(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr("leastnoise.cli.files.alone_in", lambda _: nullcontext())
    monkeypatch.setattr("leastnoise.cli.release.alone_in", lambda _: nullcontext())
    (plan.parent / "out").mkdir()
    for options in ([], ["--json"]):
        outcome = run("release", plan, "--yes", *options)
        assert outcome.status == 3
        assert "no space left" in outcome.errors
        assert "line" in outcome.errors
        assert len(json.loads(outcome.output)["tables"]) == 3  # paid for, hence printed
    assert charged(plan) == 2
    assert left_over(plan) == set()


def test_a_lost_engine_charges_nothing(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original: Callable[..., Any] = vars(engine)["measured"]

    def moved(*arguments: Any) -> Any:
        (plan.parent / "visits.csv").unlink()
        return original(*arguments)

    monkeypatch.setattr(engine, "measured", moved)
    outcome = run("release", plan, "--yes")
    assert outcome.status == 2
    assert "its message is withheld" in outcome.errors
    assert charged(plan) == 0


def test_the_same_plan_is_served_from_the_store(plan: Path) -> None:
    plan.write_text(PLAN.replace('folder = "out"', 'folder = "out"\nstore = true'), "utf-8")
    first = run("release", plan, "--yes")
    assert first.status == 0, first.errors
    answers = (plan.parent / "out" / "release.json").read_text("utf-8")
    again = run("release", plan, "--yes")
    assert again.status == 0
    told = " ".join(again.output.split())
    assert "nothing was charged or drawn, and rows that changed since then are not in it" in told
    assert (plan.parent / "out" / "release.json").read_text("utf-8") == answers
    assert charged(plan) == 1


@pytest.mark.spread(2)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=str)
def test_a_key_pressed_while_the_process_ends_changes_no_status(
    plan: Path, number: signal.Signals
) -> None:
    """Answers are charged and written: 130 would say that nothing was."""
    program = (
        f"import os, signal\nsignal.signal({int(number)}, signal.SIG_DFL)\n"
        "from leastnoise.cli.main import main\n"
        f"try:\n    main()\nfinally:\n    os.kill(os.getpid(), {int(number)})\n"
    )
    command = [sys.executable, "-c", program, "release", str(plan), "--yes"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, len(Ledger(plan.parent / "budget.db").history())) == (0, 1)
