"""Slow questions can be stopped, fail alone, and leave no process behind."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from leastnoise.web.workshop import Superseded, TooSlow, Workshop

QUICK = {"epsilon": "1", "delta": "0", "sensitivity": "1", "queries": "1", "cost": "absolute"}
SLOW = QUICK | {"delta": "1e-6", "sensitivity": "50", "epsilon": "0.1", "cost": "squared"}


def run(work: Callable[[Workshop], Awaitable[None]], seconds: float = 3600) -> None:
    async def main() -> None:
        workshop = Workshop(seconds)
        try:
            await work(workshop)
        finally:
            await workshop.close()
            processes = [*workshop._idle, *workshop._busy]
            assert all(process.returncode is not None for process in processes)

    asyncio.run(main())


def test_a_newer_question_stops_the_older_one() -> None:
    async def work(workshop: Workshop) -> None:
        older = asyncio.ensure_future(workshop.answer("certify", SLOW, "page"))
        while not workshop._lanes or not workshop._busy:
            await asyncio.sleep(0)
        newer = await workshop.answer("choose", QUICK, "page")
        assert newer["answer"]["noise"]["name"] == "geometric"
        with pytest.raises(Superseded):
            await older

    run(work)


def test_other_pages_do_not_disturb() -> None:
    async def work(workshop: Workshop) -> None:
        answers = await asyncio.gather(
            *(workshop.answer("choose", QUICK, page) for page in ("a", "b", "c"))
        )
        assert all(answer == answers[0] for answer in answers)

    run(work)


def test_what_takes_too_long_is_given_up() -> None:
    async def work(workshop: Workshop) -> None:
        await workshop.warm()
        with pytest.raises(TooSlow):
            await workshop.answer("certify", SLOW, "page")

    run(work, seconds=1e-3)


def test_a_process_that_dies_is_replaced() -> None:
    async def work(workshop: Workshop) -> None:
        await workshop.warm()
        workshop._idle[0].kill()
        await workshop._idle[0].wait()
        answer = await workshop.answer("choose", QUICK, "page")
        assert "answer" in answer

    run(work)


@pytest.mark.parametrize("said", [{}, {"epsilon": "x"}, QUICK | {"cost": "none"}])
def test_refusals_come_back_in_words(said: dict[str, Any]) -> None:
    import json

    from leastnoise.web.worker import answered

    answer = answered(json.dumps({"task": "choose", "said": said}))
    assert answer["refused"]["rule"]


def test_a_failure_tells_its_kind_alone() -> None:
    from leastnoise.web.worker import answered

    assert answered('{"task": "none"}') == {"failed": "KeyError"}
    assert answered("{") == {"failed": "JSONDecodeError"}
