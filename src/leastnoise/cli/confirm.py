"""The question before something is spent. Whoever runs a command is told, and says yes, or --yes.

The question is asked on standard error, so that what a program reads on standard output is not
mixed with it. Where nobody can answer, as under cron, nothing is spent: --yes is the answer there.
"""

import sys
from collections.abc import Sequence
from typing import Annotated

from leastnoise._check import refuse
from leastnoise._display import visible
from leastnoise.cli.declared import Ended, Option
from leastnoise.cli.screen import bold, wrapped
from leastnoise.cli.streams import tell

YesOption = Annotated[bool, Option("--yes", "-y", help="Spend without asking.")]
_AGREED = {"y", "yes"}


def confirm(question: str, facts: Sequence[str], prompt: str, *, yes: bool) -> None:
    """Ask, unless the answer was given; ends the command with status 1 if it is no.

    Args:
        question: what would be done, and what it costs.
        facts: what stands below it.
        prompt: the last line, such as "Release?".
        yes: whether it was answered on the command line.

    Raises:
        InvalidParameter: nobody answered.
        Ended: no.
    """
    if yes:
        return
    tell(bold(wrapped(visible(question)), sys.stderr))
    for fact in facts:
        tell(wrapped(visible(fact), indent="  ", hanging="   "))
    tell(f"{prompt} [y/N] ", end="")
    answer = _answer()
    if answer is None:
        tell("")
        raise refuse(
            "what is spent must be confirmed",
            "no answer; nothing was charged",
            "Answer y, or give --yes.",
        )
    if not sys.stdin.isatty():
        tell(answer)  # what was piped in is seen as if it were typed
    if answer.strip().lower() not in _AGREED:
        tell("Nothing was charged.")
        raise Ended(1)


def _answer() -> str | None:
    """One line; None where there is nobody."""
    try:
        line = sys.stdin.readline()
    except (OSError, ValueError, AttributeError):
        return None
    return line.rstrip("\n") if line else None
