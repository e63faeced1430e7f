"""The whole law of a design on a coarse lattice, straight from its definition, for comparison.

Laws are kept: several tests look at the same ones, and none changes them.
"""

import math
from functools import cache

from leastnoise.groupwise.relative_design import RelativeDesign

Law = dict[int, float]

_TINY = 1e-280


@cache
def noise_law(variance: int) -> Law:
    """Discrete Gaussian weights as far as floats reach."""
    reach = math.ceil(math.sqrt(variance) * 38)
    weights = {k: math.exp(-k * k / (2 * variance)) for k in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


def _chance(design: RelativeDesign, x: int) -> float:
    inside = design.smallest < x <= design.top
    return float(design.chain.chance(x)) if inside else 0.0


def _walk_down(design: RelativeDesign, start: int, mass: float, ends: Law) -> None:
    j = start
    while mass > 0:
        on = _chance(design, j) / (1 - _chance(design, j + 1))
        ends[j] = ends.get(j, 0.0) + mass * (1 - on)
        mass, j = mass * on, j - 1


def _decoded(design: RelativeDesign, place: int) -> int:
    """The integer whose borders enclose a place, by counting borders one by one."""
    channel, rounded = design.channel, design.rounded
    counts = channel.map
    value = counts.first
    for border in rounded.listed_borders:
        if place < border:
            return value
        value += 1
    real = math.exp(place / 2**channel.bits - float(channel.squared_sigma)) - float(channel.offset)
    return max(counts.bend, math.floor(real + 0.5))


@cache
def released_law(design: RelativeDesign, x: int) -> Law:
    """P(x̂ = y) for every y."""
    raised = max(x, design.smallest)
    noise = noise_law(design.channel.variance)
    if raised >= design.top:
        return _channel_law(design, design.channel.map.place(raised), noise)
    ends: Law = {}
    stays = 1 - _chance(design, raised) - _chance(design, raised + 1)
    ends[raised] = stays
    if raised > design.smallest:
        _walk_down(design, raised - 1, _chance(design, raised), ends)
    mass, j = _chance(design, raised + 1), raised + 1
    while j < design.top:
        on = _chance(design, j + 1) / (1 - _chance(design, j))
        ends[j] = ends.get(j, 0.0) + mass * (1 - on)
        mass, j = mass * on, j + 1
    for y, chance in arrived_law(design).items():
        ends[y] = ends.get(y, 0.0) + mass * chance
    return ends


@cache
def arrived_law(design: RelativeDesign) -> Law:
    """From K of the top, given that it is not below the threshold."""
    place, noise = design.channel.map.place(design.top), noise_law(design.channel.variance)
    kept = {k: p for k, p in noise.items() if place + k >= design.threshold}
    total = math.fsum(kept.values())
    law: Law = {}
    for k, p in kept.items():
        y = _decoded(design, place + k)
        law[y] = law.get(y, 0.0) + p / total
    return law


def _channel_law(design: RelativeDesign, place: int, noise: Law) -> Law:
    law: Law = {}
    sunk = 0.0
    for k, p in noise.items():
        if design.chain.chances and place + k < design.threshold:
            sunk += p
        else:
            y = _decoded(design, place + k)
            law[y] = law.get(y, 0.0) + p
    if sunk:
        _walk_down(design, design.top - 1, sunk, law)
    return law


def renyi(one: Law, other: Law, order: float) -> float:
    """D_order(one‖other), infinite where the supports differ by more than floats can hold."""
    logs = []
    for y, p in one.items():
        q = other.get(y, 0.0)
        if p > _TINY and q == 0:
            return math.inf
        if p > 0 and q > 0:
            logs.append(order * math.log(p) + (1 - order) * math.log(q))
    top = max(logs)
    return (top + math.log(math.fsum(math.exp(v - top) for v in logs))) / (order - 1)


def mean_error(law: Law, x: int) -> float:
    return math.fsum(chance * abs(y - x) for y, chance in law.items())
