"""The command `leastnoise` and how it ends.

Exit status: 0 done; 1 refused, nothing charged; 2 bad input, nothing charged; 3 charged, answers
stored but not all written; 4 charged, not finished: run the same command again. 130 after Ctrl-C and
141 if nobody reads the output, as of other commands.
"""

import sys
import warnings
from importlib.metadata import version
from typing import Annotated, Any

import typer

from leastnoise.cli import audit, init, inspect, ledger, output, preview, release, theory
from leastnoise.cli.output import CommandExit, OutputClosed
from leastnoise.cli.spelling import as_options
from leastnoise.numbers.errors import InvalidInput, LeastNoiseError, did_you_mean

STYLE: dict[str, Any] = {
    "no_args_is_help": True,
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": output.WIDTH}

app = typer.Typer(**STYLE, context_settings=CONTEXT)
app.command()(init.init)
app.command(no_args_is_help=True)(inspect.inspect)
app.command(no_args_is_help=True)(preview.preview)
app.command(no_args_is_help=True)(release.release)
app.command(no_args_is_help=True)(release.sql)
app.command(no_args_is_help=True)(theory.optimal)
app.command(no_args_is_help=True)(theory.account)
app.command(no_args_is_help=True)(theory.sample_size)
app.command(no_args_is_help=True)(theory.check)
app.command(no_args_is_help=True)(audit.audit)
app.add_typer(ledger.app, name="ledger", context_settings=CONTEXT)

_UsageError: type[Exception] = next(
    each for each in typer.BadParameter.__mro__ if each.__name__ == "ClickException"
)


def _print_version(wanted: bool) -> None:
    if wanted:
        output.show(f"leastnoise {version('leastnoise')}")
        raise typer.Exit


@app.callback()
def _leastnoise(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Publish counts, means and tables about people with differential privacy.

    To try it:  leastnoise init --example
    """


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = lambda message, *_rest, **_more: output.tell(f"Warning: {message}")
        return _run(arguments)


def _run(arguments: list[str] | None) -> int:
    try:
        status = app(arguments, standalone_mode=False, prog_name="leastnoise")
        return status if isinstance(status, int) else output.DONE
    except CommandExit as end:
        return _ended(end.status, end.message)
    except OutputClosed:
        return output.CLOSED
    except (KeyboardInterrupt, typer.Abort):
        return _ended(output.INTERRUPTED, "")
    except _UsageError as error:
        return _misused(error)
    except InvalidInput as error:
        return _ended(output.BAD_INPUT, as_options(str(error)))
    except LeastNoiseError as error:
        return _ended(output.REFUSED, as_options(str(error)))


def _ended(status: int, message: str) -> int:
    if message:
        output.tell(f"Error: {message}" if status == output.BAD_INPUT else message)
    return status


def _misused(error: Any) -> int:
    """Shows what is wrong with the command line, with the nearest name and where to read on."""
    text = str(error.format_message()).strip().replace("Value error, ", "")
    if text.startswith("Usage:"):  # nothing was typed: the help
        output.tell(text)
        return output.BAD_INPUT
    context = error.ctx
    command = "leastnoise" if context is None else context.command_path
    option = getattr(error, "option_name", None)
    if option is not None and context is not None and str(option).startswith("-"):
        known = [name for each in context.command.params for name in each.opts]
        hint = did_you_mean(option, known) if option not in known else ""
        text = f"There is no option {option}.{hint}" if hint else text
    if command.endswith(" sql") and "unexpected extra argument" in text:
        text = "The SELECT is one argument: write it in quotes"
    ending = "" if text.endswith((".", "?")) else "."
    return _ended(output.BAD_INPUT, f"{text.removesuffix('?.')}{ending}\n  {command} --help")


if __name__ == "__main__":
    sys.exit(main())
