"""What all tests have in common: the sensitivity oracle looks at every release."""

from typing import Any

import mpmath
import pytest

from leastnoise.release import draw, periods, run
from tests import oracle


@pytest.fixture(autouse=True)
def _every_release_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No total of a release moves further than its sensitivity when a unit leaves."""
    noisy_totals = draw.noisy_totals

    def checked(part: Any, rows: Any, drawn: Any, family: Any, source: Any) -> Any:
        oracle.check(part, family)
        return noisy_totals(part, rows, drawn, family, source)

    monkeypatch.setattr(run, "noisy_totals", checked)
    monkeypatch.setattr(periods, "noisy_totals", checked)


@pytest.fixture(autouse=True)
def _precision_is_as_usual() -> None:
    """Digits that one file of tests sets for all others once made them take minutes."""
    assert mpmath.mp.prec == 53
