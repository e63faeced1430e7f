"""Sound noise on the wrong number, or sold at the wrong price, by what stands around it: the
engine, a table that changes, the division of a budget, the ledger.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.privacy.loss import PrivacyLoss
from tests.museum.evidence import Enumerated, Measured, Priced
from tests.museum.exhibit import exhibit
from tests.museum.thresholds import Groups, halving_tail, listed

SPELLINGS = ("Oslo", "oslo", "OSLO")


@exhibit(Measured(neighbours=(["Oslo"], [])))
def one_row_under_three_spellings(cities: Sequence[str]) -> float:
    """A column that compares without regard to case, and public keys that differ in case alone:
    each row counts in several groups, and the noise is for one. The total over all groups is shown.

    Shown by: DuckdbCollations2026.
    """
    return sum(city.casefold() == key.casefold() for key in SPELLINGS for city in cities)


DEBTS = [-3.0] * 500 + [-0.0] * 500


@exhibit(Measured(neighbours=(DEBTS, [*DEBTS, 7.0])))
def row_group_skipped_by_its_statistics(balances: Sequence[float]) -> float:
    """Balances of at least 0 are counted, and a block of rows is skipped if its greatest value is
    below 0. For the rows −0.0 equals 0, for the statistics it is less: one more person brings in
    everybody of the block who owes nothing.

    Shown by: ParquetZeros2023.
    """
    greatest = max(balances, key=lambda value: (value, math.copysign(1, value)))
    if (greatest, math.copysign(1, greatest)) < (0.0, 1.0):
        return 0
    return sum(value >= 0 for value in balances)


Looks = tuple[list[str], list[str]]
PEOPLE = [f"person {number}" for number in range(20)]
GROWN: Looks = (PEOPLE, PEOPLE + ["person 0"] * 1000)
WITHOUT: Looks = (PEOPLE[1:], PEOPLE[1:])


@exhibit(Measured(neighbours=(GROWN, WITHOUT)))
def one_row_per_person_checked_before(looks: Looks) -> float:
    """At a first look nobody has two rows, so at the second all rows are counted and nobody's are
    bounded. In between the file has grown: 1020 for 20 people.

    Shown by: BishopDilger1996, WilsonEtAl2020.
    """
    first, second = looks
    return len(second) if len(set(first)) == len(first) else len(set(second))


File = tuple[dict[str, Callable[[int, int], int]], list[int]]


@exhibit(Measured(neighbours=(({"least": max}, [0, 10**6]), ({"least": max}, [0]))))
def bound_that_the_file_redefines(file: File) -> float:
    """Values are cut by `least(value, 1)`, and the database file brings a function of this name:
    the arithmetic that bounds people is chosen by whoever made the file.

    Shown by: PostgresSearchPath2018.
    """
    own, values = file
    least = own.get("least", min)
    return sum(least(value, 1) for value in values)


@exhibit(Enumerated(neighbours=(["ann", "bob"], ["ann", "bob", "eve"])))
def keys_listed_by_the_data(names: list[str]) -> dict[int, Fraction]:
    """The list of public groups is the data's own file, and a preview, which spends nothing, tells
    how many there are.

    Shown by: KorolovaKenthapadiMishraNtoulas2009.
    """
    return {len(set(names)): Fraction(1)}


@exhibit(Priced(epsilon=2))
def rows_and_people_in_one_ledger() -> PrivacyLoss:
    """A release that hides people for ε = 1 and one that hides rows for ε = 1, added up to 2: to a
    person with ten rows the second cost 10.

    Shown by: KiferMachanavajjhala2011, WilsonEtAl2020.
    """
    people = rows = PrivacyLoss.laplace(epsilon=1)
    return people.compose(rows.for_group(10))


@exhibit(Priced(epsilon=1))
def ledger_that_forgets() -> PrivacyLoss:
    """A ledger in memory that every call opens anew: each of three charges finds all of the total.

    Shown by: McSherry2009.
    """
    return PrivacyLoss.laplace(epsilon=1).self_compose(3)


@exhibit(Priced(epsilon=1, delta="1e-7"))
def least_error_by_half_the_noise() -> PrivacyLoss:
    """A search divides the budget for the least error, and one of its ways forgets half of the
    variance: that way wins by itself. ε = 1 is charged, and 1.45 is spent.

    Shown by: BalleWang2018, CanonneKamathSteinke2020.
    """
    enough = Fraction(gaussian_sigma(epsilon=1, delta="1e-7", sensitivity=1).upper)
    return PrivacyLoss.gaussian(mu=Fraction("1.414") / enough)


@exhibit(Enumerated(neighbours=({}, {"town": 1, "trade": 1}), epsilon="1.4", delta=halving_tail(9)))
def whole_delta_for_each_threshold(groups: Groups) -> dict[tuple[str, ...], Fraction]:
    """Towns and trades are both shown from a threshold on, and each was given the whole δ: a person
    who is alone in both has it twice.

    Shown by: KorolovaKenthapadiMishraNtoulas2009, DworkRoth2014.
    """
    return listed({name: halving_tail(10 - count) for name, count in groups.items()})


@exhibit(Enumerated(neighbours=({}, {"rare": 1}), epsilon="0.7"))
def threshold_whose_delta_is_not_charged(groups: Groups) -> dict[tuple[str, ...], Fraction]:
    """Groups are shown from a threshold on, and the charge names the ε of the counts alone.

    Shown by: KorolovaKenthapadiMishraNtoulas2009.
    """
    return listed({name: halving_tail(10 - count) for name, count in groups.items()})
