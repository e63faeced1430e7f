"""`Command`: a program in any language, as something that can be audited."""

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import KW_ONLY
from math import isfinite

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Checked, checked, frozen
from leastnoise.auditing.object_columns import Raised

_MOST_LINE = 1 << 20  # a longer output is cut


def _words(words: str | Sequence[str], _: str) -> tuple[str, ...]:
    try:
        parts = tuple(shlex.split(words) if isinstance(words, str) else words)
    except ValueError:
        raise _check.refuse(
            "a command must be words as a shell splits them",
            f"unbalanced quotes in {_check.shown(words)}",
            "Close them.",
        ) from None
    if parts:
        return parts
    raise _check.refuse(
        "a command must name a program", _check.shown(words), "Write for example 'echo {data}'."
    )


@frozen
class Command:
    r"""A command line that prints one output per line; it is run until enough lines are there.

    In its words, {data} stands for the input and {size} for how many outputs are wanted. Without
    {data} the input is written to the program's standard input, as text. A line that is a number is
    taken for it. A run that prints nothing and fails counts as one output: its exit status.

    No shell is involved, and what the program writes to standard error is not read. Each run must
    draw afresh: lines that share noise are not independent, and the audit's confidence is void.

    Args:
        words: the command as one text, split as a shell would, or as a list of words.
        seconds: how long one run may take; longer counts as the output "timeout".

    Raises:
        InvalidParameter: no such program, or not a command.

    Example:
        >>> Command("echo {data}").outputs("1", 2)
        [1, 1]
    """

    words: Checked[str | Sequence[str], tuple[str, ...]] = checked(_words)
    _: KW_ONLY
    seconds: Checked[Exact, float] = checked(
        lambda seconds, name: float(_check.positive(seconds, name)), default=60
    )

    def outputs(self, data: str, count: int) -> list[object]:
        """So many outputs for an input."""
        drawn: list[object] = []
        while len(drawn) < count:
            drawn += self._run(data, count - len(drawn))[: count - len(drawn)]
        return drawn

    def _run(self, data: str, count: int) -> list[object]:
        """The outputs of one run."""
        words = [word.replace("{data}", data).replace("{size}", str(count)) for word in self.words]
        try:
            done = subprocess.run(
                words,
                input="" if self._names_data else data,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=self.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [Raised("timeout")]
        except OSError as failure:
            reason = (failure.strerror or "an error").lower()
            raise _check.refuse(
                "a command must be a program that can be run",
                f"{self.words[0]!r:.60}: {reason}",
                "Check its path.",
            ) from None
        lines: list[object] = [_output(line) for line in done.stdout.splitlines()]
        return lines or [Raised(f"exit status {done.returncode}")]

    @property
    def _names_data(self) -> bool:
        return any("{data}" in word for word in self.words)


def _output(line: str) -> object:
    """A line as the number it is, or as text."""
    text = line.strip()[:_MOST_LINE]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return text
    return value if isfinite(value) else text
