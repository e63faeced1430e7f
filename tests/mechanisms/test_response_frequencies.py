import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from scipy.stats import beta, binom, norm

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import RandomizedResponse, ResponseFrequencies
from leastnoise.numeric.clopper_pearson import clopper_pearson

Statistic = Callable[[ResponseFrequencies], float]

CASES = [("0.5", 2, (0, 1, 1)), ("1.5", 3, (2, 0, 2, 1)), ("3", 2, (1, 1, 1, 1)), ("1", 4, (0, 3))]


def over_all_answers(
    mechanism: RandomizedResponse, records: tuple[int, ...]
) -> list[tuple[float, ResponseFrequencies]]:
    """Every array of answers with its probability."""
    laws = [
        {a: float(p.interval()) for a, p in mechanism.output_law(record).items()}
        for record in records
    ]
    return [
        (
            math.prod(law[a] for law, a in zip(laws, answers, strict=True)),
            mechanism.frequencies(answers),
        )
        for answers in product(range(mechanism.categories), repeat=len(records))
    ]


def mean(cases: list[tuple[float, ResponseFrequencies]], statistic: Statistic) -> float:
    return math.fsum(chance * statistic(answers) for chance, answers in cases)


@pytest.mark.parametrize(("epsilon", "categories", "records"), CASES)
def test_estimates_are_unbiased_and_have_the_stated_variance(
    epsilon: str, categories: int, records: tuple[int, ...]
) -> None:
    """The records fixed: the error is the privacy part alone."""
    mechanism = RandomizedResponse(epsilon=epsilon, categories=categories)
    cases = over_all_answers(mechanism, records)
    share = Fraction(records.count(1), len(records))
    truth, split = float(share), mechanism.squared_error(frequency=share, records=len(records))
    middle = mean(cases, lambda r: float(r.estimate(1)))
    error = mean(cases, lambda r: (float(r.estimate(1)) - truth) ** 2)
    assert middle == pytest.approx(truth, abs=1e-12)
    assert error == pytest.approx(float(split.privacy), rel=1e-12)


@pytest.mark.parametrize(("epsilon", "categories", "size"), [("0.5", 2, 4), ("2", 3, 3)])
def test_variance_of_a_random_sample(epsilon: str, categories: int, size: int) -> None:
    mechanism = RandomizedResponse(epsilon=epsilon, categories=categories)
    shares = [0.3, 0.7] if categories == 2 else [0.2, 0.5, 0.3]
    cases = [
        (math.prod(shares[r] for r in records) * chance, answers)
        for records in product(range(categories), repeat=size)
        for chance, answers in over_all_answers(mechanism, records)
    ]
    split = mechanism.squared_error(frequency=str(shares[1]), records=size)
    assert mean(cases, lambda r: float(r.estimate(1))) == pytest.approx(shares[1], abs=1e-12)
    error = mean(cases, lambda r: (float(r.estimate(1)) - shares[1]) ** 2)
    assert error == pytest.approx(float(split.total), rel=1e-12)
    assert float(split.sampling) + float(split.privacy) == pytest.approx(error, rel=1e-12)
    assert mean(cases, lambda r: float(r.variance(1))) == pytest.approx(error, rel=1e-12)


def test_estimates_add_up_to_one() -> None:
    result = RandomizedResponse(epsilon=1, categories=4).frequencies([0, 0, 3, 1, 1, 1])
    assert sum(float(result.estimate(c)) for c in range(4)) == pytest.approx(1, abs=1e-12)
    assert float(result.estimate(2)) < 0, "unbiased estimates are not cut"


# Intervals


@pytest.mark.spread(8)
@pytest.mark.parametrize("trials", [1, 7, 100, 10**6])
@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.999, 1])
def test_clopper_pearson_agrees_with_scipy_and_lies_outside_the_exact_ends(
    trials: int, share: float
) -> None:
    successes = round(share * trials)
    low, high = clopper_pearson(successes, trials, Fraction(1, 20))
    lowest = beta.ppf(0.025, successes, trials - successes + 1) if successes else 0
    highest = beta.ppf(0.975, successes + 1, trials - successes) if successes < trials else 1
    assert float(low) == pytest.approx(lowest, rel=1e-9)
    assert float(high) == pytest.approx(highest, rel=1e-9)


@pytest.mark.parametrize("method", ["clopper_pearson", "hoeffding"])
@pytest.mark.parametrize("frequency", [0.0, 0.01, 0.3, 0.5, 1.0])
def test_rigorous_intervals_cover_the_population(method: str, frequency: float) -> None:
    mechanism, records = RandomizedResponse(epsilon=1), 40
    truth, lie = float(mechanism.truth.interval()), float(mechanism.lie.interval())
    chance = lie + frequency * (truth - lie)
    covered = 0.0
    for count in range(records + 1):
        result = mechanism.frequencies([1] * count + [0] * (records - count))
        interval = getattr(result, method)(1, confidence="0.9")
        if Fraction(frequency) in interval:
            covered += binom.pmf(count, records, chance)
    assert covered >= 0.9


def test_hoeffding_covers_the_records_themselves() -> None:
    mechanism, records = RandomizedResponse(epsilon="0.5", categories=3), (2, 2, 0, 1, 2)
    cases = over_all_answers(mechanism, records)
    covers = mean(cases, lambda r: float(Fraction(3, 5) in r.hoeffding(2, confidence="0.8")))
    assert covers >= 0.8


def test_normal_interval_is_the_textbook_one() -> None:
    mechanism = RandomizedResponse(epsilon=1)
    result = mechanism.frequencies([1] * 4000 + [0] * 6000)
    contrast = float(mechanism.truth.interval()) - float(mechanism.lie.interval())
    reach = norm.ppf(0.975) * math.sqrt(0.4 * 0.6 / 10000) / contrast
    interval = result.normal(1, confidence="0.95")
    assert float(interval.lower) == pytest.approx(float(result.estimate(1)) - reach, rel=1e-10)
    assert float(interval.upper) == pytest.approx(float(result.estimate(1)) + reach, rel=1e-10)


def test_intervals_are_nested_by_rigour_for_large_samples() -> None:
    result = RandomizedResponse(epsilon=1).frequencies([1] * 4500 + [0] * 5500)
    widths = [
        getattr(result, name)(1, confidence="0.95").width
        for name in ("normal", "clopper_pearson", "hoeffding")
    ]
    assert widths == sorted(widths)


@pytest.mark.parametrize("method", ["clopper_pearson", "hoeffding", "normal"])
@pytest.mark.parametrize("answers", [[0] * 50, [1] * 50, [1]])
def test_intervals_stay_within_the_possible(method: str, answers: list[int]) -> None:
    result = RandomizedResponse(epsilon=1).frequencies(answers)
    interval = getattr(result, method)(1, confidence="0.99")
    assert 0 <= interval.lower <= interval.upper <= 1


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan, "much"])
def test_confidence_lies_between_0_and_1(confidence: object) -> None:
    result = RandomizedResponse(epsilon=1).frequencies([0, 1])
    with pytest.raises(InvalidParameter, match="confidence"):
        result.hoeffding(0, confidence=confidence)  # type: ignore[arg-type]


def test_no_answers_and_no_such_category() -> None:
    mechanism = RandomizedResponse(epsilon=1)
    with pytest.raises(InvalidParameter, match="empty"):
        mechanism.frequencies([])
    with pytest.raises(InvalidParameter, match="two"):
        mechanism.frequencies([1]).variance(1)
    with pytest.raises(InvalidParameter, match="category"):
        mechanism.frequencies([1]).estimate(2)
    with pytest.raises(InvalidParameter, match="responses"):
        mechanism.frequencies([2])
