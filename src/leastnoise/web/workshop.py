"""`Workshop`: slow questions, answered by processes of their own that can be stopped.

A slider's next move makes the question before it pointless. So each page has a lane, a new
question in a lane ends the older one, and the process that was busy with it is killed: neither
the page nor another question ever waits for an answer nobody wants.
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_PROCESSES = 2  # slow answers at a time
_SECONDS = 120.0  # longer than anybody waits for a page
_LONGEST_LINE = 1 << 24  # an answer may hold a certificate
_MOST_LANES = 64  # the oldest question gives way


class Superseded(Exception):
    """A newer question in the same lane took this one's place."""


class TooSlow(Exception):
    """No answer in time."""


class Workshop:
    """A few processes that answer `worker.TASKS`.

    Args:
        seconds: how long one question may take.
    """

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._places = asyncio.Semaphore(_PROCESSES)
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._lanes: dict[str, asyncio.Task[dict[str, Any]]] = {}

    async def answer(self, task: str, said: Mapping[str, Any], lane: str) -> dict[str, Any]:
        """What a worker says to one question.

        Raises:
            Superseded: a newer question came in the same lane.
            TooSlow: the time is over.
        """
        older = self._lanes.pop(lane, None)
        if older is not None:
            older.cancel()
        while len(self._lanes) >= _MOST_LANES:
            self._lanes.pop(next(iter(self._lanes))).cancel()
        line = json.dumps({"task": task, "said": dict(said)}) + "\n"
        own = asyncio.ensure_future(self._asked(line))
        self._lanes[lane] = own
        try:
            return await own
        except asyncio.CancelledError:
            if own.cancelled():
                raise Superseded from None
            own.cancel()
            raise
        finally:
            if self._lanes.get(lane) is own:
                del self._lanes[lane]

    async def warm(self) -> None:
        """Start one process, so that the first question finds it ready."""
        with suppress(EOFError):
            async with self._places:
                self._idle.append(await self._started())

    async def _asked(self, line: str) -> dict[str, Any]:
        async with self._places:
            process = await self._taken()
            self._busy.add(process)
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await _exchange(process, line)
            except TimeoutError:
                await _end(process)
                raise TooSlow from None
            except BaseException:  # cancelled or broken: what it would say belongs to nobody
                await _end(process)
                raise
            finally:
                self._busy.discard(process)
            self._idle.append(process)
            return answer

    async def _taken(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
        return await self._started()

    async def _started(self) -> Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "leastnoise.web.worker",
            stdin=PIPE, stdout=PIPE, limit=_LONGEST_LINE,
        )  # fmt: skip
        self._busy.add(process)
        try:
            await _line(process)
        except BaseException:
            await _end(process)
            raise
        finally:
            self._busy.discard(process)
        return process

    async def close(self) -> None:
        """End all processes."""
        jobs = list(self._lanes.values())
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)
        for process in (*self._idle, *self._busy):
            await _end(process)


async def _exchange(process: Process, line: str) -> dict[str, Any]:
    assert process.stdin is not None  # it was started with a pipe
    process.stdin.write(line.encode())
    await process.stdin.drain()
    return await _line(process)


async def _line(process: Process) -> dict[str, Any]:
    assert process.stdout is not None  # it was started with a pipe
    line = await process.stdout.readline()
    if not line:
        raise EOFError("the worker ended")
    answer: dict[str, Any] = json.loads(line)
    return answer


async def _end(process: Process) -> None:
    """Kill, and wait until it is gone with its pipes, however often this is interrupted."""
    with suppress(ProcessLookupError):
        process.kill()
    if process.stdin is not None:
        process.stdin.close()
    gone = asyncio.ensure_future(process.communicate())
    with suppress(asyncio.CancelledError, ConnectionError):
        await asyncio.shield(gone)
