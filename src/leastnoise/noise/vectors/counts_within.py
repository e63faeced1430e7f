"""The chance that all errors of counts stay within a bound."""

from flint import arb

from leastnoise.noise.vectors.counts_layers import CountsLayers


def within(layers: CountsLayers, magnitude: int) -> arb:
    r"""P(|2·Xᵢ − c| ≤ magnitude for all i), at the working precision; a lower bound if cut.

    Theorem: let p* and q* be the least counters whose boxes reach beyond all allowed x, above and
    below. A greater p adds no allowed points to a box, so that the sum over p ≥ p* is geometric,
    and so is that over q ≥ q*. Cutting the law only divides by what it keeps: the chance
    of a greater error grows at most by the factor (Σ of the whole law)/(Σ of the cut one).
    """
    whole = CountsLayers(layers.counts, layers.period, layers.start, layers.rate)
    inside = _sum_inside(whole, magnitude) / (whole.total() / (1 - whole.power(1)) ** 2)
    if layers.radius is None:
        return inside
    return 1 - (1 - inside) * whole.total() / layers.total()


def _sum_inside(layers: CountsLayers, magnitude: int) -> arb:
    """Σ b**(p+q)·(allowed points of box(p, q)) over all p, q ≥ 0."""
    start, period = layers.start, layers.period
    up, down = (magnitude + start % 2) // 2, (magnitude - start % 2) // 2
    if down < 0:
        return arb(0)
    above, below = (start + 1) // 2, start // 2
    last_up, last_down = max(0, -((above - up) // period)), max(0, -((below - down) // period))
    rest = 1 - layers.power(1)

    def powered(side: int) -> arb:
        return arb(side) ** layers.counts

    total = layers.power(last_up + last_down) * powered(up + down + 1) / rest**2
    for q in range(last_down):
        side = up + below + q * period + 1
        total += layers.power(last_up + q) * powered(side) / rest
    for p in range(last_up):
        side = down + above + p * period + 1
        total += layers.power(last_down + p) * powered(side) / rest
    for r in range(last_up + last_down - 1):
        pairs = min(r, last_up - 1) - max(0, r - last_down + 1) + 1
        total += layers.power(r) * max(0, pairs) * powered(layers.side(r))
    return total
