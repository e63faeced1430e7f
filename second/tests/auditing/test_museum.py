"""Every exhibit of the museum is found, and none of the right versions is accused."""

import pytest

from tests.auditing.museum import EXHIBITS

SLOW = "sparse vector"  # vectors are taken apart anew after every block of bets
SAMPLED = [name for name, each in EXHIBITS.items() if each.samples and SLOW not in name]


@pytest.mark.parametrize("name", EXHIBITS)
def test_the_broken_version_is_found_and_the_right_one_is_not_accused(name: str) -> None:
    exhibit = EXHIBITS[name]
    broken, right = exhibit.audited("broken"), exhibit.audited("right")
    assert broken.violated
    assert not right.violated
    assert broken.proved == (not exhibit.samples)
    assert exhibit.samples or right.found.upper <= right.allowed
    assert all(len(line) <= 80 for line in f"{broken!r}\n{right!r}".split("\n"))


@pytest.mark.parametrize("name", [*SAMPLED, "sparse vector without noise on the totals"])
def test_bets_find_it_with_no_more_outputs(name: str) -> None:
    exhibit = EXHIBITS[name]
    broken = exhibit.audited("broken", sequential=True)
    assert broken.violated and broken.samples <= exhibit.samples
    assert not exhibit.audited("right", sequential=True).violated


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Laplace noise in floats", "lowest bit of output <= -5"),
        ("histogram of the groups there are", "output['b']"),
        ("answers as long as the data", "output[1]"),
        ("sparse vector without noise on the totals", "output[1] >= 1"),
    ],
)
def test_the_report_names_what_was_seen(name: str, words: str) -> None:
    assert words in EXHIBITS[name].audited("broken").where


def test_the_museum_is_large_and_every_fault_has_a_sentence() -> None:
    assert len(EXHIBITS) >= 25
    assert all(each.fault.endswith(".") for each in EXHIBITS.values())
