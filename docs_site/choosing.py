"""The page “Try it: choose ε”: the explorer's first view without its program.

Its answers are computed when the site is built, by the code that answers the explorer's sliders;
the page holds them, and sliders move along what is stored. The scripts are the explorer's own.
"""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from leastnoise.privacy.guarantee import ApproxDP, PureDP
from leastnoise.web.ask import Ask
from leastnoise.web.sketch import best_at_once, risk

HERE = Path(__file__).parent / "choose"
PAGE = Path("src/leastnoise/web/page")
MODULES = ("element", "words", "curves", "verdict")
"""What this page shares with the explorer, each after what it needs."""
MARK = "<!-- choose -->"
DELTAS = ("0", "1e-10", "1e-8", "1e-6", "1e-4")
SENSITIVITIES = (1, 2, 5, 10, 100)
_IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_LEAST, _MOST = 0.05, 20  # of ε
_DIGITS = (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9)


def epsilons() -> list[str]:
    """From 0.05 to 20, in numbers that people say."""
    found = (digits * 10.0**power for power in (-2, -1, 0, 1) for digits in _DIGITS)
    return [f"{value:g}" for value in found if _LEAST <= value <= _MOST]


def stored() -> dict[str, Any]:
    """For each δ and sensitivity that is offered, by ε: the error of 95 %, and the best guess."""
    values = epsilons()
    pairs = [(d, s) for d in DELTAS for s in (SENSITIVITIES if d == "0" else (1,))]
    return {
        "epsilons": values,
        "errors": {f"{d} {s}": [_error(e, d, s) for e in values] for d, s in pairs},
        "right": {delta: [_right(e, delta) for e in values] for delta in DELTAS},
    }


def _error(epsilon: str, delta: str, sensitivity: int) -> float:
    said = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "queries": 1}
    return best_at_once(Ask.read(said))[0].error("0.95")


def _right(epsilon: str, delta: str) -> int:
    promise = ApproxDP(epsilon=epsilon, delta=delta) if Fraction(delta) else PureDP(epsilon=epsilon)
    return int(risk(promise)["right"])


def script() -> str:
    """One script, as pages that are opened from a folder may not load modules."""
    parts = [(PAGE / f"{name}.js").read_text("utf-8") for name in MODULES]
    parts += [(HERE / "choose.js").read_text("utf-8")]
    plain = [_IMPORT.sub("", part).replace("export ", "") for part in parts]
    told = json.dumps(stored(), separators=(",", ":"))
    return f"(() => {{\nconst STORED = {told};\n{''.join(plain)}}})();\n"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """MkDocs' hook: the view takes the place of its mark."""
    if MARK not in markdown:
        return markdown
    return markdown.replace(MARK, (HERE / "view.html").read_text("utf-8"))
