"""The variance bound: what no unbiased mechanism can do about the squares of its errors."""

from fractions import Fraction

from flint import arb

from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.barrier import Barrier


def variance_barrier(dimension: int, price: Fraction, records: int) -> Barrier:
    r"""The least root mean square error over the columns of answers without bias.

    Theorem: let M answer the column sums of n records in {±1}^d without bias, and let
    (uᵀv)² ≤ C·uᵀΣu for every change v that replacing one record makes to the sums, every vector u,
    and the mean Σ of the two covariances. For every power of two m ≤ n, let the d columns be dealt
    out to m places as evenly as possible, cᵢ to the i-th. Then on some table

        the mean over the columns of the variance of the sum is at least 4·(Σᵢ √cᵢ)²/(d·C),

    which is 4·d/C for m ≥ d.
    Proof: docs/proofs/sample_size.md, section 10; C for each promise: docs/proofs/plan_bound.md.

    Args:
        dimension: d.
        price: C > 0, rounded up.
        records: n.
    """
    enough = 1 << (dimension - 1).bit_length()
    places = min(1 << (records.bit_length() - 1), enough)
    total = Fraction(balls.enclosure(lambda: _total(dimension, price, places)).lower)
    return Barrier(places, total, "variances")


def _total(dimension: int, price: Fraction, places: int) -> arb:
    share, more = divmod(dimension, places)
    roots = more * arb(share + 1).sqrt() + (places - more) * arb(share).sqrt()
    return 2 * roots / (dimension * balls.ball(price)).sqrt()
