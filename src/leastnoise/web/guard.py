"""`Guard`: what stands before the page: who may ask, how much, and what browsers may do with it.

The address holds a token, so other programs and other people's pages cannot guess it. The `Host`
header must name this machine, so that a foreign name pointed at 127.0.0.1 (DNS rebinding) gets
nothing. Requests that change anything must be JSON and must not come from another origin, and no
answer carries a CORS header. The token is part of the path: it is sent with every request,
assets included, and never leaves in a `Referer`.

A dropped file comes as a `PUT` of bytes: before a page of another origin sends that, browsers ask
here, and get no answer. It is passed on piece by piece; all else is read to its end first.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.web.token import same_token

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 1 << 18  # a quarter of a megabyte
_POLICY = (
    "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode("ascii")),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


@dataclass(frozen=True)
class Refused(Exception):
    """A request that goes no further."""

    status: int
    rule: str
    remedy: str


@dataclass(frozen=True)
class Guard:
    """Wraps an application; lets through what comes from the page alone.

    Attributes:
        inner: what is protected; it sees paths without the token.
        token: the first part of every path.
        hosts: the names and ports this page is served under.
    """

    inner: Application
    token: str
    hosts: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS]}
            await send(message)

        try:
            inside = self._admitted(scope)
            if _is_upload(inside):
                await self.inner(inside, _waited_for(scope, receive), with_headers)
                return
            body = await _body(scope, receive)
        except Refused as refusal:
            await _answer(refusal, with_headers)
            return
        await self.inner(inside, _replayed(body, receive), with_headers)

    def _admitted(self, scope: Scope) -> Scope:
        headers = _headers(scope["headers"])
        if headers.get("host", "") not in self.hosts:
            raise Refused(421, "the page answers to this machine's own name only", _REMEDY)
        offered, _, rest = scope["path"].removeprefix("/").partition("/")
        if not same_token(offered, self.token):
            raise Refused(403, "the address must hold the token of this run", _REMEDY)
        inside = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode(), "root_path": ""}
        if scope["method"] not in ("GET", "HEAD"):
            wanted = "octet-stream" if _is_upload(inside) else "json"
            self._refuse_foreign(headers, f"application/{wanted}")
        return inside

    def _refuse_foreign(self, headers: dict[str, str], wanted: str) -> None:
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self.hosts:
            raise Refused(403, "a request must come from the page itself", _REMEDY)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != wanted:
            raise Refused(415, f"a request must be {wanted}", f"Send {wanted}.")


_REMEDY = "Open the address that the command printed."


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in pairs}


def _is_upload(scope: Scope) -> bool:
    return bool(scope["method"] == "PUT" and scope["path"].startswith("/upload/"))


async def _body(scope: Scope, receive: Receive) -> bytes:
    """All of the body, or a refusal as soon as it grows too long."""
    if scope["method"] in ("GET", "HEAD"):
        return b""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":  # half a request asks for nothing
            raise Refused(400, "a request must be sent to its end", _REMEDY)
        part = message.get("body", b"")
        size += len(part)
        if size > MOST_BYTES:
            raise Refused(413, f"a request must be at most {MOST_BYTES} bytes", "Ask for less.")
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def _waited_for(scope: Scope, receive: Receive) -> Receive:
    """Whoever got in may send for as long as something comes; see `Connection`."""
    more_time: Callable[[], None] = scope.get("leastnoise.more_time", _nothing)

    async def next_part() -> Message:
        message = await receive()
        more_time()
        return message

    return next_part


def _nothing() -> None:
    pass


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


async def _answer(refusal: Refused, send: Send) -> None:
    said = {"rule": refusal.rule, "finding": "something else", "remedy": refusal.remedy}
    body = json.dumps({"refused": said}).encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
