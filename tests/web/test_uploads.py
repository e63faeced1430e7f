"""A dropped file comes in pieces, is its owner's alone, and is gone when the page is."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from leastnoise.errors import BackendError, InvalidParameter
from leastnoise.web import connection as module
from leastnoise.web import uploads
from leastnoise.web.connection import Connection
from leastnoise.web.guard import Guard, Message
from leastnoise.web.uploads import Uploads
from tests.web.client import HOST, TOKEN, Client, client_of
from tests.web.test_connection import HANGING, NEVER, serving, visit
from tests.web.visits import SECRET

BYTES = {"content-type": "application/octet-stream"}
ODD_NAMES = ("data.toml", ".hidden.csv", "a%00b.csv", "..%5Cb.csv", "x" * 200 + ".csv",
             "😀" * 60 + ".csv", "visits[1].csv", "%2A.csv")  # fmt: skip
CONTENT = f"patient_id,city\np1,{SECRET}\n".encode()


def put(client: Client, name: str, **headers: str) -> Any:
    return client.http.put(f"/{TOKEN}/upload/{name}", content=CONTENT, headers={**BYTES, **headers})


def test_a_dropped_file_is_a_table_like_any_other_until_the_page_ends(tmp_path: Path) -> None:
    before = os.umask(0)  # the rights must not depend on it
    try:
        with client_of(tmp_path) as client:
            first = Path(put(client, "my%20visits.csv").json()["path"])
            again = Path(put(client, "my%20visits.csv").json()["path"])
            assert (first.name, first.read_bytes()) == ("my visits.csv", CONTENT)
            assert again != first
            assert first.stat().st_mode & 0o777 == 0o600
            assert first.parent.stat().st_mode & 0o777 == 0o700
            home = first.parent.parent
            assert home.stat().st_mode & 0o777 == 0o700
            found = client.ask("columns", path=str(first))
            assert [each["name"] for each in found["columns"]] == ["patient_id", "city"]
            assert list(tmp_path.iterdir()) == []
    finally:
        os.umask(before)
    assert not home.exists()


def test_only_the_page_may_drop(client: Client) -> None:
    foreign = put(client, "a.csv", origin="https://evil.example")
    assert foreign.status_code == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
        assert put(client, "a.csv", **{"content-type": kind}).status_code == 415
    path = f"/{TOKEN}/upload/a.csv"
    assert client.http.put(f"/wrong{path}", content=b"x", headers=BYTES).status_code == 403
    assert client.http.post(path, content=b"x", headers=BYTES).status_code == 415
    assert client.http.post(path, json={}).status_code == 405
    assert client.http.options(path).status_code == 415  # what a foreign page would ask first


@pytest.mark.parametrize("name", ODD_NAMES)
def test_other_names_are_refused_in_words(client: Client, name: str) -> None:
    response = put(client, name)
    assert response.status_code == 422
    assert "name must be plain" in response.json()["refused"]["rule"]


@pytest.mark.parametrize("name", ["../a.csv", "/tmp/a.csv", "..", "a/b.csv", ""])
def test_a_name_leads_nowhere_else(name: str) -> None:
    with pytest.raises(InvalidParameter, match="name must be plain"):
        uploads.checked_name(name)


async def endless() -> AsyncIterator[bytes]:
    while True:
        yield b"x" * 1000


def test_too_much_is_refused_in_words_and_nothing_stays() -> None:
    stored = Uploads(most=2500)
    with pytest.raises(InvalidParameter, match="at most 2,500 bytes together"):
        asyncio.run(stored.store("a.csv", 2501, endless()))
    with pytest.raises(InvalidParameter, match="read where it lies"):
        asyncio.run(stored.store("a.csv", None, endless()))
    place = asyncio.run(stored.store("a.csv", 2500, some(2500)))  # all room is there again
    home = place.parent.parent
    assert [each.name for each in home.rglob("*.csv")] == ["a.csv"]
    with pytest.raises(InvalidParameter, match="together"):
        asyncio.run(stored.store("b.csv", 1, some(1)))
    stored.close()
    assert not home.exists()


async def some(size: int) -> AsyncIterator[bytes]:
    yield b"x" * size


async def broken() -> AsyncIterator[bytes]:
    yield b"x"
    raise ConnectionError(SECRET)


def test_half_a_file_is_removed_and_a_full_disk_is_told() -> None:
    stored = Uploads()
    with pytest.raises(BackendError, match="could not be stored") as told:
        asyncio.run(stored.store("a.csv", None, broken()))
    assert SECRET not in str(told.value)
    assert stored._home is not None
    assert list(Path(stored._home.name).rglob("*.csv")) == []
    stored.close()


def test_a_file_is_passed_on_in_pieces() -> None:
    """The guard holds none of it back: the first piece is used before the second is asked for."""
    read, used = 0, []

    async def receive() -> Message:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b"x" * 65536, "more_body": True}

    async def inner(_: Any, receive: Any, __: Any) -> None:
        for _ in range(20):
            await receive()
            used.append(read)

    headers = [(b"host", HOST.encode()), (b"content-type", b"application/octet-stream")]
    scope = {"type": "http", "method": "PUT", "path": f"/{TOKEN}/upload/a.csv", "headers": headers}
    asyncio.run(Guard(inner, TOKEN, frozenset({HOST}))(scope, receive, receive))  # type: ignore[arg-type]
    assert used == list(range(1, 21))


def test_who_got_in_has_time_as_long_as_something_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock starts again with each piece that the application asked for."""
    monkeypatch.setattr(module, "REQUEST_SECONDS", NEVER)
    ends: SimpleQueue[tuple[float, float]] = SimpleQueue()

    class Watched(Connection):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            assert self._deadline is not None
            before = self._deadline.when()
            self.scope["leastnoise.more_time"]()
            ends.put((before, self._deadline.when()))

    half = b"PUT / HTTP/1.1\r\nhost: here\r\ncontent-length: 9\r\n\r\n{"
    with serving(Watched) as place, visit(place, half):
        before, after = ends.get(timeout=HANGING)
    assert after > before


def test_sizes_for_people() -> None:
    assert [uploads.said_size(size) for size in (1, 5 << 20, uploads.MOST_BYTES)] == [
        "1 byte",
        "5 MB",
        "2 GB",
    ]
