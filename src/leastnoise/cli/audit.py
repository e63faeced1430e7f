"""`leastnoise audit`: does a function or a program keep its promise?"""

import importlib.util
import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from leastnoise._check import refuse
from leastnoise.auditing import Audit, Command
from leastnoise.auditing import audit as audited
from leastnoise.cli.declared import Argument, Ended, Option
from leastnoise.cli.leaving import Leaving
from leastnoise.cli.screen import show_json, show_text
from leastnoise.numeric.nearest_float import nearest_float


def audit(
    mechanism: Annotated[
        str | None, Argument(help="module:function or file.py:function; it takes the data.")
    ] = None,
    neighbours: Annotated[
        tuple[str, str],
        Option(help="Two inputs that the promise calls neighbours, as JSON or text."),
    ] = ("", ""),
    epsilon: Annotated[str, Option(help="The ε that was promised.")] = "",
    delta: Annotated[str, Option(help="The δ that was promised.")] = "0",
    samples: Annotated[int, Option(help="How many outputs to draw.")] = 200_000,
    confidence: Annotated[str, Option(help="1 − the probability of a false alarm.")] = "0.999999",
    command: Annotated[
        str | None,
        Option(help="A program instead of a function: {data} is the input, {size} how many."),
    ] = None,
    vectorised: Annotated[
        bool, Option("--vectorised", help="Call function(data, size=n).")
    ] = False,
    sequential: Annotated[
        bool, Option("--sequential", help="Stop as soon as there is evidence.")
    ] = False,
    seconds: Annotated[
        str | None, Option(help="A limit of time; makes the audit sequential.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look for a violation of (ε, δ)-DP in the outputs on two neighbouring inputs.

    Exit status 1 if a violation is found, 0 if none is, 2 for bad input.
    """
    if not epsilon or neighbours == ("", ""):
        raise refuse(
            "an audit needs --neighbours and --epsilon",
            f"--neighbours {neighbours!r}, --epsilon {epsilon!r}",
            "Give two inputs and ε.",
        )
    Leaving.as_usual()
    found = audited(
        _subject(mechanism, command),
        neighbours=neighbours if command else (_data(neighbours[0]), _data(neighbours[1])),
        epsilon=epsilon,
        delta=delta,
        samples=samples,
        seconds=seconds,
        confidence=confidence,
        vectorised=vectorised,
        sequential=sequential,
        progress=True,
    )
    if as_json:
        show_json(_facts(found))
    else:
        show_text(str(found))
    raise Ended(1 if found.violated else 0)


def _subject(mechanism: str | None, command: str | None) -> Any:
    if (mechanism is None) == (command is None):
        raise refuse(
            "an audit needs a function or a --command",
            "none of them" if command is None else "both",
            "Give file.py:function, or --command.",
        )
    if command is not None:
        return Command(command)
    place, _, name = str(mechanism).rpartition(":")
    found: Any = _module(place)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise refuse(
            "the function must exist",
            f"no {name!r} in {place!r}",
            "Write module:function or file.py:function.",
        )
    return found


def _module(place: str) -> ModuleType:
    """A module by name, found from here too, or a file."""
    try:
        if not place.endswith(".py"):
            sys.path.insert(0, str(Path.cwd()))
            return import_module(place)
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        if spec is None or spec.loader is None:
            raise ImportError
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except (ImportError, ValueError, OSError, SyntaxError) as failure:
        raise refuse(
            "the function's module must be importable",
            f"{place!r}: {type(failure).__name__}",
            "Write module:function or file.py:function.",
        ) from None
    return module


def _data(text: str) -> Any:
    """An input as the JSON it is, or as text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _facts(found: Audit) -> dict[str, Any]:
    return {
        "violated": found.violated,
        "epsilon": nearest_float(found.epsilon),
        "delta": nearest_float(found.delta),
        "epsilon_lower": nearest_float(found.epsilon_lower),
        "confidence": nearest_float(found.confidence),
        "samples": found.samples,
        "event": found.event,
        "verdict": str(found),
    }
