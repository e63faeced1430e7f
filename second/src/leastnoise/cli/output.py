"""What the commands print, where, and with which exit status they end.

Answers go to stdout; questions, progress and errors go to stderr. With --json stdout is JSON alone.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import wrap
from typing import Any

WIDTH = 80
PATIENCE = 2.0  # seconds, after which a command shows that it is at work

DONE, REFUSED, BAD_INPUT, NOT_WRITTEN, NOT_FINISHED = 0, 1, 2, 3, 4
INTERRUPTED, CLOSED = 130, 141


class CommandExit(Exception):
    """The end of a command.

    Attributes:
        status: what the shell sees.
        message: what is written to stderr, if anything.
    """

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class OutputClosed(Exception):
    """Nobody reads stdout any more, as behind `| head`."""


def bad_input(message: str) -> CommandExit:
    """What was typed is wrong; nothing was charged."""
    return CommandExit(BAD_INPUT, message)


def show(what: object) -> None:
    """Prints an answer to stdout."""
    try:
        print(what, flush=True)
    except BrokenPipeError:
        # Python flushes stdout once more at its end, and that must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputClosed from None


def show_json(body: Any) -> None:
    """Prints JSON to stdout."""
    show(json.dumps(body, ensure_ascii=False, indent=2, default=str))


def tell(text: str) -> None:
    """Prints a remark to stderr."""
    print(folded(text), file=sys.stderr, flush=True)


def folded(text: str) -> str:
    """A message in lines of at most 80 columns; lines that are indented stay as they are."""
    lines = []
    for line in text.split("\n"):
        fits = len(line) <= WIDTH or line.startswith(" ")
        kept = [line] if fits else wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += kept
    return "\n".join(lines)


def can_ask() -> bool:
    """Whether somebody can answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str, default: str = "", *, instead: str = "") -> str:
    """The answer to a question.

    Args:
        question: what is asked.
        default: what Enter means.
        instead: what to type on the command line where nobody answers.
    """
    print(folded(question) + " ", file=sys.stderr, end="", flush=True)
    try:
        return input().strip() or default
    except EOFError:
        print(file=sys.stderr)
        raise bad_input(f"Nobody answered. {instead}") from None


def agrees(question: str) -> bool:
    """Whether somebody answers yes; no is what Enter means."""
    return ask(f"{question} [y/N]", instead="Nothing was charged.").lower() in ("y", "yes")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Shows on stderr that a command is at work, if it takes long. Only the time is shown."""
    ends: list[Any] = []

    def begin() -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        if not console.is_terminal:
            tell(f"{what} ...")
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        progress = Progress(*columns, console=console, transient=True)
        progress.add_task(what)
        progress.start()
        ends.append(progress.stop)

    timer = threading.Timer(PATIENCE, begin)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for end in ends:
            end()
