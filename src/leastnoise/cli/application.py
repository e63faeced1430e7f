"""The commands, each loaded when it is called."""

import gc
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import typer

from leastnoise.cli.interrupted import Interrupted
from leastnoise.cli.streams import Unread
from leastnoise.version import __version__

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


def _version(wanted: bool) -> None:
    if wanted:
        print(f"leastnoise {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Differential privacy with the least noise there is."""


def application(arguments: list[str]) -> typer.Typer:
    """The application with the command that is called, or with the names of all to choose from."""
    app = typer.Typer(
        name="leastnoise",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    called = next((each for each in arguments if not each.startswith("-")), "")
    if called in COMMANDS:
        app.command(called)(_interruptible(_loaded(COMMANDS[called])))
        return app
    for name, words in TOLD.items():
        app.command(name, help=words)(lambda: None)  # listed, and not called
    return app


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
