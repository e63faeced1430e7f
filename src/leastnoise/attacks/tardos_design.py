"""`TardosDesign`: the numbers of Tardos' code as he states them."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.attacks.attribute_rows import risk
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.rational_root import rational_root


@frozen(kw_only=True)
class TardosDesign:
    r"""Length, threshold, cut-off and angle of Tardos' code, and its score.

    Theorem (soundness): let the bias p of each of `length` columns lie in [t, 1 − t], where t is
    `cut_off`, and let a copy of bits be made without the word of some user, whose bits are 1 with
    chance p, independently. The sum S of the user's scores over the columns where the copy is 1
    has P(S ≥ `threshold`) ≤ e^(−k) ≤ β, k = ⌈ln(1/β)⌉. This holds for all biases and all copies.
    Proof: docs/proofs/fingerprinting.md, section 4.

    Tardos draws p = sin²(φ), φ uniform on [`angle`, π/2 − `angle`], and shows that any c users who
    follow the marking rule betray one of them, but for a small chance; that is not proved here.
    `TardosCode` draws such a code, on a grid, with a score that counts zeros of the copy as well
    and needs about a twentieth of the length.

    Args:
        coalition: c, how many users may work together.
        false_accusation: β in (0, 1), for each innocent user by himself.

    References: Tardos2008.

    Example:
        >>> design = TardosDesign(coalition=3, false_accusation="1e-6")
        >>> design.length, design.threshold, design.cut_off
        (12600, 840, Fraction(1, 900))
        >>> design.angle
        Interval(0.033339509261302, 0.0333395092613021)
        >>> design.score(1, bias="0.2"), design.score(0, bias="0.2")
        (Interval(2), Interval(-0.5))
    """

    coalition: Whole = checked(_check.whole(1))
    false_accusation: Number = checked(risk)

    @property
    def rounds(self) -> int:
        """K = ⌈ln(1/β)⌉."""
        return -balls.floor(lambda: balls.ball(self.false_accusation).log())

    @property
    def length(self) -> int:
        """100·c²·k columns."""
        return 100 * self.coalition**2 * self.rounds

    @property
    def threshold(self) -> int:
        """Z = 20·c·k: whoever scores as much is accused."""
        return 20 * self.coalition * self.rounds

    @property
    def cut_off(self) -> Fraction:
        """T = 1/(300c): the least bias, and what the greatest is short of 1."""
        return Fraction(1, 300 * self.coalition)

    @property
    def angle(self) -> Interval:
        """t′ = arcsin √t."""
        return balls.enclosure(lambda: balls.ball(self.cut_off).sqrt().asin())

    def score(self, bit: int, *, bias: Exact) -> Interval:
        """What a user's bit scores in a column of some bias, where the copy has a 1.

        It is √((1−p)/p) for a one and −√(p/(1−p)) for a zero: of mean 0 and mean square 1.
        """
        chance, least = _check.rational(bias, "bias"), self.cut_off
        if not least <= chance <= 1 - least:
            raise _check.refuse(
                "`bias` must lie between the cut-off and 1 less it",
                f"bias={_check.shown(bias)}, cut-off {least}",
                "The code draws no other.",
            )
        one = _check.integer_between(bit, "bit", 0, 1)
        square = (1 - chance) / chance if one else chance / (1 - chance)
        root, sign = rational_root(square, 2), 1 if one else -1
        if root is not None:
            return Interval.exactly(sign * root)
        return balls.enclosure(lambda: sign * balls.ball(square).sqrt())
