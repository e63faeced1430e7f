"""A process that answers slow questions, one line of JSON each; started and ended by `Workshop`.

Run as `python -m leastnoise.web.worker`. It reads public parameters, and of data names and types
of columns, never a row.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from leastnoise.errors import LeastNoiseError
from leastnoise.web.ask import Ask
from leastnoise.web.choose import certify, choose
from leastnoise.web.plan_forecast import plan_curve, plan_limits
from leastnoise.web.planning_answers import sample_sizes, shapes
from leastnoise.web.refusal import refusal_parts

TASKS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "choose": lambda said: choose(Ask.read(said)),
    "certify": lambda said: certify(Ask.read(said)),
    "sample_size": sample_sizes,
    "shapes": shapes,
    "plan_curve": lambda said: plan_curve(said, Path(said["folder"])),
    "plan_limits": lambda said: plan_limits(said, Path(said["folder"])),
}

_LESS_URGENT = 10  # than the answer to a slider's move


def answered(line: str) -> dict[str, Any]:
    """The answer to one line: {"answer": …}, {"refused": …} or {"failed": …}.

    Example:
        >>> answered('{"task": "choose", "said": {}}')["refused"]["rule"]
        '`delta` must be a number'
    """
    try:
        request = json.loads(line)
        return {"answer": TASKS[request["task"]](request["said"])}
    except LeastNoiseError as refusal:
        return {"refused": refusal_parts(refusal)}
    except Exception as failure:
        return {"failed": type(failure).__name__}


def main(lines: TextIO, out: TextIO) -> None:
    """Answer until the asker hangs up."""
    print(json.dumps({"ready": True}), file=out, flush=True)
    for line in lines:
        print(json.dumps(answered(line), ensure_ascii=False), file=out, flush=True)


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(_LESS_URGENT)
    main(sys.stdin, sys.stdout)
