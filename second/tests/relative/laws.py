"""The whole law of a coarse design, straight from its definition, and the error of a fine one by floats."""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import chi2

from leastnoise.relative.design import WORD, Chain, Channel, Design

FALSE_ALARM = 1e-6
Law = dict[int, float]
Floats = NDArray[np.float64]


# The chain, in fractions


def walk_law(chain: Chain, x: int) -> dict[int, Fraction]:
    """The law of the end of a walk, by following every way."""
    chance = {y: chain.chance(y) for y in range(chain.first + 1, chain.top + 1)}
    up, down = chance.get(x + 1, Fraction(0)), chance.get(x, Fraction(0))
    ends = {x: 1 - up - down}
    for first, step in ((up, 1), (down, -1)):
        mass, y = first, x + step
        while mass:
            ahead, behind = (y + 1, y) if step > 0 else (y, y + 1)
            on = chance.get(ahead, Fraction(0)) / (1 - chance[behind])
            ends[y] = mass * (1 - on)
            mass, y = mass * on, y + step
    return ends


# A design on a coarse lattice


def coarse(
    *,
    smallest: int = 1,
    chances: tuple[float, ...] = (0.05, 0.08, 0.15, 0.24),
    gaps: tuple[int, ...] = (),
    offset: Fraction = Fraction(0),
    sigma: float = 0.2,
    bits: int = 9,
    depth: float = 0.7,
    joined: bool = True,
) -> Design:
    """A design whose noise is a hundred steps wide; if `joined`, the last chance is that of sinking."""
    channel = Channel(bits, offset, round(sigma * 2**bits), smallest + len(chances), gaps)
    if not chances:
        return Design(Chain(smallest, ()), channel, 0)
    steps = round(-depth * sigma * 2**bits)
    met = math.floor(Fraction(channel.noise.tail(1 - steps).lower) * WORD)
    words = (*(int(u * WORD) for u in chances[:-1]), met if joined else int(chances[-1] * WORD))
    return Design(Chain(smallest, words), channel, channel.table[0] + steps)


DESIGNS = {
    "chain and logarithms": coarse(),
    "chain, table, logarithms": coarse(gaps=(92, 80, 70, 60, 54)),
    "no chain": coarse(smallest=4, chances=()),
    "no chain, a table": coarse(smallest=4, chances=(), gaps=(112, 88, 74)),
    "slack": coarse(smallest=0, chances=(0.1, 0.2), offset=Fraction(5, 2)),
    "from ten on": coarse(smallest=10, chances=(0.2, 0.24), sigma=0.1),
    "seldom sinking": coarse(depth=1.2, joined=False),
    "often sinking": coarse(depth=0.2, joined=False),
    "much noise": coarse(smallest=1, chances=(0.24,), sigma=0.9, bits=7),
}


def place(channel: Channel, x: int) -> int:
    """The logarithm, rounded; before the bend by the gaps."""
    if x < channel.bend:
        return place(channel, x + 1) - channel.gaps[x - channel.first]
    return math.floor(math.log(x + channel.offset) * (1 << channel.bits) + 0.5)


def decoded(channel: Channel, k: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integer whose borders enclose each place."""
    squared = float(channel.sigma) ** 2
    listed = [place(channel, x) for x in range(channel.first, channel.bend + 1)]
    borders = [(a + b) / 2 + squared * 2**channel.bits for a, b in pairwise(listed)]
    real = np.exp(k / 2**channel.bits - squared) - float(channel.offset)
    far = np.maximum(channel.bend, np.floor(real + 0.5)).astype(np.int64)
    near = channel.first + (k[:, None] >= np.array(borders)[None, :]).sum(axis=1)
    return np.array(np.where(near < channel.bend, near, far), dtype=np.int64)


@cache
def noise(deviation: int) -> tuple[NDArray[np.int64], Floats]:
    """P(round(N) = k), as far as floats reach."""
    k = np.arange(-38 * deviation, 38 * deviation + 1)
    near = -np.abs(k)
    return k, ndtr((near + 0.5) / deviation) - ndtr((near - 0.5) / deviation)


@cache
def _channel_law(channel: Channel, x: int, threshold: int) -> tuple[Law, float]:
    """The masses of what is read from the threshold on, and the chance of less."""
    k, masses = noise(channel.deviation)
    k = k + place(channel, x)
    kept = k >= threshold
    values, where = np.unique(decoded(channel, k[kept]), return_inverse=True)
    found = np.bincount(where, masses[kept])
    return dict(zip(values.tolist(), found.tolist(), strict=True)), float(masses[~kept].sum())


def released_law(design: Design, x: int) -> Law:
    """P(estimate = y) for every y."""
    raised = max(x, design.chain.first)
    threshold = design.threshold if design.chain.chances else -(10**9)
    if raised >= design.top:
        law, sunk = _channel_law(design.channel, raised, threshold)
        if not design.chain.chances:
            return law
        below = {y: p for y, p in walk_law(design.chain, design.top).items() if y < design.top}
        falling = {y: sunk * float(p / sum(below.values())) for y, p in below.items()}
        return law | falling
    ends = {y: float(p) for y, p in walk_law(design.chain, raised).items()}
    arriving = ends.pop(design.top, 0.0)
    above, sunk = _channel_law(design.channel, design.top, threshold)
    return ends | {y: arriving * p / (1 - sunk) for y, p in above.items()}


def arrays(one: Law, other: Law) -> tuple[Floats, Floats]:
    """Two laws side by side."""
    places = sorted(one.keys() | other.keys())
    p, q = (np.array([law.get(y, 0.0) for y in places]) for law in (one, other))
    return p, q


def renyi(one: Law, other: Law, order: float) -> float:
    """D_order(one || other), of the places that floats can hold."""
    p, q = arrays(one, other)
    kept = (p > 0) & (q > 0)
    logs = order * np.log(p[kept]) + (1 - order) * np.log(q[kept])
    return float(np.logaddexp.reduce(logs)) / (order - 1)


def p_value(draws: Any, law: Law) -> float:
    """Pearson's, with cells of fewer than 100 expected draws joined."""
    large = {y: p * len(draws) for y, p in law.items() if p * len(draws) >= 100}
    cells = [(float((draws == y).sum()), mean) for y, mean in large.items()]
    seen, rest = len(draws) - sum(one for one, _ in cells), len(draws) - sum(large.values())
    cells += [(seen, rest)] if rest > 20 else []
    return float(chi2.sf(sum((s - e) ** 2 / e for s, e in cells), df=len(cells) - 1))


def mean_error(law: Law, x: int) -> float:
    return math.fsum(p * abs(y - x) for y, p in law.items())


# The error of a fine design, by adding up chances beyond every border in floats


def float_error(counts: Any, x: int) -> float:
    design, channel = counts.design, counts.design.channel
    if x >= design.top:
        return _channel_error(design, x)
    beyond = _beyond(channel, design.top) / (1 - float(design.sunk))
    law = walk_law(design.chain, x)
    return (
        float(sum(p * abs(y - x) for y, p in law.items())) + float(law.get(design.top, 0)) * beyond
    )


def _standing(channel: Channel, x: int) -> float:
    """Where a count lies, in standard deviations."""
    if x < channel.bend:
        return channel.table[x - channel.first] / channel.deviation
    return math.log(x + channel.offset) / float(channel.sigma)


def _borders(channel: Channel, low: int, high: int) -> Floats:
    """From where on the estimate exceeds low, ..., high - 1, in standard deviations."""
    sigma, bend = float(channel.sigma), max(low, channel.bend)
    listed = np.array(channel.borders[low - channel.first : max(high - channel.first, 0)])
    natural = np.log(np.arange(bend, max(high, bend)) + 0.5 + float(channel.offset)) / sigma + sigma
    return np.concatenate([listed / channel.deviation, natural])


def _beyond(channel: Channel, x: int) -> float:
    """E(estimate - x)+ of a count x."""
    last = int((x + channel.offset) * math.exp(12 * float(channel.sigma))) + 100
    borders = _borders(channel, x, min(last, x + 10**6))
    return float(ndtr(_standing(channel, x) - borders).sum())


def _channel_error(design: Design, x: int) -> float:
    channel, here = design.channel, _standing(design.channel, x)
    below = float(ndtr(_borders(channel, channel.first, x) - here).sum())
    if not design.chain.chances:
        return _beyond(channel, x) + below
    sunk = float(ndtr(design.threshold / channel.deviation - here))
    ends = {y: p for y, p in walk_law(design.chain, design.top).items() if y < design.top}
    depth = float(sum(p * (design.top - y) for y, p in ends.items()) / sum(ends.values()))
    return _beyond(channel, x) + below + sunk * depth
