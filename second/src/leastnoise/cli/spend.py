"""From a query to its answer on the screen: ask, charge, write files, print."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from leastnoise.cli.options import Noise
from leastnoise.cli.output import (
    NOT_FINISHED,
    NOT_WRITTEN,
    REFUSED,
    CommandExit,
    OutputClosed,
    agrees,
    bad_input,
    can_ask,
    show,
    tell,
    working,
)
from leastnoise.cli.spelling import as_options
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.records import Request
from leastnoise.numbers.errors import LeastNoiseError, LedgerError
from leastnoise.release.data import Query
from leastnoise.release.plan import Plan, Release, free_paths, request_of
from leastnoise.release.preview import Preview, margin_text
from leastnoise.release.release import laplace_left
from leastnoise.release.result import Result
from leastnoise.release.schedule import Schedule
from leastnoise.report.numbers import percent


@dataclass(frozen=True)
class Wish:
    """How a release is to be made, beside what is asked.

    Attributes:
        epsilon: how much of the ledger it costs.
        rho: the same on a ledger in rho.
        noise: a law that is insisted on.
        analyst: who asks.
        data_version: a name for the data.
        again: whether stored answers are passed over.
        yes: whether nobody is asked.
        folder: where files are written.
        format: of the files.
        force: whether files are overwritten.
        json: whether JSON is printed.
        period: which one, of a schedule.
    """

    epsilon: Fraction | None
    rho: Fraction | None
    noise: Noise
    analyst: str | None
    data_version: str | None
    again: bool
    yes: bool
    folder: str | None
    format: str
    force: bool
    json: bool
    period: str = ""

    def check(self) -> None:
        """Refuses what could not end well, before anything is read."""
        if self.yes and not (self.data_version or self.again or self.period):
            raise bad_input(
                "--yes needs --data-version, a name for the data of this run, or --again. Without "
                "them a job would publish the same numbers again for ever.\n"
                "  --yes --data-version 2026-11"
            )
        if not self.yes and not can_ask():
            raise bad_input(
                "This asks before it spends, and nobody can be asked here.\n"
                "  --yes --data-version 2026-11   a name for the data of this run"
            )

    @property
    def price(self) -> dict[str, Any]:
        """As arguments of `preview` and `release`."""
        return {"epsilon": self.epsilon, "rho": self.rho, "noise": self.noise}


def spend(asked: Query | Plan | Schedule, ledger: Ledger, wish: Wish) -> None:
    """Asks, charges, writes the files and then prints the answers."""
    names = asked.names if isinstance(asked, Plan) else ["answer"]
    if wish.folder is not None:
        _check_folder(names, wish)
    price = wish.price
    request = asked.request if isinstance(asked, Schedule) else request_of(asked, ledger, **price)
    if not wish.yes and (wish.again or not _charges(ledger, request)):
        _ask(asked, ledger, wish)
    answer = _answer(asked, ledger, wish, request)
    together = answer if isinstance(answer, Release) else Release({"answer": answer})
    try:
        if wish.folder is not None:
            together.save(wish.folder, wish.format, force=wish.force)
        show(answer.to_json() if wish.json else str(answer).replace("again=True", "--again"))
    except (OSError, OutputClosed) as error:
        why = getattr(error, "strerror", None) or "the reader of the output went away"
        number = next(iter(together.values())).terms.number
        raise CommandExit(
            NOT_WRITTEN,
            f"The answers were charged and are stored as release {number} of {ledger.name}, but not "
            f"all were written: {why}.\nRun the same command again: it costs nothing.",
        ) from None


def _check_folder(names: list[Any], wish: Wish) -> None:
    """Refuses before the charge what could not be written after it."""
    assert wish.folder is not None
    free_paths(names, wish.folder, wish.format, force=wish.force)
    try:
        Path(wish.folder).mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=wish.folder):
            pass
    except OSError as error:
        raise bad_input(f"{wish.folder} cannot be written to: {error.strerror}.") from None


def _ask(asked: Query | Plan | Schedule, ledger: Ledger, wish: Wish) -> None:
    """Shows what the release gives and costs, and goes on only if somebody agrees."""
    if isinstance(asked, Schedule):
        found = asked.preview()
    else:
        found = cast(Preview, asked.preview(ledger, **wish.price))
    if not found.meters.fits(found.choice.proposal.price):
        return  # the release refuses it, with the most that fits
    tell(as_options(f"{found}\n"))
    left, question = (
        laplace_left(found.meters, found.choice),
        f"Spend {percent(found.cost)} of {ledger.name}?",
    )
    if left is not None:
        tell(
            f"This release uses Laplace noise and costs {percent(found.cost)} of {ledger.name}. "
            "Afterwards the ledger accepts only Laplace noise, without groups auto: epsilon "
            f"{left} in all.{_gaussian(asked, ledger, wish, found)}"
        )
        question = "Go on with Laplace noise?"
    if not agrees(question):
        raise CommandExit(REFUSED, "Nothing was charged.")


def _gaussian(asked: Query | Plan | Schedule, ledger: Ledger, wish: Wish, found: Preview) -> str:
    """What Gaussian noise would cost in place of Laplace noise; a schedule has no choice."""
    if isinstance(asked, Schedule):
        return ""
    other = cast(Preview, asked.preview(ledger, **wish.price | {"noise": "gaussian"}))
    if not other.meters.fits(other.choice.proposal.price):
        return ""
    gains = {
        (found.margin(f"{name}.{column}") / other.margin(f"{name}.{column}"), name, column)
        for name, select in found.selects.items()
        for column in select.aggregates
    }
    gain, name, column = min(gains)
    text = f"\nWith --noise gaussian it costs {percent(other.cost)} and leaves both open"
    if gain >= 1:
        return f"{text}, at smaller margins."
    kind = found.selects[name].aggregates[column]
    shown = f"{name}.{column}" if len(found.selects) > 1 else column
    widths = [margin_text(kind, each.margin(f"{name}.{column}")) for each in (other, found)]
    return f"{text}, but the margin of {shown} is {widths[0]} instead of {widths[1]}."


def _answer(
    asked: Query | Plan | Schedule, ledger: Ledger, wish: Wish, request: Request
) -> Result | Release:
    """The answer; if the release was charged and stopped, the status says so."""
    before = _charges(ledger, request)
    try:
        with working("Reading and counting"):
            if isinstance(asked, Schedule):
                return asked.release(wish.period)
            return asked.release(ledger, **wish.price, analyst=wish.analyst, again=wish.again)
    except (LeastNoiseError, KeyboardInterrupt, MemoryError, OSError) as error:
        if _charges(ledger, request) == before:
            raise
        message = str(error) if isinstance(error, LedgerError) else (
            "This was charged and stopped. Run the same command again: it continues and costs "
            "nothing more."
        )  # fmt: skip
        raise CommandExit(NOT_FINISHED, message) from None


def _charges(ledger: Ledger, request: Request) -> dict[int, int]:
    """The charges for one release so far, each with how often it was tried."""
    ledger.store.refresh()
    return {entry.number: entry.attempts for entry in ledger.store.find(request)}
