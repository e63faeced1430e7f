"""`BlockSampler`: decided thresholds, sound short cuts, exact slow path, samples that fit."""

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray
from scipy.stats import chi2

from leastnoise.errors import Undecided
from leastnoise.numeric import ball as balls
from leastnoise.randomness.block_sampler import BlockSampler, Integers
from leastnoise.randomness.blocks import NO_LINE, Blocks
from leastnoise.randomness.source import Source
from tests.scripted import ScriptedSource, ScriptExhausted, script

FALSE_ALARM = 1e-6
DRAWS = 1 << 16
BITS_32 = 1 << 32


@dataclass(frozen=True)
class Case:
    """A law as balls for the sampler and as mpmath numbers for the reference."""

    name: str
    ball: Callable[[int], arb]
    number: Callable[[int], mpmath.mpf]
    mode: int
    spread: int
    least: int | None = None
    greatest: int | None = None

    def blocks(self) -> Blocks:
        return self.sampler()._blocks

    def sampler(self) -> BlockSampler:
        return BlockSampler(
            self.ball,
            mode=self.mode,
            spread=self.spread,
            least=self.least,
            greatest=self.greatest,
        )

    def weight(self, k: int) -> mpmath.mpf:
        inside = (self.least is None or k >= self.least) and (
            self.greatest is None or k <= self.greatest
        )
        return self.number(k) if inside else mpmath.mpf(0)


def gaussian(sigma: int, spread: int, middle: int = 0) -> Case:
    return Case(
        f"gaussian {sigma} in blocks for {spread}",
        lambda k: (-arb((k - middle) ** 2) / (2 * sigma**2)).exp(),
        lambda k: mpmath.exp(-mpmath.mpf((k - middle) ** 2) / (2 * sigma**2)),
        middle,
        spread,
    )


def gamma(scale: int, power: int, spread: int, greatest: int | None = None) -> Case:
    def number(k: int) -> mpmath.mpf:
        return mpmath.mpf(2 * k + 1) ** power * mpmath.exp(-mpmath.mpf(k) / scale)

    return Case(
        f"gamma {scale} {power} in blocks for {spread} up to {greatest}",
        lambda k: arb(2 * k + 1) ** power * (-arb(k) / scale).exp(),
        number,
        max(range(100), key=number),
        spread,
        least=0,
        greatest=greatest,
    )


# The spread sets speed only: too large a one makes blocks coarse, and the rare paths frequent.
NARROW = gaussian(3, 3)
SHIFTED = gaussian(3, 3, middle=10**20)
COARSE = gaussian(3, 32 << 2)
MIDDLING = gaussian(10, 32 << 2)
WIDE = gaussian(10**6, 10**6)
VAST = gaussian(2**45, 2**45)
ONE_SIDED = gamma(20, 0, 20)
TWO_SIDED = gamma(20, 2, 35)
COARSE_GAMMA = gamma(20, 2, 32 << 3)
CUT = gamma(20, 2, 32 << 2, greatest=50)

SMALL = [NARROW, COARSE, MIDDLING, ONE_SIDED, TWO_SIDED, COARSE_GAMMA, CUT]
IN_BLOCKS = [MIDDLING, COARSE_GAMMA, CUT, WIDE, VAST]


def name(case: Case) -> str:
    return case.name


def support(case: Case) -> range:
    """All but a part below 2**-500, whole blocks on either side."""
    low = case.mode - 400 if case.least is None else case.least
    high = case.mode + (399 if case.least is None else 8000)
    return range(low, (high if case.greatest is None else case.greatest) + 1)


def block_of(case: Case, blocks: Blocks, k: int) -> tuple[int, int]:
    return divmod(k - case.mode, 1 << blocks.shift)


def envelope(case: Case, blocks: Blocks, block: int) -> mpmath.mpf:
    ends = case.mode + (block << blocks.shift), case.mode + ((block + 1) << blocks.shift) - 1
    return max(case.weight(k) for k in range(ends[0], ends[1] + 1))


@pytest.mark.spread(6)
@pytest.mark.parametrize("case", SMALL, ids=name)
@pytest.mark.parametrize("bits", [64, 150])
def test_thresholds_are_floors_of_sums_of_the_greatest_weights(case: Case, bits: int) -> None:
    with mpmath.workdps(120):
        blocks = case.blocks()
        held = {block_of(case, blocks, k)[0] for k in support(case)}
        heights = {block: envelope(case, blocks, block) for block in held}
        order = [blocks.block(n) for n in range(len(held))]
        assert set(order) == held
        total, beyond = mpmath.fsum(heights.values()), mpmath.mpf(0)
        for n in range(len(held) - 1, 0, -1):
            beyond += heights[order[n]]
            assert blocks.floor(n, bits) == int(beyond / total * mpmath.mpf(2) ** bits)


@pytest.mark.parametrize("case", [*SMALL, WIDE], ids=name)
def test_every_block_is_listed_once(case: Case) -> None:
    blocks = case.blocks()
    count = 500 if blocks.length is None else blocks.length
    listed = [blocks.block(n) for n in range(count)]
    assert len(set(listed)) == count
    places = [case.mode + (block << blocks.shift) for block in listed]
    size = 1 << blocks.shift
    assert case.least is None or min(places) > case.least - size
    assert case.greatest is None or max(places) <= case.greatest


@pytest.mark.parametrize("case", [MIDDLING, ONE_SIDED], ids=name)
def test_blocks_left_out_are_bounded(case: Case) -> None:
    with balls.precision(300):
        side = case.blocks()._up
        rough, fine = side.envelopes(arb(1) / 8), side.envelopes(arb(2) ** -250)
        missing = sum(fine[len(rough) - 1 :], arb(0))
        assert missing > 0
        assert rough[-1].contains(missing)


def threshold(case: Case, blocks: Blocks, block: int, place: int) -> mpmath.mpf:
    """1 − weight/envelope."""
    k = case.mode + (block << blocks.shift) + place
    inner = k - place if block >= 0 else k - place + (1 << blocks.shift) - 1
    return 1 - case.weight(k) / case.weight(inner)


@pytest.mark.parametrize("case", IN_BLOCKS, ids=name)
def test_lines_never_contradict_the_exact_rule(case: Case) -> None:
    """Words are drawn close to the threshold, where a wrong line would show."""
    chance = np.random.default_rng(1)
    sampler = case.sampler()
    blocks, origin = sampler._blocks, sampler._origin
    rows = chance.integers(0, sampler._steep.size, 3000)
    places = chance.integers(0, 1 << blocks.shift, 3000)
    with mpmath.workdps(60):
        edges = [
            threshold(case, blocks, int(row) - origin, int(place)) * BITS_32
            for row, place in zip(rows, places, strict=True)
            if case.weight(inner_end(case, blocks, int(row) - origin)) > 0
        ]
        kept = [case.weight(inner_end(case, blocks, int(row) - origin)) > 0 for row in rows]
        rows, places = rows[kept], places[kept]
        near = [
            int(edge) + int(step) for edge, step in zip(edges, steps(chance, edges), strict=True)
        ]
        words = np.array([min(max(word, 0), BITS_32 - 1) for word in near], dtype=np.uint64)
        refused, undecided = sampler._squeezed(rows, places, words)
        for edge, word, is_refused, is_open in zip(edges, words, refused, undecided, strict=True):
            assert not (is_refused and is_open)
            if is_refused:
                assert int(word) + 1 <= edge
            elif not is_open:
                assert int(word) >= edge
    assert refused.sum() > 0
    assert (~refused & ~undecided).sum() > 0


def steps(chance: np.random.Generator, edges: list[mpmath.mpf]) -> NDArray[np.int64]:
    size = 2 ** chance.integers(0, 31, len(edges))
    return chance.choice([-1, 0, 1], len(edges)) * size


def inner_end(case: Case, blocks: Blocks, block: int) -> int:
    size = 1 << blocks.shift
    return case.mode + block * size + (0 if block >= 0 else size - 1)


@pytest.mark.parametrize("case", IN_BLOCKS, ids=name)
def test_flat_bounds_lie_above_the_steep_lines(case: Case) -> None:
    sampler = case.sampler()
    least_kept = (sampler._flat.astype(np.int64) + 1) << 16
    assert (least_kept >= sampler._steep.astype(np.int64)).all()
    assert (sampler._flat[sampler._steep == NO_LINE] == 0xFFFF).all()


@pytest.mark.parametrize("case", [WIDE, VAST], ids=name)
def test_few_draws_need_balls(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    exact = Blocks.refuses

    def counted(blocks: Blocks, block: int, place: int, word: int, source: Source) -> bool:
        asked.append(block)
        return exact(blocks, block, place, word, source)

    monkeypatch.setattr(Blocks, "refuses", counted)
    case.sampler().sample(200_000, Source())
    assert len(asked) < 600


@pytest.mark.parametrize("case", [COARSE, COARSE_GAMMA], ids=name)
def test_balls_decide_exactly(case: Case) -> None:
    """A uniform number one unit of the 96th bit off the threshold falls on the right side."""
    blocks = case.blocks()
    with mpmath.workdps(80):
        for block, place in [(0, 3), (1, 3), (-1, 2), (-2, 0), (2, 1)]:
            edge = int(threshold(case, blocks, block, place) * mpmath.mpf(2) ** 96)
            for offset, refused in [(-1, True), (1, False)]:
                word, more = divmod(edge + offset, 1 << 64)
                source = ScriptedSource(script([more], 8))
                assert blocks.refuses(block, place, word, source) is refused
                assert source.left == 0


def test_equality_to_96_bits_draws_more() -> None:
    blocks, block, place = COARSE.blocks(), 1, 3
    with mpmath.workdps(80):
        edge = int(threshold(COARSE, blocks, block, place) * mpmath.mpf(2) ** 160)
    word, middle, last = edge >> 128, (edge >> 64) % 2**64, edge % 2**64
    for offset, refused in [(-1, True), (1, False)]:
        source = ScriptedSource(script([middle, last + offset], 8))
        assert blocks.refuses(block, place, word, source) is refused
        assert source.left == 0
    with pytest.raises(ScriptExhausted):
        blocks.refuses(block, place, word, ScriptedSource(script([middle], 8)))


def test_places_beyond_the_support_are_refused_without_a_draw() -> None:
    blocks = CUT.blocks()
    block, place = block_of(CUT, blocks, 51)
    assert blocks.refuses(block, place, BITS_32 - 1, ScriptedSource(b""))


def test_a_refused_pair_is_drawn_again() -> None:
    """Two rounds by script: block 1 and place 3 refused by U = 0, then block 0 and place 2 kept."""
    sampler = MIDDLING.sampler()
    assert sampler._blocks.shift == 2
    first, second = settled_head(sampler, 1), settled_head(sampler, 0)
    rounds = [
        script([first], 2) + b"\x03" + script([0, 0], 2),
        script([second], 2) + b"\x02" + script([0xFFFF], 2),
    ]
    source = ScriptedSource(b"".join(rounds))
    assert sampler.sample(1, source).tolist() == [2]
    assert source.left == 0


def settled_head(sampler: BlockSampler, block: int) -> int:
    """A 16-bit word that settles the block by itself."""
    guide = sampler._table._guide
    return int(np.flatnonzero(guide == block + sampler._origin)[0])


def p_value(case: Case, drawn: Integers) -> float:
    values = support(case)
    weights = np.array([float(case.number(k)) for k in values])
    inner = np.flatnonzero(weights / weights.sum() * DRAWS > 50)
    low, high = values[int(inner[0])], values[int(inner[-1])]
    places = np.clip(drawn, low, high) - low
    start = low - values[0]
    grouped = weights[start : start + high - low + 1].copy()
    grouped[0] += weights[:start].sum()
    grouped[-1] += weights[start + high - low + 1 :].sum()
    expected = grouped / grouped.sum() * drawn.size
    observed = np.bincount(places, minlength=high - low + 1)
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), df=high - low))


@pytest.mark.parametrize("case", SMALL, ids=name)
def test_samples_fit(case: Case) -> None:
    drawn = case.sampler().sample(DRAWS, Source())
    values = support(case)
    assert values[0] <= drawn.min() <= drawn.max() <= values[-1]
    assert p_value(case, drawn) > FALSE_ALARM


@pytest.mark.parametrize(
    ("case", "other"),
    [
        (MIDDLING, gaussian(9, 32 << 2)),
        (MIDDLING, gaussian(11, 32 << 2)),
        (COARSE_GAMMA, gamma(18, 2, 32 << 3)),
        (COARSE_GAMMA, gamma(22, 2, 32 << 3)),
    ],
    ids=name,
)
def test_scale_off_by_a_tenth_is_rejected(case: Case, other: Case) -> None:
    assert p_value(case, other.sampler().sample(DRAWS, Source())) < FALSE_ALARM


def test_no_draws() -> None:
    drawn = COARSE.sampler().sample(0, ScriptedSource(b""))
    assert drawn.shape == (0,)
    assert drawn.dtype == np.int64


def test_several_chunks_are_all_filled() -> None:
    drawn = WIDE.sampler().sample(200_001, Source())
    # An unfilled or repeated chunk would show as repeated values; 10**6 wide, few repeat.
    assert np.unique(drawn).size > 150_000
    assert abs(drawn.astype(float)).max() < 10 * 10**6


def test_values_beyond_64_bits_are_python_integers() -> None:
    scale = 2**62
    case = gamma(scale, 0, scale)
    drawn = case.sampler().sample(1000, Source())
    assert drawn.dtype == object
    assert {type(value) for value in drawn} == {int}
    assert max(drawn) > 2**63
    assert min(drawn) >= 0
    # The mean of 1000 exponentials stays within 6 deviations with probability 1 − 2e-9.
    assert abs(sum(drawn) / 1000 / scale - 1) < 6 / 1000**0.5


def test_a_mode_beyond_64_bits_is_added_exactly() -> None:
    drawn = SHIFTED.sampler().sample(1000, Source())
    assert drawn.dtype == object
    assert all(abs(value - 10**20) < 40 for value in drawn)
    assert any(value == 10**20 + 1 for value in drawn)


def test_a_certain_value_needs_no_luck() -> None:
    point = BlockSampler(lambda _: arb(1), mode=7, spread=0, least=7, greatest=7)
    assert point.sample(5, Source()).tolist() == [7] * 5


@pytest.mark.parametrize("mode", [-1, 1, 5])
def test_a_mode_that_is_none_is_refused(mode: int) -> None:
    with pytest.raises(ValueError, match="mode must be"):
        BlockSampler(COARSE.ball, mode=mode, spread=100)


@pytest.mark.parametrize("spread", [-1, 2**62 + 1])
def test_bad_spreads_are_refused(spread: int) -> None:
    with pytest.raises(ValueError, match="spread must lie"):
        BlockSampler(COARSE.ball, mode=0, spread=spread)


def test_sums_that_cannot_be_told_from_a_dyadic_are_reported() -> None:
    with pytest.raises(Undecided):
        BlockSampler(lambda _: arb(1) / 3, mode=0, spread=0, least=0, greatest=3)
