"""`leastnoise`: the command, and how it ends.

Exit status: 0 done; for a release: charged, and everything was written. 1 refused (budget,
certificate, verification), and nothing was charged. 2 bad input, and nothing was charged. 3
charged, and something is missing: the message says what. 130 interrupted (143 terminated, 129 hung
up), and nothing was charged. 141 nobody reads the output.
"""

import gc
import json
import os
import sys

from leastnoise._display import visible_json
from leastnoise.cli.declared import Ended
from leastnoise.cli.incomplete import Incomplete
from leastnoise.cli.interrupted import SIGNALS, Interrupted
from leastnoise.cli.leaving import Leaving
from leastnoise.cli.streams import Unread, complain, finish, make_ready
from leastnoise.errors import BudgetExceeded, LeastNoiseError

_REFUSED, _BAD_INPUT, _INCOMPLETE, _UNREAD = 1, 2, 3, 141  # see above
# After each small task, threads of linear algebra keep a processor busy for a while, to wait for
# the next one. Commands have next to none for them: they may sleep at once, after 2⁴ cycles.
_SLEEP, _SOON = "OPENBLAS_THREAD_TIMEOUT", "4"


def command() -> None:
    """The process of `leastnoise`: run the command, and end at once."""
    leaving = Leaving()
    os.environ.setdefault(_SLEEP, _SOON)  # NumPy is not loaded yet, and reads it then
    try:
        main()
    except SystemExit as end:
        leaving.with_status(end.code)
        raise


def main(*, to_the_end: bool = True) -> None:
    """Run the command; what the library refuses on purpose becomes one line and a status.

    Args:
        to_the_end: whether the process ends with it; a program that goes on says False.
    """
    make_ready()
    try:
        with SIGNALS.watched(to_the_end=to_the_end):
            status = _ended()
            lost = finish()
            if lost and not status and not SIGNALS.held:
                status = _about_lost(lost)
    finally:
        if not to_the_end:  # else Python looks for garbage as it ends, and need not look at that
            gc.unfreeze()
    sys.exit(status)


def _ended() -> int:
    """The status of the command that was called."""
    try:
        status = _run()
    except (Interrupted, KeyboardInterrupt):
        SIGNALS.hold()  # impatient people send several
        return _told(Interrupted("interrupted; nothing was charged or written."), SIGNALS.status)
    except Unread as stop:
        return _about_lost(stop.failure)
    except Incomplete as failure:
        return _told(failure, _INCOMPLETE)
    except BudgetExceeded as refusal:
        return _told(refusal, _REFUSED)
    except LeastNoiseError as refusal:
        return _told(refusal, _BAD_INPUT)
    # The library for options turns a signal into a status of its own.
    return status if SIGNALS.held or not SIGNALS.came else SIGNALS.status


def _run() -> int:
    # Loaded here, and not above: a signal may come while it loads.
    from leastnoise.cli.application import application, joined  # noqa: PLC0415

    try:
        application(joined(sys.argv[1:]))()
    except Ended as end:
        return end.status
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _told(failure: Exception, status: int) -> int:
    """Say what went wrong; as JSON too, if that is what the caller reads."""
    complain(f"leastnoise: {failure}")
    answered = isinstance(failure, Incomplete) and failure.answered
    if "--json" in sys.argv and not answered:
        facts = {"error": type(failure).__name__, "message": str(failure), "status": status}
        print(visible_json(json.dumps(facts, ensure_ascii=False)))
    return status


def _about_lost(failure: OSError) -> int:
    if isinstance(failure, BrokenPipeError):
        return _UNREAD
    reason = (failure.strerror or "an error").lower()
    complain(f"leastnoise: the output must be writable; got {reason}. Send it elsewhere.")
    return _BAD_INPUT
