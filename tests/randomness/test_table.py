import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leastnoise.numeric.exponential import ExponentialRatio, ExponentialSum
from leastnoise.randomness import Source
from leastnoise.randomness.table import LookUpTable
from tests.randomness.goodness_of_fit import rejects
from tests.scripted import CountingSource, NoEntropy, ScriptedSource, script, words

TOP = 2**64 - 1
LOW = 2**48 - 1

Weights = Sequence[int | Fraction]


class Law:
    """A finite law given by weights: survival function, table and reference."""

    def __init__(self, weights: Weights) -> None:
        above = list(accumulate(map(Fraction, reversed(weights))))[::-1]
        self.survival = [part / above[0] for part in above[1:]]
        self.length = len(weights)

    def s(self, n: int) -> Fraction:
        return self.survival[n - 1]

    def floor(self, n: int, bits: int) -> int:
        assert 1 <= n < self.length
        return math.floor(self.s(n) * (1 << bits))

    @cached_property
    def table(self) -> LookUpTable:
        return LookUpTable(self.floor, lambda n: n, self.length)

    @cached_property
    def open_cells(self) -> set[int]:
        """The values of the first 16 bits that leave some comparison open."""
        return {min(math.floor(s * 2**16), 2**16 - 1) for s in self.survival}

    def value(self, uniform: Fraction) -> int:
        """The definition: N = #{n ≥ 1 : U < S(n)}."""
        return sum(uniform < survival for survival in self.survival)


def as_script(prefix: int, bits: int, *, searched: bool) -> bytes:
    """The bytes that make a sampler read this prefix of U: 16 bits, 48 bits, words of 64."""
    head = prefix >> (bits - 16) if bits >= 16 else prefix
    if not searched:
        return script([head], 2)
    tail = prefix >> (bits - 64) & LOW
    rest = [prefix >> shift & TOP for shift in range(bits - 128, -1, -64)]
    return script([head], 2) + words(tail << 16, *rest)


def draw(table: LookUpTable, prefix: int, bits: int) -> tuple[int, int]:
    """The value for a prefix of U, and how many bits of U were read."""
    source = ScriptedSource(as_script(prefix, bits, searched=True))
    (value,) = table.sample(1, source)
    return int(value), 16 if source.used == 2 else 64 + 8 * (source.used - 10)


def assert_decided(law: Law, prefix: int, bits: int) -> None:
    """The value must be right for every U that shares the bits that were read."""
    value, known = draw(law.table, prefix, bits)
    first = prefix >> (bits - known)
    lowest, supremum = Fraction(first, 2**known), Fraction(first + 1, 2**known)
    assert value == law.value(lowest)
    assert all((lowest < s) == (supremum <= s) for s in law.survival)


THIRDS = Law([1, 1, 1])
LAWS = {
    "coin": Law([1, 1]),
    "thirds": THIRDS,
    "dyadic": Law([8, 4, 2, 1, 1]),
    "one value": Law([1]),
    "certainly one": Law([0, 1]),
    "certainly three": Law([0, 0, 0, 1, 0, 0]),
    "holes": Law([0, 3, 0, 0, 4, 0]),
    "never the last": Law([1, 2, 0]),
    "rare first": Law([Fraction(1, 2**70), 1]),
    "rare last": Law([1, Fraction(1, 2**70)]),
    "rare in the middle": Law([1, Fraction(1, 2**70), Fraction(1, 2**200), 1]),
    "many rare": Law([1, *[Fraction(1, 3**50)] * 20]),
    "equal thresholds": Law([1, *[Fraction(1, 10**30)] * 6, 2]),
    "many": Law(list(range(1, 200))),
    "binomial": Law([math.comb(40, n) for n in range(41)]),
}


# (i) Every first word


@pytest.mark.spread(12)
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("beside", [-1, 1])
def test_every_first_word(name: str, beside: int) -> None:
    """All 65,536 heads at once; open cells go on just beside their first threshold."""
    law = LAWS[name]
    heads = range(2**16)
    floors = {math.floor(s * 2**16): math.floor(s * 2**64) & LOW for s in law.survival}
    floors = {min(head, 2**16 - 1): low if head < 2**16 else LOW for head, low in floors.items()}
    thresholds = {min(math.floor(s * 2**64), TOP) for s in law.survival}
    tails = {}
    for head in (head for head in heads if head in law.open_cells):
        low = (floors[head] + beside) % 2**48
        while head << 48 | low in thresholds:
            low = (low + beside) % 2**48
        tails[head] = low
    source = ScriptedSource(script(heads, 2) + words(*(low << 16 for low in tails.values())))
    drawn = law.table.sample(2**16, source)
    assert source.left == 0
    ends = sorted(math.ceil(s * 2**64) for s in law.survival)
    inputs = np.array([head << 48 | tails.get(head, 0) for head in heads], dtype=object)
    expected = len(ends) - np.searchsorted(np.array(ends, dtype=object), inputs, side="right")
    assert (drawn == expected).all()


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("offset", [-1, 0, 1])
@pytest.mark.parametrize("bits", [64, 128, 256])
@pytest.mark.parametrize("follow", [0, 1, TOP])
def test_beside_every_threshold(name: str, offset: int, bits: int, follow: int) -> None:
    law = LAWS[name]
    for survival in law.survival[:25]:
        prefix = math.floor(survival * 2**bits) + offset
        if 0 <= prefix < 2**bits:
            # Where `follow` prolongs the tie, two more words end it.
            longer = (prefix << 192) | (follow << 128) | (follow << 64) | max(1, follow - 1)
            assert_decided(law, longer, bits + 192)


# (ii) Undecided draws


def test_a_word_equal_to_a_threshold_is_settled_either_way() -> None:
    # S = 2/3, 1/3: binary expansions that repeat, so a tie can be prolonged at will.
    table = THIRDS.table
    for n, tie in ((1, 2 * 2**64 // 3), (2, 2**64 // 3)):
        for depth in range(1, 5):
            known = 0
            for _ in range(depth):
                known = known << 64 | tie
            bits = 64 * (depth + 1)
            assert draw(table, known << 64 | tie - 1, bits) == (n, bits)
            assert draw(table, known << 64 | tie + 1, bits) == (n - 1, bits)
            assert draw(table, known << 64, bits) == (n, bits)
            assert draw(table, known << 64 | TOP, bits) == (n - 1, bits)


def test_several_equal_thresholds_are_told_apart() -> None:
    law = LAWS["equal thresholds"]
    assert len({math.floor(s * 2**64) for s in law.survival}) < len(law.survival)
    found = set()
    for n in range(1, law.length):
        prefix = math.floor(law.s(n) * 2**192)
        for offset in (-1, 1):
            value, known = draw(law.table, prefix + offset, 192)
            assert value == law.value(Fraction(prefix + offset, 2**192))
            assert known > 64
            found.add(value)
    assert found == set(range(law.length))


def test_a_certain_event_is_never_missed() -> None:
    table = LAWS["certainly three"].table
    assert draw(table, TOP << 64, 128) == (3, 128)
    assert draw(table, TOP << 64 | TOP, 128) == (3, 128)
    assert draw(table, TOP << 64 | 12345, 128)[0] == 3
    assert draw(table, (TOP - 1) << 64, 128) == (3, 64)
    # And at the other end, where S(4) = 0 is never undercut.
    assert draw(table, 1, 128)[0] == 3
    assert draw(table, 1, 192)[0] == 3


def test_a_certain_event_beside_an_almost_certain_one() -> None:
    # S(1) = 1, S(2) = 1 − 2**-70: one capped and one true threshold at 2**64 − 1.
    law = Law([0, Fraction(1, 2**70), 1 - Fraction(1, 2**70)])
    table = law.table
    edge = 2**128 - 2**58
    assert draw(table, edge - 1, 128) == (2, 128)
    assert draw(table, edge << 64 | 5, 192) == (1, 192)
    assert draw(table, edge + 1, 128) == (1, 128)
    assert draw(table, 2**128 - 1, 128) == (1, 128)


def test_values_without_probability_are_never_drawn() -> None:
    law = LAWS["holes"]
    drawn = law.table.sample(20_000, Source())
    assert set(drawn.tolist()) == {1, 4}
    for survival in law.survival:
        for bits in (64, 128, 192):
            prefix = min(math.floor(survival * 2**bits), 2**bits - 1)
            assert draw(law.table, prefix << 128 | 1, bits + 128)[0] in {1, 4}


def test_one_value_needs_no_search() -> None:
    source = ScriptedSource(script([0, 2**16 - 1, 77], 2))
    assert list(LAWS["one value"].table.sample(3, source)) == [0, 0, 0]


def test_values_rarer_than_a_word() -> None:
    rare = LAWS["rare last"]  # P(N = 1) is nearly 2**-70
    edge = math.floor(rare.s(1) * 2**192)
    assert draw(rare.table, 1 << 128, 192) == (0, 64)
    assert draw(rare.table, edge - 1, 192)[0] == 1
    assert draw(rare.table, edge + 1, 192)[0] == 0


def geometric(base: Fraction) -> LookUpTable:
    """P(N ≥ n) = base**n, without end."""
    return LookUpTable(lambda n, bits: math.floor(base**n * 2**bits), lambda n: n)


@pytest.mark.parametrize("base", [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)])
def test_the_far_tail_of_a_geometric_law(base: Fraction) -> None:
    table = geometric(base)
    for zeros in range(1, 4):
        bits = 64 * (zeros + 1)
        for last in (1, 2, 3, 1000, 2**63, TOP):
            value, known = draw(table, last << 64 | 1, bits + 64)
            lowest = Fraction((last << 64 | 1) >> (bits + 64 - known), 2**known)
            assert base ** (value + 1) <= lowest
            assert lowest + Fraction(1, 2**known) <= base**value


def test_an_infinite_law_that_ends() -> None:
    # The length is not told, but S(3) = S(4) = … = 0.
    table = LookUpTable(
        lambda n, bits: [2**bits, 2**bits // 3, 2**bits // 5, 0][min(n, 3)], lambda n: n
    )
    assert draw(table, 1, 256) == (2, 256)
    assert draw(table, 1, 64) == (2, 64)
    assert draw(table, TOP, 64) == (0, 16)


def test_an_exponential_law_is_settled_by_the_true_expansion() -> None:
    def floor(n: int, bits: int) -> int:
        number = ExponentialRatio(ExponentialSum.exp(-n), ExponentialSum.of(1))
        return number.floor(1 << bits)

    table = LookUpTable(floor, lambda n: n)
    for n in (1, 2, 10, 60):
        # exp(−60) lies below 2**-64, in the cell of the first word where the table ends.
        for bits in (128, 192, 320) if n == 60 else (64, 128, 192, 320):
            edge = floor(n, bits)
            assert draw(table, edge - 1, bits)[0] == n
            assert draw(table, edge + 1, bits)[0] == n - 1
            assert draw(table, edge << 64, bits + 64)[0] == n
            assert draw(table, edge << 64 | TOP, bits + 64)[0] == n - 1


def test_ties_among_many_draws_keep_their_places() -> None:
    table = THIRDS.table
    two, one = 2 * 2**64 // 3, 2**64 // 3
    inputs = [two, 5 << 48, one, TOP, two, one]
    heads = [value >> 48 for value in inputs]
    tails = [(value & LOW) << 16 for value in (two, one, two, one)]
    source = ScriptedSource(script(heads, 2) + words(*tails, 0, TOP, TOP, 0))
    assert list(table.sample(6, source)) == [1, 2, 1, 0, 0, 2]
    assert source.left == 0


# (iii) The total measure


def boundary(table: LookUpTable, n: int, bits: int = 128) -> int:
    """How many prefixes of 128 bits, continued in the middle, give at least n."""
    low, high = 0, 1 << bits
    while low < high:
        middle = (low + high) // 2
        continued = middle << 192 | (1 << 191) | 1
        if draw(table, continued, bits + 192)[0] >= n:
            low = middle + 1
        else:
            high = middle
    return low


@pytest.mark.parametrize("name", [name for name in LAWS if LAWS[name].length < 30])
def test_the_measure_of_every_value_is_its_probability(name: str) -> None:
    law = LAWS[name]
    table = law.table
    ends = [1 << 128, *(boundary(table, n) for n in range(1, law.length)), 0]
    for n in range(1, law.length):
        assert abs(ends[n] - law.s(n) * 2**128) <= 1
    masses = [ends[n] - ends[n + 1] for n in range(law.length)]
    assert sum(masses) == 1 << 128
    assert min(masses) >= 0
    assert boundary(table, law.length) == 0


# (iv) Statistics


@pytest.mark.parametrize("name", ["coin", "thirds", "dyadic", "many"])
def test_samples_fit_their_law(name: str) -> None:
    law = LAWS[name]
    ends = [Fraction(1), *law.survival, Fraction(0)]
    probabilities = [float(ends[n] - ends[n + 1]) for n in range(law.length)]
    drawn = law.table.sample(500_000, Source())
    assert not rejects(drawn, probabilities)
    for tilt in (0.9, 1.1):
        first = probabilities[0] * tilt if law.length < 10 else probabilities[0]
        wrong = [first, *probabilities[1:]]
        if law.length >= 10:
            wrong = [p * (tilt if n < law.length // 2 else 1) for n, p in enumerate(wrong)]
        assert rejects(drawn, [p / sum(wrong) for p in wrong])


def test_successive_samples_are_independent() -> None:
    drawn = LAWS["coin"].table.sample(400_000, Source())
    pairs = 2 * drawn[::2] + drawn[1::2]
    assert not rejects(pairs, [1 / 4] * 4)
    repeated = np.repeat(drawn[::2], 2)
    assert rejects(2 * repeated[::2] + repeated[1::2], [1 / 4] * 4)


# (v) Against a reference fed with the same bits


class Bits:
    """A straightforward reader of the script, one U at a time."""

    def __init__(self, words_: Sequence[int]) -> None:
        self.words = list(words_)

    def word(self) -> int:
        return self.words.pop(0)


def reference_sample(law: Law, heads: Sequence[int], rest: Bits) -> list[int]:
    """Heads for all; then 48 more bits for each open one; then whole words for each tie."""
    prefixes = {}
    for place, head in enumerate(heads):
        if head in law.open_cells:
            prefixes[place] = head << 48 | rest.word() >> 16
    values = []
    for place, head in enumerate(heads):
        if place not in prefixes:
            values.append(law.value(Fraction(head, 2**16)))
            continue
        known, bits = prefixes[place], 64
        while any(min(math.floor(s * 2**bits), 2**bits - 1) == known for s in law.survival):
            known, bits = known << 64 | rest.word(), bits + 64
            if not any(math.floor(s * 2**bits) == known for s in law.survival):
                break
        values.append(law.value(Fraction(known, 2**bits)))
    return values


weights = st.lists(
    st.one_of(
        st.integers(0, 5),
        st.integers(0, 2**70),
        st.sampled_from([Fraction(1, 2**70), Fraction(1, 10**30), Fraction(1, 3)]),
    ),
    min_size=1,
    max_size=12,
).filter(lambda found: sum(found) > 0)


@settings(deadline=None)
@given(weights, st.data())
def test_a_reference_fed_with_the_same_bits(found: Weights, data: st.DataObject) -> None:
    law = Law(found)
    thresholds = [min(math.floor(s * 2**64), TOP) for s in law.survival] or [0]
    word = st.one_of(st.sampled_from(thresholds), st.integers(0, TOP))
    inputs = data.draw(st.lists(word, min_size=1, max_size=8))
    heads = [value >> 48 for value in inputs]
    tails = [(value & LOW) << 16 for value in inputs if value >> 48 in law.open_cells]
    further = data.draw(st.lists(word, min_size=40, max_size=40))
    # The words 1 end ties that zeros prolong.
    rest = [*tails, *further, *[1] * 40]
    source = ScriptedSource(script(heads, 2) + words(*rest))
    reader = Bits(rest)
    drawn = law.table.sample(len(heads), source)
    assert drawn.tolist() == reference_sample(law, heads, reader)
    assert source.left == 8 * len(reader.words)


@settings(deadline=None)
@given(weights, st.integers(0, 11), st.integers(-2, 2), st.sampled_from([64, 128, 192]))
@example([1, 0], 0, 0, 64)
def test_any_law_beside_any_threshold(found: Weights, n: int, offset: int, bits: int) -> None:
    law = Law(found)
    if law.survival:
        prefix = math.floor(law.survival[n % len(law.survival)] * 2**bits) + offset
        prefix = min(max(prefix, 0), 2**bits - 1)
        assert_decided(law, prefix << 192 | 1 << 70 | 1, bits + 192)


@settings(deadline=None)
@given(weights, st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
def test_values_fall_as_the_uniform_grows(found: Weights, one: int, two: int) -> None:
    table = Law(found).table
    low, high = sorted([one, two])
    assert draw(table, low << 64 | 1, 320)[0] >= draw(table, high << 64 | 1, 320)[0]


# The rest of the contract


def test_values_are_translated() -> None:
    table = LookUpTable(THIRDS.floor, lambda n: [-(2**63), 0, 2**63 - 1][n], 3)
    drawn = table.sample(1000, Source())
    assert set(drawn.tolist()) == {-(2**63), 0, 2**63 - 1}
    assert draw(table, (2**64 // 3) << 64, 128)[0] == 2**63 - 1
    assert draw(table, (2**64 // 3) << 64 | TOP, 128)[0] == 0


def test_settled_values_are_translated_far_out() -> None:
    table = LookUpTable(lambda n, bits: 2**bits >> n, lambda n: -3 * n)
    # U = 2**-192 + 2**-256: N = #{n : U < 2**-n} = 191.
    assert draw(table, 1 << 64 | 1, 256) == (-3 * 191, 256)


@pytest.mark.parametrize("count", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_counts_beyond_one_chunk(count: int) -> None:
    drawn = THIRDS.table.sample(count, Source())
    assert drawn.shape == (count,)
    assert drawn.dtype == np.int64
    if count:
        assert set(drawn[-20_000:].tolist()) <= {0, 1, 2}
        assert count < 100 or set(drawn[-100:].tolist()) == {0, 1, 2}


def test_nothing_drawn_takes_nothing() -> None:
    assert THIRDS.table.sample(0, NoEntropy()).shape == (0,)


def test_a_draw_takes_little_more_than_two_bytes() -> None:
    source = CountingSource()
    LAWS["binomial"].table.sample(100_000, source)
    # At most 40 of 65,536 cells are open: 40/65536·8 bytes more on average.
    assert 200_000 <= source.given < 203_000


def test_memory_is_told() -> None:
    assert 2**19 <= THIRDS.table.nbytes < 2**19 + 100
