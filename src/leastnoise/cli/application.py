"""The commands, each loaded when it is called."""

import gc
import inspect
import os
from collections.abc import Callable, Sequence
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from leastnoise.cli.interrupted import Interrupted
from leastnoise.cli.streams import Unread

# Where each command lives. It is loaded when it is called: a preview must not wait for parts of the
# library that it does not need.
COMMANDS = {
    "init": "leastnoise.cli.init:init",
    "preview": "leastnoise.cli.preview:preview",
    "inspect": "leastnoise.cli.inspect_data:inspect",
    "prepare": "leastnoise.cli.prepare:prepare",
    "bounds": "leastnoise.cli.bounds:bounds",
    "release": "leastnoise.cli.release:release",
    "sql": "leastnoise.cli.sql:sql",
    "budget": "leastnoise.cli.budget:budget",
    "budget begin": "leastnoise.cli.budget_begin:begin",
    "budget grant": "leastnoise.cli.budget_begin:grant",
    "budget move": "leastnoise.cli.budget_begin:move",
    "cap": "leastnoise.cli.cap:cap",
    "schema": "leastnoise.cli.schema:schema",
    "optimal": "leastnoise.cli.optimal:optimal",
    "account": "leastnoise.cli.account:account",
    "sample-size": "leastnoise.cli.sample_size:sample_size",
    "check": "leastnoise.cli.check:check",
    "audit": "leastnoise.cli.audit:audit",
    "explore": "leastnoise.cli.explore:explore",
}
# What the list of commands says of each, in a line of a screen of 80 columns.
TOLD = {
    "init": "Write a plan, or a dataset's file, to begin with.",
    "preview": "Show the error of every answer; nothing is read or spent.",
    "inspect": "NOT PRIVATE: show the data's owner what would be left out.",
    "prepare": "Copy a table so that many releases of it take less time.",
    "bounds": "Spend a little to see what each bound would cut and cost.",
    "release": "Spend the budget; write tables and a report.",
    "sql": "Preview a SELECT statement; with --release, answer it.",
    "budget": "Show a ledger: its lines, and what is left for whom.",
    "budget begin": "Begin a ledger, once.",
    "budget grant": "Let a role charge a ledger on PostgreSQL.",
    "budget move": "Take over a ledger of an earlier version on PostgreSQL.",
    "cap": "Give a label a budget of its own inside the total.",
    "schema": "Print the JSON Schema of plan files, or of dataset files.",
    "optimal": "Find the least noise for one query, with its certificate.",
    "account": "Say which ε a training run costs, or what an ε allows.",
    "sample-size": "Say how many records suffice for an error.",
    "check": "Check a certificate, or those of a release.",
    "audit": "Look for a violation of (ε, δ)-DP in a program's outputs.",
    "explore": "Serve a page to choose, plan and release with sliders.",
}


def application(arguments: list[str]) -> Callable[[], None]:
    """What the arguments ask for: the command that is called, or the names of all."""
    called = next((each for each in arguments if not each.startswith("-")), "")
    command = _interruptible(_loaded(COMMANDS[called])) if called in COMMANDS else None
    ready = _given(command, arguments[1:]) if command and called == arguments[0] else None
    if ready:
        return ready
    from leastnoise.cli.parser import listing, parsing  # noqa: PLC0415 - takes time to load

    app = parsing(command, called) if command else listing(TOLD)
    return partial(app, args=arguments)


def _given(command: Callable[..., None], words: Sequence[str]) -> Callable[[], None] | None:
    """The command with all that it needs, if nothing but that is given, and each is a plain word.

    Nothing is to be parsed then, and the parser takes 50 ms to load: with it comes a whole library
    of data types, to read a single word or to know that none asks for help.
    """
    known = inspect.signature(command).parameters.values()
    kinds = [get_args(each.annotation)[:1] for each in known if each.default is each.empty]
    if len(words) != len(kinds) or not all(map(_is_plain, words, kinds)):
        return None
    values = [kind(word) for word, (kind,) in zip(words, kinds, strict=True)]
    return lambda: command(*values)


def _is_plain(word: str, kind: tuple[object, ...]) -> bool:
    """Whether the parser would take it for a text, or for the path of something to read."""
    if word.startswith("-"):
        return False
    return kind == (str,) or (kind == (Path,) and os.access(word, os.R_OK))


def joined(arguments: list[str]) -> list[str]:
    """Commands of two words are one argument from here on."""
    both = " ".join(arguments[:2])
    return [both, *arguments[2:]] if both in COMMANDS else arguments


def _loaded(home: str) -> Callable[..., None]:
    """A command's function; no time is spent on looking for garbage in what loads with it."""
    module, _, function = home.partition(":")
    gc.disable()
    try:
        found: Callable[..., None] = getattr(import_module(module), function)
    finally:
        gc.freeze()
        gc.enable()
    return found


def _interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with an interruption told in words instead of a bare "Aborted"."""

    @wraps(command)
    def told(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            raise Interrupted from None
        except OSError as failure:
            if failure.filename is None:  # not about a file, hence about a stream
                raise Unread(failure) from None
            raise

    return told
