"""Every broken mechanism on show is seen to be broken; sound ones are not."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leastnoise.mechanisms import HonestMachine, ThresholdNoise
from leastnoise.noise import Canonical, DiscreteLaplace
from leastnoise.privacy.loss import PrivacyLoss
from tests.museum.collection import exhibits
from tests.museum.evidence import (
    Diverging,
    Enumerated,
    Evidence,
    Measured,
    Priced,
    Sampled,
    Transcribed,
    Verified,
)
from tests.museum.exhibit import Exhibit
from tests.museum.page import page
from tests.museum.selections import Utilities, exponential, noisy_max_value, permute_and_flip

DOCS = Path(__file__).parents[2] / "docs"
LEAST = 25


@pytest.mark.parametrize("shown", exhibits(), ids=lambda shown: shown.name)
def test_every_exhibit_is_flagged_within_its_budget(shown: Exhibit) -> None:
    finding = shown.finding()
    assert finding.flagged, finding.seen


def test_the_museum_is_large_and_every_exhibit_has_a_source() -> None:
    assert len(exhibits()) >= LEAST
    bibliography = (DOCS / "references.bib").read_text("utf-8")
    for shown in exhibits():
        assert shown.fault
        assert shown.sources
        assert all(f"{{{key}," in bibliography for key in shown.sources), shown.sources
        assert 0 <= shown.evidence.budget <= 10**6


def test_the_page_is_made_from_the_exhibits() -> None:
    """If this fails: python -m tests.museum.page > docs/museum.md."""
    assert (DOCS / "museum.md").read_text("utf-8") == page()


def exact_halving(value: int) -> dict[int, Fraction]:
    return noisy_max_value((value,))


def monotone_choice(utilities: Utilities) -> dict[int, Fraction]:
    return exponential(utilities, Fraction(2))


def right_choice(utilities: Utilities) -> dict[int, Fraction]:
    return permute_and_flip(utilities, Fraction(2), tried=len(utilities))


def noisy(value: int, *, size: int) -> Any:
    return value + DiscreteLaplace(scale=10).sample(size)


SOUND: list[tuple[Evidence, Any]] = [
    (Enumerated(neighbours=(0, 1), epsilon="0.7"), exact_halving),
    (Enumerated(neighbours=((1, 0, 0), (0, 0, 0)), epsilon="0.7"), monotone_choice),
    (Enumerated(neighbours=((1, 0, 0), (0, 0, 0)), epsilon="0.7"), right_choice),
    (Enumerated(neighbours=((1, 0, 0), (0, 1, 1)), epsilon="1.4"), right_choice),
    (Priced(epsilon=2), lambda: PrivacyLoss.laplace(epsilon=1).self_compose(2)),
    (Diverging(rho="0.125", order=7), lambda: PrivacyLoss.gaussian(mu="0.5")),
    (Verified(epsilon=1), lambda: DiscreteLaplace(scale=1)),
    (Verified(epsilon=1, delta="1e-6"), lambda: Canonical(epsilon=1, delta="1e-6")),
    (Measured(neighbours=([1, 2], [1]), sensitivity=2), sum),
    (Measured(neighbours=([1], [1])), sum),
    (
        Transcribed(neighbours=([0, -1], [1, -2])),
        HonestMachine(ThresholdNoise(epsilon=1, sensitivity=1, positives=1), 0),
    ),
    (Sampled(neighbours=(0, 10), samples=200_000), noisy),
]


@pytest.mark.parametrize(("evidence", "sound"), SOUND)
def test_no_evidence_cries_wolf(evidence: Evidence, sound: Any) -> None:
    finding = evidence.of(sound)
    assert not finding.flagged, finding.seen
