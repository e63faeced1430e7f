"""`leastnoise explore`: the interactive page, on this machine alone."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

from leastnoise._check import refuse
from leastnoise.cli.declared import Option


def explore(
    port: Annotated[int, Option(min=0, max=65535, help="0 for any that is free.")] = 0,
    browser: Annotated[bool, Option(help="Open the page in the browser.")] = True,
) -> None:
    """Serve a page that shows what a budget means, plans, releases and shows the ledger.

    It listens on this machine only; its address holds a token that is new in every run.
    """
    try:
        from leastnoise.web.server import serve  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as missing:
        raise refuse(
            "the explorer needs the extra `explore`",
            f"no {missing.name}",
            "Install leastnoise[explore].",
        ) from None
    with suppress(KeyboardInterrupt):  # the usual end
        serve(port=port, folder=Path.cwd(), browser=browser, say=_say)


def _say(address: str) -> None:
    print(f"The explorer is at {address}\nPress Ctrl+C to stop it.", flush=True)
