"""Options and help, by a library that is loaded for them."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, get_args, get_origin

import typer

from leastnoise.cli.declared import Argument, Option
from leastnoise.version import __version__


def parsing(command: Callable[..., None], called: str) -> typer.Typer:
    """The application with the command that is called."""
    app = _application()
    app.command(called)(_understood(command))
    return app


def listing(told: Mapping[str, str]) -> typer.Typer:
    """The application with the names of all commands to choose from, and what is told of each."""
    app = _application()
    for name, words in told.items():
        app.command(name, help=words)(lambda: None)  # listed, and not called
    return app


def _application() -> typer.Typer:
    app = typer.Typer(
        name="leastnoise",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    return app


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


def _understood(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its declarations in the parser's own words."""
    known = inspect.signature(command)
    own = [
        each.replace(annotation=_in_its_words(each.annotation))
        for each in known.parameters.values()
    ]

    @wraps(command)
    def called(**given: Any) -> None:
        command(**given)

    called.__signature__ = known.replace(parameters=own)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in own}
    return called


def _in_its_words(annotation: Any) -> Any:
    if get_origin(annotation) is not Annotated:
        return annotation
    kind, declared = get_args(annotation)
    match declared:
        case Argument():
            said = typer.Argument(help=declared.help, show_default=declared.show_default)
        case Option():
            said = typer.Option(
                *declared.names, help=declared.help, min=declared.min, max=declared.max
            )
        case _:
            return annotation
    return Annotated[kind, said]
