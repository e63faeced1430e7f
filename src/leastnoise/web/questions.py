"""`Questions`: what the page may ask, and who answers."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from leastnoise._check import refuse, shown
from leastnoise.release.file.plan_schema import plan_schema
from leastnoise.release.file.question_kinds import BOUNDS, KINDS
from leastnoise.web.answer_cache import AnswerCache
from leastnoise.web.ask import Ask
from leastnoise.web.asked_plan import typed_path
from leastnoise.web.bounds_view import bounds_curve
from leastnoise.web.budget_view import budget_facts
from leastnoise.web.data_files import data_files
from leastnoise.web.error_curve import error_curve
from leastnoise.web.plan_forecast import plan_forecast
from leastnoise.web.planning_answers import delta_advice
from leastnoise.web.releases import Releases
from leastnoise.web.sketch import sketch
from leastnoise.web.steps_view import steps_facts
from leastnoise.web.uploads import Uploads
from leastnoise.web.workshop import Workshop

Said = Mapping[str, Any]
Facts = dict[str, Any]

SLOW = ("choose", "certify", "sample_size", "shapes", "plan_curve", "plan_limits")
_KEPT_SKETCHES = 4096  # small; sliders come back to the same places
_KEPT_ANSWERS = 256  # they took seconds each
_KEPT_CERTIFICATES = 16  # they may be megabytes
_FIRST = {"epsilon": "1", "delta": "0", "sensitivity": "1", "queries": "1", "cost": "absolute"}


class RefusedByWorker(Exception):
    """What a worker's library refused: kind, rule, finding and remedy."""

    def __init__(self, parts: dict[str, str]) -> None:
        super().__init__(parts["rule"])
        self.parts = parts


class Questions:
    """Quick questions are answered in a thread, slow ones in a process that can be stopped.

    Args:
        folder: what typed paths are relative to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.uploads = Uploads()
        self.releases = Releases(folder)
        self.certificates = AnswerCache[str](_KEPT_CERTIFICATES)
        self._workshop = Workshop()
        self._slow = AnswerCache[Facts](_KEPT_ANSWERS)
        quick = lru_cache(maxsize=_KEPT_SKETCHES)(sketch)
        self._quick: dict[str, Callable[[Said], Facts]] = {
            "sketch": lambda said: quick(Ask.read(said)),
            "curve": lambda said: error_curve(Ask.read(said)),
            "bounds": bounds_curve,
            "forecast": lambda said: plan_forecast(said, folder),
            "delta": delta_advice,
            "kinds": question_forms,
            "columns": self.releases.columns,
            "demo": self.releases.demo,
            "files": lambda _: data_files(folder) | {"most": self.uploads.most},
            "made": self.releases.made,
            "preview": self.releases.preview,
            "release": self.releases.release,
            "budget": lambda said: budget_facts(folder / typed_path(said, "ledger")),
            "steps": lambda said: steps_facts(folder / typed_path(said, "plan")),
        }

    async def wake(self) -> None:
        """Load the libraries and a worker while the page is being painted."""
        await asyncio.gather(
            asyncio.to_thread(self._quick["sketch"], _FIRST), self._workshop.warm()
        )

    async def close(self) -> None:
        """End the workers, and remove what was stored for the page."""
        await self._workshop.close()
        self.releases.close()
        self.uploads.close()

    async def answer(self, name: str, said: Said) -> Facts:
        """The answer to one question.

        Raises:
            LeastNoiseError: the library refused.
            RefusedByWorker: the library refused, in a worker.
            Superseded, TooSlow: see `Workshop`.
        """
        if name in SLOW:
            return await self._answer_slowly(name, said)
        quick = self._quick.get(name)
        if quick is None:
            raise refuse("a question must be one of the page's", shown(name), "Reload the page.")
        return await asyncio.to_thread(quick, said)

    async def _answer_slowly(self, name: str, said: Said) -> Facts:
        page = str(said.get("page", ""))[:40]
        question = {part: value for part, value in said.items() if part != "page"}
        question["folder"] = str(self._folder)  # of the page, whatever was said
        key = f"{name} {json.dumps(question, sort_keys=True)}"
        found = self._slow.find(key)
        if found is None:
            found = await self._workshop.answer(name, question, f"{page} {name}")
            if "failed" in found:
                raise RuntimeError(found["failed"])
            found = self._with_file(found)
            self._slow.put(key, found)
        if "refused" in found:
            raise RefusedByWorker(found["refused"])
        answer: Facts = found["answer"]
        return answer

    def _with_file(self, found: Facts) -> Facts:
        """A certificate's text is kept for download; the page gets its name alone."""
        text = found.get("answer", {}).pop("text", None)
        if text is not None:
            name = hashlib.sha256(text.encode()).hexdigest()
            self.certificates.put(name, text)
            found["answer"]["file"] = name
        return found


def question_forms(said: Mapping[str, Any]) -> dict[str, Any]:
    """The kinds with their parts, and each part with its label, its type and a value to begin."""
    del said  # there is one answer for all
    kinds = [
        {
            "ask": kind.ask,
            "label": kind.label,
            "parts": kind.form,
            "grouped": kind.has_groups,
            "guesses": kind.guesses,
            "bounds": kind.own_bounds,
        }
        for kind in KINDS.values()
    ]
    names = dict.fromkeys(name for kind in KINDS.values() for name in kind.form)
    parts = plan_schema()["$defs"]
    return {"kinds": kinds, "parts": {n: _part(parts[n], bound=n in BOUNDS) for n in names}}


def _part(schema: Mapping[str, Any], *, bound: bool) -> dict[str, Any]:
    """Bounds begin empty: nobody but the owner knows the range that values can have."""
    (start,) = schema.get("examples", [""])
    words = ", ".join(map(str, start)) if isinstance(start, list) else str(start)
    kinds = schema["type"]  # of several the form offers the first
    kind = kinds if isinstance(kinds, str) or "object" not in kinds else "object"
    told = {"label": schema["title"], "type": kind}
    return told | ({"example": words} if bound else {"start": words})
