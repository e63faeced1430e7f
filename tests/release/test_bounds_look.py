"""A look at bounds: its limits hold, and it charges before it draws."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import leastnoise as ln
from leastnoise.errors import BudgetExceeded
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.release.bounds_look import BoundRow, bounds_look
from leastnoise.release.plan import Plan

CAP = 64
CITIES = ["a", "b", "c"]


def rows_of_units() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    counts = np.minimum(rng.zipf(1.7, 300), CAP)
    made = pd.DataFrame({"who": np.repeat(np.arange(len(counts)), counts)})
    made["city"] = rng.choice(CITIES, len(made))
    return made


FRAME = rows_of_units()


def asked(most_rows: int | None = CAP) -> Plan:
    start = ln.plan(ln.read(FRAME, unit="who"), max_groups=3, max_rows=1, most_rows=most_rows)
    return start.count(name="all").count(by="city", keys=CITIES, name="cities")


def ledger(folder: Path) -> ln.Ledger:
    return ln.Ledger(folder / "b.db", total=PureDP(epsilon=10**6), begin=True)


def truly_cut(row: BoundRow) -> float:
    """What is left out of one answer, on average; all three cities count."""
    by = ["who"] if row.question == "all" else ["who", "city"]
    counts = FRAME.groupby(by).size().to_numpy()
    return float(np.maximum(counts - row.value, 0).sum()) / (1 if row.question == "all" else 3)


@pytest.mark.parametrize(
    "spend", [PureDP(epsilon=1), pytest.param(ZCDP(rho="0.1"), marks=pytest.mark.slow)]
)
def test_bounds_leave_out_no_more_than_said(spend: PureDP | ZCDP, tmp_path: Path) -> None:
    own = ln.Ledger(
        tmp_path / "b.db",
        total=PureDP(epsilon=10**6) if isinstance(spend, PureDP) else ZCDP(rho=10**6),
        begin=True,
    )
    held: list[bool] = []
    for _ in range(30):
        found = bounds_look(asked(), spend, budget=PureDP(epsilon=1), ledger=own)
        limits = {each: each.cut_most or 0.0 for each in found if each.bound == "max_rows"}
        safe = [limit for each, limit in limits.items() if each.value == CAP]
        assert safe == [0.0, 0.0]  # of both questions: nobody has more
        held += [limit >= truly_cut(each) for each, limit in limits.items() if each.value == 1]
    assert len(held) == 60
    assert binom.sf(len(held) - sum(held) - 1, len(held), 0.05) > 1e-6


@pytest.mark.parametrize("budget", [PureDP(epsilon=1), ZCDP(rho="0.1")])
def test_errors_of_quantiles_are_in_rows_as_those_of_counts(
    budget: PureDP | ZCDP, tmp_path: Path
) -> None:
    start = ln.plan(ln.read(FRAME.assign(x=0.5), unit="who"), max_rows=1, most_rows=CAP)
    both = start.count(name="all").median("x", lower=0, upper=1, name="middle")
    own = ln.Ledger(tmp_path / "b.db", total=budget, begin=True)
    spend = PureDP(epsilon="0.5") if isinstance(budget, PureDP) else ZCDP(rho="0.05")
    found = bounds_look(both, spend, budget=budget, ledger=own)
    cuts = [
        {each.value: each.cut for each in found if each.question == name}
        for name in ("all", "middle")
    ]
    assert cuts[0] == cuts[1]
    noise = next(e.noise for e in found if e.question == "middle" and e.value == 1)
    error = both.preview(budget)[1].expected_error
    assert error is not None
    assert error / 3 < noise < 3 * error


def test_without_a_cap_no_limit_is_stated(tmp_path: Path) -> None:
    found = bounds_look(
        asked(None), PureDP(epsilon=1), budget=PureDP(epsilon=1), ledger=ledger(tmp_path)
    )
    rows = [each for each in found if each.bound == "max_rows"]
    assert rows
    assert all(each.cut_most is None and each.cap is None for each in rows)


def test_a_ledger_that_has_too_little_is_asked_first(tmp_path: Path) -> None:
    small = ln.Ledger(tmp_path / "b.db", total=PureDP(epsilon=1), begin=True)
    with pytest.raises(BudgetExceeded):
        bounds_look(asked(), PureDP(epsilon=2), budget=PureDP(epsilon=1), ledger=small)
    assert not small.history()
    bounds_look(asked(), PureDP(epsilon="1/2"), budget=PureDP(epsilon=1), ledger=small)
    assert len(small.history()) == 1
