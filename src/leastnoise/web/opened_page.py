"""`opened_page`: shows an address to its owner's browser and to nobody else.

A browser's command line can be read by everyone on the machine, so the address, which holds the
token, must not stand there. The browser is given a file that only its owner can read, and that
leads on to the page.
"""

import html
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LEADING = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>leastnoise explorer</title>'
    '<meta name="referrer" content="no-referrer">'
    '<meta http-equiv="refresh" content="0; url={address}">'
    '<p><a href="{address}">Open the explorer</a></p></html>'
)


@contextmanager
def opened_page(address: str) -> Iterator[None]:
    """Open the page; the file is gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="leastnoise-") as folder:  # for its owner alone
        leading = Path(folder) / "explorer.html"
        leading.write_text(_LEADING.format(address=html.escape(address)), "utf-8")
        webbrowser.open(leading.as_uri())
        yield
