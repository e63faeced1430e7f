"""Where a ledger is kept: a file, or a database server. Nothing else lasts."""

from pathlib import Path

from leastnoise import _check
from leastnoise.ledger.sqlite_store import SQLiteStore
from leastnoise.ledger.store import Store

_URLS = ("postgresql://", "postgres://")
_SPECIAL = (":", "file:")  # what SQLite may take for a database in memory, or for an address


def store_of(place: str | Path) -> Store:
    """The store at a path or URL.

    Raises:
        InvalidParameter: neither, or a place that forgets.
    """
    if isinstance(place, str) and place.startswith(_URLS):
        from leastnoise.ledger.postgres_store import PostgresStore  # noqa: PLC0415 - few need it

        return PostgresStore(place)
    try:
        text = str(place) if isinstance(place, str) else str(Path(place))
        if "\0" in text:
            raise TypeError
    except TypeError:
        raise _check.refuse(
            "`place` must be a path or a postgresql:// URL",
            f"a {type(place).__name__}",
            "Write Ledger('budget.db', total=…, begin=True).",
        ) from None
    _refuse_fleeting(text)
    # Absolute: SQLite finds nothing special in it, and a change of folder changes no ledger.
    return SQLiteStore(Path(text).absolute())


def _refuse_fleeting(text: str) -> None:
    if not text.strip() or text.lower().startswith(_SPECIAL) or "://" in text:
        raise _check.refuse(
            "`place` must be a file that lasts, or a postgresql:// URL",
            f"{_shown(text)!r:.60}",
            "A budget that is forgotten is spent again without end. To try things out, name a "
            "file in tempfile.mkdtemp(); if a file is really called so, give its whole path.",
        )


def _shown(text: str) -> str:
    """An address may hold a password."""
    return text.partition("://")[0] + "://…" if "://" in text else text
