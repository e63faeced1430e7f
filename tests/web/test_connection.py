"""Raw sockets that never end their requests: they go, and everybody else is served."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
import uvicorn

from leastnoise.web import connection as module
from leastnoise.web.connection import Connection
from leastnoise.web.server import serve

HALVES = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half a header": b"GET / HTTP/1.1\r\nhost: here\r\nx-more: ",
    "half a body": b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 9\r\n\r\n{",
    "half a chunk": b"POST / HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
    "half a second request": b"GET / HTTP/1.1\r\nhost: here\r\n\r\nGET / HT",
}
WHOLE = b"GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n"
NEVER = 1e6
HANGING = 300  # seconds after which a test has surely failed; no verdict hangs on them


async def read_all(scope: Any, receive: Any, send: Any) -> None:
    """Answers when it has the whole request, as the guard does."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body", False):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"fine"})


@contextmanager
def serving(kind: type[Connection] = Connection) -> Iterator[tuple[str, int]]:
    with socket.create_server(("127.0.0.1", 0), backlog=512) as ear:
        config = uvicorn.Config(
            read_all, http=kind, ws="none", log_level="critical", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [ear]})
        thread.start()
        try:
            yield ear.getsockname()
        finally:
            server.force_exit = server.should_exit = True
            thread.join()


def visit(place: tuple[str, int], said: bytes) -> socket.socket:
    visitor = socket.create_connection(place, timeout=HANGING)
    visitor.sendall(said)
    return visitor


def answer(visitor: socket.socket) -> bytes:
    """The first answer of a connection that stays open."""
    said = b""
    while b"fine" not in said and (part := visitor.recv(1 << 16)):
        said += part
    return said


def heard(visitor: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    parts = []
    try:
        while part := visitor.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


@pytest.mark.parametrize("half", [each for each in HALVES if "second" not in each])
def test_half_a_request_is_cut(half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REQUEST_SECONDS", 0.2)
    with serving() as place, visit(place, HALVES[half]) as visitor:
        assert b"200 OK" not in heard(visitor)


def test_half_a_second_request_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the first takes to come: the clock is short only once it is there."""
    monkeypatch.setattr(module, "REQUEST_SECONDS", NEVER)

    class Hurried(Connection):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            monkeypatch.setattr(module, "REQUEST_SECONDS", 0.2)

    with serving(Hurried) as place, visit(place, HALVES["half a second request"]) as visitor:
        assert heard(visitor).count(b"200 OK") == 1


def test_a_request_in_small_pieces_gets_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock starts once: each byte more does not start it again."""
    monkeypatch.setattr(module, "REQUEST_SECONDS", NEVER)
    ends: SimpleQueue[float] = SimpleQueue()

    class Watched(Connection):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            assert self._deadline is not None
            ends.put(self._deadline.when())

    with serving(Watched) as place, visit(place, b"G") as visitor:
        seen = {ends.get(timeout=HANGING)}
        for byte in (b"E", b"T", b" "):
            visitor.sendall(byte)
            seen.add(ends.get(timeout=HANGING))
    assert len(seen) == 1


@pytest.mark.parametrize("half", HALVES)
def test_many_halves_do_not_keep_others_out(half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REQUEST_SECONDS", NEVER)
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 8)
    with serving() as place, ExitStack() as open_ones:
        visitors = []
        for _ in range(40):
            visitor = open_ones.enter_context(visit(place, HALVES[half]))
            visitors.append(visitor)
            if half == "half a second request":  # whoever is being answered may stay: not those
                assert b"fine" in answer(visitor)
        with visit(place, WHOLE) as guest:
            assert b"fine" in heard(guest)
        # Those who came first are gone; nobody had to wait for a clock.
        for visitor in visitors[:31]:
            heard(visitor)


def test_hundreds_of_halves_leave_the_page_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REQUEST_SECONDS", NEVER)
    with serving() as place, ExitStack() as open_ones:
        for _ in range(300):
            open_ones.enter_context(visit(place, b"GET / HT"))
        with visit(place, WHOLE) as guest:
            assert b"fine" in heard(guest)


def test_the_explorer_is_served_by_such_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configs: list[uvicorn.Config] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, **_: configs.append(self.config))
    serve(folder=tmp_path, browser=False, say=lambda _: None)
    assert configs[0].http is Connection
