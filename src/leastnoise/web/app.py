"""`explorer`: the page and its questions as an ASGI application."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leastnoise._check import refuse
from leastnoise.errors import LeastNoiseError
from leastnoise.web.guard import Application, Guard
from leastnoise.web.questions import Questions, RefusedByWorker
from leastnoise.web.refusal import refusal_parts
from leastnoise.web.workshop import Superseded, TooSlow

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_NO_STORE = {"cache-control": "no-store"}


def explorer(token: str, hosts: frozenset[str], folder: Path) -> Application:
    """The whole application, behind its guard.

    Args:
        token: the first part of every path.
        hosts: the values of `Host` that are answered.
        folder: what typed paths are relative to.
    """
    desk = _Desk(Questions(folder))
    routes = [
        Route("/", _first_page),
        Route("/page/{name}", _asset),
        Route("/api/{name}", desk.answer, methods=["POST"]),
        Route("/upload/{name}", desk.upload, methods=["PUT"]),
        Route("/download/certificate/{name}.json", desk.certificate),
        Route("/download/{number:int}/{name}", desk.download),
    ]
    return Guard(Starlette(routes=routes, lifespan=desk.lifespan), token, hosts)


@lru_cache
def _page() -> dict[str, bytes]:
    """Every asset by name; nothing else on the disk has an address."""
    folder = resources.files("leastnoise.web") / "page"
    return {
        each.name: each.read_bytes()
        for each in folder.iterdir()
        if each.name.rpartition(".")[2] in _KINDS
    }


async def _first_page(request: Any) -> Any:
    del request
    return _sent("index.html")


async def _asset(request: Any) -> Any:
    return _sent(request.path_params["name"])


def _sent(name: str) -> Any:
    content = _page().get(name)
    if content is None:
        return Response("There is no such page.", 404)
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})


class _Desk:
    """Requests in, answers out: JSON, downloads, refusals in three parts."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """Get warm while the page is being painted; end the workers with the page."""
        del app
        waking = asyncio.ensure_future(self._questions.wake())
        try:
            yield
        finally:
            waking.cancel()
            with suppress(asyncio.CancelledError):
                await waking
            await self._questions.close()

    async def answer(self, request: Any) -> Any:
        """One question of the page."""
        return await _told(self._answer(request))

    async def _answer(self, request: Any) -> dict[str, Any]:
        said = _said(await request.body())
        return await self._questions.answer(request.path_params["name"], said)

    async def upload(self, request: Any) -> Any:
        """A dropped file, stored as it comes."""
        return await _told(self._upload(request))

    async def _upload(self, request: Any) -> dict[str, Any]:
        announced = request.headers.get("content-length", "")
        size = int(announced[:20]) if announced.isdecimal() else None
        name = request.path_params["name"]
        place = await self._questions.uploads.store(name, size, request.stream())
        return {"path": str(place)}

    async def certificate(self, request: Any) -> Any:
        """A certificate that was shown, as a file."""
        text = self._questions.certificates.find(request.path_params["name"])
        if text is None:
            return Response("There is no such certificate.", 404)
        return _attachment("certificate.json", "application/json", text.encode())

    async def download(self, request: Any) -> Any:
        """A part of a release, as a file."""
        number, name = request.path_params["number"], request.path_params["name"]
        try:
            found = await asyncio.to_thread(self._questions.releases.download, number, name)
        except LeastNoiseError as refusal:
            return _refused(422, refusal_parts(refusal))
        if found is None:
            return Response("There is no such file.", 404)
        return _attachment(*found)


async def _told(work: Awaitable[dict[str, Any]]) -> Any:
    """What was worked out, or why not."""
    try:
        return JSONResponse(await work, headers=_NO_STORE)
    except LeastNoiseError as refusal:
        return _refused(422, refusal_parts(refusal))
    except RefusedByWorker as refusal:
        return _refused(422, refusal.parts)
    except Superseded:
        return _refused(409, _parts("a newer question took this one's place", ""))
    except TooSlow:
        return _refused(503, _parts("no answer came in time", "Ask for something smaller."))
    except Exception as failure:  # what it says could quote data: only its kind is shown
        kind = f"the program failed ({type(failure).__name__})"
        return _refused(500, _parts(kind, "Please report what you did."))


def _said(body: bytes) -> Mapping[str, Any]:
    try:
        said = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        said = None
    if isinstance(said, dict):
        return said
    raise refuse(
        "a question must be a JSON object", f"{len(body)} bytes of no such", "Reload the page."
    )


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _parts(rule: str, remedy: str) -> dict[str, str]:
    return {"kind": "program", "rule": rule, "finding": "", "remedy": remedy}


def _refused(status: int, parts: dict[str, str]) -> Any:
    return JSONResponse({"refused": parts}, status, headers=_NO_STORE)


def _attachment(name: str, kind: str, content: bytes) -> Any:
    headers = {**_NO_STORE, "content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
