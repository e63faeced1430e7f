"""`serve`: the page on this machine's own address, until the person stops it."""

import html
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import uvicorn

from leastnoise._check import refuse
from leastnoise.web.app import explorer
from leastnoise.web.connection import Connection
from leastnoise.web.token import new_token

_ADDRESS = "127.0.0.1"
_GRACE_SECONDS = 2  # for answers that are nearly done
_BACKLOG = 128  # visitors that wait to be let in
_LEADING = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>leastnoise explorer</title>'
    '<meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0; url={address}">'
    '<p><a href="{address}">Open the explorer</a></p></html>'
)


def serve(
    *, port: int = 0, folder: Path, browser: bool = True, say: Callable[[str], None] = print
) -> None:
    """Serve the explorer on loopback until interrupted.

    Args:
        port: 0 for any that is free.
        folder: what typed paths are relative to.
        browser: whether to open the page.
        say: is told the address.

    Raises:
        InvalidParameter: the port is taken.
    """
    with _listening(port) as ear:
        own_port = ear.getsockname()[1]
        token = new_token()
        hosts = frozenset({f"{_ADDRESS}:{own_port}", f"localhost:{own_port}"})
        address = f"http://{_ADDRESS}:{own_port}/{token}/"
        say(address)
        # No access log: addresses hold the token.
        config = uvicorn.Config(
            explorer(token, hosts, folder),
            http=Connection,
            ws="none",
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        with opened_page(address) if browser else nullcontext():
            uvicorn.Server(config).run(sockets=[ear])


def _listening(port: int) -> socket.socket:
    # With the protocol named, answers leave at once: no wait for a full packet (40 ms).
    ear = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        ear.bind((_ADDRESS, port))
        ear.listen(_BACKLOG)  # who comes before the page is ready waits
    except OSError:
        ear.close()
        raise refuse("the port must be free", f"port {port}", "Leave it out, or another.") from None
    return ear


@contextmanager
def opened_page(address: str) -> Iterator[None]:
    """Open the page in its owner's browser; the file is gone when the block ends.

    A browser's command line can be read by everyone on the machine, so the address, which holds the
    token, must not stand there. The browser is given a file that only its owner can read, and that
    leads on to the page.
    """
    with tempfile.TemporaryDirectory(prefix="leastnoise-") as folder:  # for its owner alone
        leading = Path(folder) / "explorer.html"
        leading.write_text(_LEADING.format(address=html.escape(address)), "utf-8")
        webbrowser.open(leading.as_uri())
        yield
