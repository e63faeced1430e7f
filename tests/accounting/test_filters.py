import copy
import dataclasses
import inspect
import math
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.accounting.odometer import PureOdometer, ZCDPOdometer
from leastnoise.accounting.plan import Plan
from leastnoise.accounting.pricing import price
from leastnoise.errors import BudgetExceeded, InvalidParameter, LeastNoiseError, UnsupportedQuery
from leastnoise.mechanisms import NameAndShame, RandomizedResponse
from leastnoise.numeric.exponential import ExponentialSum
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from tests.examples import examples

TINY = Fraction(1, 10**30)

amounts = st.fractions(0, 1, max_denominator=1000)
small = st.fractions(0, Fraction(1, 3), max_denominator=1000)
above_one = st.fractions(Fraction(11, 10), 20, max_denominator=20)

pure = st.builds(PureDP, epsilon=amounts)
approx = st.builds(ApproxDP, epsilon=amounts, delta=small)
zcdp = st.builds(ZCDP, rho=amounts, delta=small)
gdp = st.builds(GDP, mu=amounts)
LIMITS: dict[type, tuple[Guarantee, st.SearchStrategy[Guarantee]]] = {
    PureDP: (PureDP(epsilon=2), pure),
    ApproxDP: (ApproxDP(epsilon=2, delta="0.5"), pure | approx),
    ZCDP: (ZCDP(rho=1, delta="0.5"), pure | approx | zcdp | gdp),
    GDP: (GDP(mu="1.5"), gdp | pure),
    RDP: (RDP(order=4, epsilon=3), pure | gdp | st.builds(ZCDP, rho=amounts)),
}
limits = pytest.mark.parametrize("limit", [limit for limit, _ in LIMITS.values()], ids=str)


def numbers(guarantee: Guarantee) -> tuple[Fraction, ...]:
    """What must not exceed the limit, straight from the fields."""
    match guarantee:
        case PureDP() | RDP():
            return (guarantee.epsilon,)
        case ApproxDP():
            return (guarantee.epsilon, guarantee.delta)
        case ZCDP():
            return (guarantee.rho, guarantee.delta)
        case GDP():
            return (guarantee.mu**2,)


def granted(
    budget: PrivacyFilter, costs: Sequence[Guarantee]
) -> tuple[PrivacyFilter, list[Guarantee]]:
    """Ask for each cost in turn; keep what is granted."""
    kept = []
    for cost in costs:
        try:
            budget = budget.request(cost)
        except BudgetExceeded:
            continue
        kept.append(cost)
    return budget, kept


# The sum never exceeds the limit


@pytest.mark.parametrize("kind", LIMITS)
@examples(24, 120)
@given(data=st.data())
def test_no_sequence_of_requests_exceeds_the_limit(kind: type, data: st.DataObject) -> None:
    limit, costs = LIMITS[kind]
    asked = data.draw(st.lists(costs, max_size=12))
    budget, kept = granted(PrivacyFilter(limit), asked)
    prices = [price(cost, limit) for cost in kept]
    totals = [sum(column, Fraction(0)) for column in zip(*prices, strict=True)]
    assert all(total <= most for total, most in zip(totals, numbers(limit), strict=False))
    assert budget.limit == limit
    for total, spent in zip(totals, numbers(budget.spent), strict=False):
        assert total <= spent  # equal unless a root is irrational
    shuffled = data.draw(st.permutations(kept))
    assert granted(PrivacyFilter(limit), shuffled)[1] == shuffled
    assert granted(PrivacyFilter(limit), shuffled)[0] == budget


@pytest.mark.parametrize("kind", LIMITS)
@examples(20, 80)
@given(data=st.data())
def test_what_remains_is_granted_and_no_more(kind: type, data: st.DataObject) -> None:
    limit, costs = LIMITS[kind]
    budget, _ = granted(PrivacyFilter(limit), data.draw(st.lists(costs, max_size=6)))
    rest = budget.remaining
    after = budget.request(rest)
    first = dataclasses.fields(rest)[-1 if kind is RDP else 0].name
    more = {f.name: getattr(rest, f.name) for f in dataclasses.fields(rest)}
    more[first] += TINY
    with pytest.raises(BudgetExceeded):
        budget.request(type(rest)(**more))
    with pytest.raises(BudgetExceeded):
        after.request(type(rest)(**{**more, first: Fraction(1, 100)}))


@pytest.mark.parametrize(
    ("limit", "cost", "times"),
    [
        (PureDP(epsilon=1), PureDP(epsilon="0.1"), 10),
        (ApproxDP(epsilon=1, delta="1e-6"), ApproxDP(epsilon="0.1", delta="1e-7"), 10),
        (ApproxDP(epsilon=1, delta=0), PureDP(epsilon="1/3"), 3),
        (ZCDP(rho="0.7"), ZCDP(rho="0.1"), 7),
        (ZCDP(rho=1, delta="3e-9"), ZCDP(rho="0.1", delta="1e-9"), 3),
        (ZCDP(rho="0.5"), GDP(mu="0.1"), 100),
        (GDP(mu=1), GDP(mu="0.1"), 100),
        (RDP(order=8, epsilon=2), ZCDP(rho="0.05"), 5),
        (RDP(order=8, epsilon=2), RDP(order=8, epsilon="0.2"), 10),
        (RDP(order=8, epsilon=2), RDP(order=9, epsilon="0.2"), 10),
        (RDP(order=math.inf, epsilon=1), PureDP(epsilon="0.1"), 10),
    ],
)
def test_exhausting_exactly_is_granted(limit: Guarantee, cost: Guarantee, times: int) -> None:
    budget, kept = granted(PrivacyFilter(limit), [cost] * (times + 1))
    assert len(kept) == times
    with pytest.raises(BudgetExceeded):
        budget.request(cost)


def test_gaussian_budgets_obey_pythagoras() -> None:
    budget = PrivacyFilter(GDP(mu="0.5")).request(GDP(mu="0.3"))
    assert budget.remaining == GDP(mu="0.4")
    assert budget.request(GDP(mu="0.4")).spent == GDP(mu="0.5")
    irrational = PrivacyFilter(GDP(mu=1)).request(GDP(mu="0.3"))
    rest = irrational.remaining
    assert isinstance(rest, GDP)
    assert rest.mu**2 < Fraction("0.91") < (rest.mu + TINY) ** 2


@pytest.mark.parametrize(
    ("limit", "cost"),
    [
        (PureDP(epsilon=1), PureDP(epsilon=1 + TINY)),
        (ApproxDP(epsilon=1, delta="0.1"), ApproxDP(epsilon=1, delta=Fraction(1, 10) + TINY)),
        (ZCDP(rho=1), ZCDP(rho=1 + TINY)),
        (ZCDP(rho=1), ZCDP(rho=0, delta=TINY)),
        (GDP(mu=1), GDP(mu=1 + TINY)),
        (RDP(order=2, epsilon=1), RDP(order=2, epsilon=1 + TINY)),
    ],
)
def test_one_part_in_1e30_too_much_is_refused(limit: Guarantee, cost: Guarantee) -> None:
    with pytest.raises(BudgetExceeded):
        PrivacyFilter(limit).request(cost)
    assert PrivacyFilter(limit).request(limit).spent == limit


def test_floats_stand_for_their_exact_value() -> None:
    """Ten times the float 0.1, which is above 1/10, does not fit into 1."""
    _, kept = granted(PrivacyFilter(PureDP(epsilon=1)), [PureDP(epsilon=0.1)] * 10)
    assert len(kept) == 9


def test_long_histories_stay_exact_and_readable() -> None:
    """The sum of 1/p² over many primes has a denominator of thousands of digits."""
    primes = [n for n in range(3, 8000) if all(n % d for d in range(2, math.isqrt(n) + 1))]
    costs = [PureDP(epsilon=Fraction(1, prime**2)) for prime in primes]
    limit = Fraction("0.203")
    budget, kept = granted(PrivacyFilter(PureDP(epsilon=limit)), costs)
    total = sum((cost.epsilon for cost in costs), Fraction(0))
    assert kept == costs
    assert total.denominator.bit_length() > 20_000
    rest, spent = budget.remaining, budget.spent
    assert isinstance(rest, PureDP)
    assert isinstance(spent, PureDP)
    assert limit - total - TINY < rest.epsilon < limit - total
    assert total < spent.epsilon < total + TINY
    assert budget.request(rest).spent != budget.spent
    with pytest.raises(BudgetExceeded):
        budget.request(PureDP(epsilon=rest.epsilon + TINY))


# Conversions round up


@pytest.mark.parametrize("epsilon", ["1e-9", "0.1", "1", "4", "30"])
def test_pure_costs_are_rounded_up(epsilon: str) -> None:
    exact = float(Fraction(epsilon))
    (rho, delta) = price(PureDP(epsilon=epsilon), ZCDP(rho=1))
    assert float(rho) == pytest.approx(exact * math.tanh(exact / 2), rel=1e-13)
    odds = ExponentialSum.exp(Fraction(epsilon))
    assert ((odds + 1) * rho - (odds - 1) * Fraction(epsilon)).sign() > 0
    assert delta == 0
    (renyi,) = price(PureDP(epsilon=epsilon), RDP(order=2, epsilon=1))
    assert renyi <= Fraction(epsilon)
    assert float(renyi) >= float(RandomizedResponse(epsilon=epsilon).privacy().renyi(2).lower)
    assert price(PureDP(epsilon=epsilon), RDP(order=math.inf, epsilon=1)) == (Fraction(epsilon),)


def test_known_conversions() -> None:
    assert price(GDP(mu="0.2"), ZCDP(rho=1)) == (Fraction("0.02"), Fraction(0))
    assert price(GDP(mu="0.2"), RDP(order=5, epsilon=1)) == (Fraction("0.1"),)
    assert price(ApproxDP(epsilon=0, delta="1e-9"), ZCDP(rho=1, delta="1e-6")) == (
        Fraction(0),
        Fraction("1e-9"),
    )
    assert price(ApproxDP(epsilon=1, delta=0), PureDP(epsilon=2)) == (Fraction(1),)
    (square,) = price(PureDP(epsilon=1), GDP(mu=2))
    assert float(square) == pytest.approx((2 * norm.ppf(math.e / (1 + math.e))) ** 2, rel=1e-12)


@pytest.mark.parametrize(
    ("limit", "cost"),
    [
        (PureDP(epsilon=1), ApproxDP(epsilon="0.1", delta="1e-9")),
        (PureDP(epsilon=1), ZCDP(rho="0.1")),
        (PureDP(epsilon=1), GDP(mu="0.1")),
        (ApproxDP(epsilon=1, delta="0.1"), ZCDP(rho="0.1")),
        (ApproxDP(epsilon=1, delta="0.1"), GDP(mu="0.1")),
        (ZCDP(rho=1), RDP(order=2, epsilon="0.1")),
        (GDP(mu=1), ZCDP(rho="0.1")),
        (GDP(mu=1), ApproxDP(epsilon="0.1", delta="1e-9")),
        (RDP(order=4, epsilon=1), RDP(order=3, epsilon="0.1")),
        (RDP(order=4, epsilon=1), ZCDP(rho="0.1", delta="1e-9")),
        (RDP(order=4, epsilon=1), ApproxDP(epsilon="0.1", delta="1e-9")),
        (RDP(order=math.inf, epsilon=1), GDP(mu="0.1")),
        (RDP(order=math.inf, epsilon=1), ZCDP(rho="0.1")),
    ],
)
def test_costs_that_imply_no_such_guarantee_are_refused(limit: Guarantee, cost: Guarantee) -> None:
    with pytest.raises(UnsupportedQuery, match="limit's kind"):
        PrivacyFilter(limit).request(cost)


# Why losses are refused


@limits
def test_losses_are_refused_with_the_reason(limit: Guarantee) -> None:
    loss = RandomizedResponse(epsilon="0.1").privacy()
    with pytest.raises(UnsupportedQuery, match=r"2602\.06756.*Plan"):
        PrivacyFilter(limit).request(loss)  # type: ignore[arg-type]


def test_a_filter_of_composed_losses_would_break_its_promise() -> None:
    """The example of docs/proofs/filters.md, enumerated."""
    half, one = RandomizedResponse(epsilon="0.5"), RandomizedResponse(epsilon=1)
    limit = Fraction("0.179059")
    flat = NameAndShame(delta="0.1790588")
    for second in (flat, one):
        assert half.privacy().compose(second.privacy()).delta(1).upper <= limit

    def delta_after(loss: Fraction, second: PrivacyLoss) -> Fraction:
        return Fraction(second.delta(1 - loss).lower)

    truth = Fraction(half.truth.interval().lower)
    leak = truth * delta_after(Fraction(1, 2), one.privacy())
    leak += (1 - truth) * delta_after(Fraction(-1, 2), flat.privacy())
    assert leak > Fraction("1.37") * limit
    assert float(leak) == pytest.approx(0.24665, abs=5e-6)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1)])
def test_adaptive_budgets_under_a_pure_filter_by_enumeration(epsilon: Fraction) -> None:
    """The analyst spends the rest in one go or in halves, depending on the first answer."""
    chances: list[dict[tuple[int, ...], float]] = []
    for bit in (0, 1):
        law: dict[tuple[int, ...], float] = {}
        first = RandomizedResponse(epsilon=epsilon / 3).output_law(bit)
        for answer, chance in first.items():
            left = PrivacyFilter(PureDP(epsilon=epsilon)).request(PureDP(epsilon=epsilon / 3))
            rest = left.remaining
            assert isinstance(rest, PureDP)
            parts = [rest.epsilon] if answer else [rest.epsilon / 2] * 2
            laws = [RandomizedResponse(epsilon=part).output_law(bit) for part in parts]
            for others in product((0, 1), repeat=len(parts)):
                weight = float(chance.interval())
                for one, told in zip(laws, others, strict=True):
                    weight *= float(one[told].interval())
                law[(answer, *others)] = weight
        assert sum(law.values()) == pytest.approx(1)
        chances.append(law)
    ratios = [chances[0][path] / chances[1][path] for path in chances[0]]
    assert max(ratios) == pytest.approx(math.exp(epsilon))
    assert min(ratios) == pytest.approx(math.exp(-epsilon))


# Values


@limits
def test_filters_are_values(limit: Guarantee) -> None:
    fresh = PrivacyFilter(limit)
    used = fresh.request(limit)
    assert fresh == PrivacyFilter(limit)
    assert fresh != used
    assert numbers(fresh.spent) == (0,) * len(numbers(limit))
    assert fresh.remaining == limit == used.spent
    assert hash(fresh) == hash(PrivacyFilter(limit))
    assert repr(used) == f"PrivacyFilter(limit={limit!r}, spent={limit!r})"
    assert pickle.loads(pickle.dumps(used)) == used == copy.copy(used)
    with pytest.raises(dataclasses.FrozenInstanceError):
        fresh.limit = used.limit  # type: ignore[misc]


@limits
def test_a_refusal_changes_nothing_and_says_what_is_left(limit: Guarantee) -> None:
    budget = PrivacyFilter(limit).request(limit)
    with pytest.raises(BudgetExceeded, match="no more than remains") as caught:
        budget.request(limit)
    assert caught.value.requested == limit
    assert caught.value.remaining == budget.remaining
    assert isinstance(caught.value, LeastNoiseError)
    twin = pickle.loads(pickle.dumps(caught.value))
    assert (str(twin), twin.requested, twin.remaining) == (
        str(caught.value),
        caught.value.requested,
        caught.value.remaining,
    )
    with pytest.raises(BudgetExceeded):
        budget.request(limit)


def test_requests_see_budgets_only() -> None:
    assert list(inspect.signature(PrivacyFilter.request).parameters) == ["self", "cost"]


@pytest.mark.parametrize("bad", [None, 1, "0.1", 0.5, PureDP, (PureDP(epsilon=1),)])
def test_only_guarantees_are_limits_and_costs(bad: object) -> None:
    with pytest.raises(InvalidParameter, match="limit"):
        PrivacyFilter(bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="cost"):
        PrivacyFilter(PureDP(epsilon=1)).request(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limit", "delta", "epsilon"),
    [
        (PureDP(epsilon=1), 0, 1.0),
        (ApproxDP(epsilon=1, delta="1e-6"), "1e-6", 1.0),
        (ZCDP(rho="0.5"), "1e-6", 5.222),
        (ZCDP(rho="0.1"), "1e-6", 2.142),
        (GDP(mu=1), "1e-6", 4.887),
        (RDP(order=10, epsilon=1), "1e-6", 2.174),
    ],
)
def test_the_limit_as_epsilon_and_delta(limit: Guarantee, delta: object, epsilon: float) -> None:
    shown = PrivacyFilter(limit).request(limit).as_approx(delta)  # type: ignore[arg-type]
    assert float(shown.epsilon) == pytest.approx(epsilon, abs=1e-3)
    assert shown == PrivacyFilter(limit).as_approx(delta)  # type: ignore[arg-type]


def test_hundred_laplace_releases_chosen_adaptively() -> None:
    """The figure of the literature digest: 4.984 with a good order, 4.693 if all were planned."""
    order, loss = Fraction("6.5"), PrivacyLoss.laplace(epsilon="0.1")
    one = RDP(order=order, epsilon=Fraction(loss.renyi(order).upper))
    budget = PrivacyFilter(RDP(order=order, epsilon=100 * one.epsilon))
    for _ in range(100):
        budget = budget.request(one)
    assert float(budget.as_approx("1e-6").epsilon) <= 4.99
    with pytest.raises(BudgetExceeded):
        budget.request(one)


def test_a_limit_with_delta_promises_nothing_below_it() -> None:
    with pytest.raises(UnsupportedQuery):
        PrivacyFilter(ApproxDP(epsilon=1, delta="1e-6")).as_approx("1e-7")
    with pytest.raises(UnsupportedQuery):
        PrivacyFilter(ZCDP(rho=1)).as_approx(0)


# Odometers


def test_pure_odometer_adds_up() -> None:
    odometer = PureOdometer()
    for _ in range(10):
        odometer = odometer.record(PureDP(epsilon="0.1"))
    assert odometer.spent == PureDP(epsilon=1)
    assert PureOdometer().spent == PureDP(epsilon=0)
    with pytest.raises(UnsupportedQuery):
        odometer.record(ZCDP(rho=1))


def test_concentrated_odometer_starts_finite_and_grows() -> None:
    odometer = ZCDPOdometer(delta="1e-6", first="0.01")
    bounds = [odometer.epsilon]
    for cost in (ZCDP(rho="0.01"), PureDP(epsilon="0.3"), GDP(mu=1), ZCDP(rho=5), ZCDP(rho=100)):
        odometer = odometer.record(cost)
        bounds.append(odometer.epsilon)
    assert bounds == sorted(bounds)
    assert bounds[0] > 0
    assert odometer.spent.rho > Fraction("105.55")


@settings(deadline=None, max_examples=40)
@given(st.fractions(Fraction(1, 100), 10**4), st.sampled_from(["1e-2", "1e-6", "1e-30"]))
def test_concentrated_odometer_loses_what_it_says(rho: Fraction, delta: str) -> None:
    odometer = ZCDPOdometer(delta=delta, first="0.01").record(ZCDP(rho=rho))
    known = math.log(1 / float(delta))
    best = float(rho) + 2 * math.sqrt(known * float(rho))
    steps = math.log2(float(rho) * 100) + 1
    risk = known + math.log((steps + 1) * (steps + 2))
    assert best < float(odometer.epsilon)
    assert float(odometer.epsilon) < float(rho) + 1.016 * 2 * math.sqrt(risk * float(rho))


def test_concentrated_odometer_holds_at_the_worst_moment() -> None:
    """Binary responses, stopped when the loss is highest: exact, by walking all histories."""
    epsilon, delta, rounds = Fraction(1, 2), Fraction(1, 5), 60
    truth = float(RandomizedResponse(epsilon=epsilon).truth.interval())
    odometer = ZCDPOdometer(delta=delta, first="0.1")
    alive, caught = {0: 1.0}, 0.0
    for _ in range(rounds):
        odometer = odometer.record(PureDP(epsilon=epsilon))
        bound = odometer.epsilon / epsilon
        stepped: dict[int, float] = {}
        for place, mass in alive.items():
            for step, chance in ((1, truth), (-1, 1 - truth)):
                stepped[place + step] = stepped.get(place + step, 0.0) + mass * chance
        caught += sum(mass for place, mass in stepped.items() if place > bound)
        alive = {place: mass for place, mass in stepped.items() if place <= bound}
    assert 0 < caught <= delta


@pytest.mark.parametrize(
    "make",
    [
        lambda: ZCDPOdometer(delta=0, first=1),
        lambda: ZCDPOdometer(delta=1, first=1),
        lambda: ZCDPOdometer(delta="1e-6", first=0),
        lambda: ZCDPOdometer(delta=math.nan, first=1),
        lambda: ZCDPOdometer(delta="1e-6", first=1).record(None),  # type: ignore[arg-type]
    ],
)
def test_bad_odometers_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter):
        make()


@pytest.mark.parametrize("cost", [ZCDP(rho=1, delta="1e-9"), ApproxDP(epsilon=1, delta="1e-9")])
def test_odometers_take_no_delta(cost: Guarantee) -> None:
    with pytest.raises(UnsupportedQuery, match="delta"):
        ZCDPOdometer(delta="1e-6", first=1).record(cost)


def test_odometers_refuse_losses() -> None:
    loss = RandomizedResponse(epsilon=1).privacy()
    for odometer in (PureOdometer(), ZCDPOdometer(delta="1e-6", first=1)):
        with pytest.raises(UnsupportedQuery, match=r"2602\.06756"):
            odometer.record(loss)  # type: ignore[arg-type]


# Plans


def test_a_plan_composes_its_losses() -> None:
    coin = RandomizedResponse(epsilon="0.1").privacy()
    plan = Plan([coin] * 100)
    assert float(plan.epsilon(delta="1e-6").upper) == pytest.approx(4.7746, abs=5e-5)
    assert float(plan.delta(epsilon=3)) == pytest.approx(float(coin.self_compose(100).delta(3)))
    assert plan.within(ApproxDP(epsilon="4.7747", delta="1e-6"))
    assert not plan.within(ApproxDP(epsilon="4.7745", delta="1e-6"))


def test_the_order_of_a_plan_does_not_matter() -> None:
    losses = [RandomizedResponse(epsilon=e).privacy() for e in ("0.1", "0.5", "0.2")]
    answers = {float(Plan(order).delta(epsilon="0.3")) for order in permutations(losses)}
    assert max(answers) - min(answers) < 1e-15


@pytest.mark.parametrize("losses", [[], [PureDP(epsilon=1)], [None], [1, 2]])
def test_plans_hold_losses(losses: list[object]) -> None:
    with pytest.raises(InvalidParameter, match="losses"):
        Plan(losses)  # type: ignore[arg-type]
