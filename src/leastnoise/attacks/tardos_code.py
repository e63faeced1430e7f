"""`TardosCode`: words for many users that betray any few who mix theirs."""

from functools import lru_cache
from typing import SupportsIndex

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import keep
from leastnoise.attacks.attribute_rows import products, risk, vector, within
from leastnoise.attacks.thresholds import chernoff_threshold
from leastnoise.attacks.trace import Trace
from leastnoise.numeric import ball as balls
from leastnoise.randomness.source import Source, checked_source
from leastnoise.randomness.uniform import uniform_below

Bits = NDArray[np.bool_]

BIAS_BITS = 32
"""Every bias is a whole number of 2**-32."""

_BIASES = 1 << 10  # a power of two: ten bits draw one
_CHUNK = 1 << 22  # bits at a time: 16 megabytes of drawn words


@dataclass(frozen=True, eq=False, init=False, repr=False)
class TardosCode:
    r"""A random code: biased columns, one word per user.

    Law: each column has a bias p, uniform on the 1024 rationals `bias_grid(coalition)`, and each
    user's bit there is 1 with probability p, all independent, exactly. The grid is
    sin²(φ) at the middles of 1024 equal parts of the angles with sin²(φ) in [t, 1−t],
    t = 1/(300·coalition), rounded to 2**-32: Tardos' density 1/√(p(1−p)), in steps.

    Theorem (soundness): let a copy be made from the words of any users in any way, and let Sᵢ be
    the score Σⱼ (2·copyⱼ − 1)·(wordᵢⱼ − pⱼ)/√(pⱼ(1−pⱼ)). A user whose word was not used has
    P(Sᵢ ≥ Z) ≤ β for Z = (ln(1/β) + K(λ))/λ at any λ > 0, where K is the cumulant function of Sᵢ
    for a fresh word, given copy and biases. It holds for the grid above and for any other biases.
    Proof: Chernoff's bound given copy and biases; docs/proofs/fingerprinting.md, section 4.

    Completeness, that somebody guilty is accused, is measured by `CodeExperiment`.

    Args:
        users: the number of words.
        length: bits per word; about 5·c²·ln(1/β) for coalitions of c.
        coalition: the size c of coalitions the code is made for; sets the least bias.
        source: where the bits come from.

    References: Tardos2008; SkoricKatzenbeisserCelik2008 for the symmetric score.

    Example:
        >>> code = TardosCode(users=20, length=600, coalition=3)
        >>> code.words.shape
        (20, 600)
        >>> code.trace(code.words[7], false_accusation="1e-6").accused.nonzero()[0]
        array([7])
    """

    words: Bits
    biases: NDArray[np.uint64]

    def __init__(
        self,
        *,
        users: SupportsIndex,
        length: SupportsIndex,
        coalition: SupportsIndex,
        source: Source | None = None,
    ) -> None:
        people = _check.integer_between(users, "users", 1)
        columns = _check.integer_between(length, "length", 1)
        grid = bias_grid(_check.integer_between(coalition, "coalition", 1))
        drawer = checked_source(source)
        biases = grid[uniform_below(_BIASES, columns, drawer)]
        words = _words(people, biases.astype(np.uint32), drawer)
        words.flags.writeable = biases.flags.writeable = False
        keep(self, words=words, biases=biases)

    def __repr__(self) -> str:
        return f"<TardosCode of {self.words.shape[0]} words of {self.words.shape[1]} bits>"

    def trace(self, copy: ArrayLike, *, false_accusation: Exact) -> Trace:
        """The users whose words a copy leans to; entries of the copy may be anything in [0, 1].

        Args:
            copy: one entry per column, a bit or a share between 0 and 1.
            false_accusation: β in (0, 1), for each innocent user by himself.
        """
        accepted = risk(false_accusation, "false_accusation")
        found = vector(copy, "copy")
        if found.shape != self.biases.shape:
            raise _check.refuse(
                f"`copy` must have {self.biases.size} entries, one per column of the code",
                f"shape {found.shape}",
                "Give the whole copy.",
            )
        signs = 2 * within(found, "copy", (0.0, 1.0)) - 1
        chances = self.biases / 2.0**BIAS_BITS
        weights = signs / np.sqrt(chances * (1 - chances))
        scores = products(self.words, weights) - float(chances @ weights)
        threshold = chernoff_threshold(weights, chances, accepted)
        return Trace(scores, scores > threshold, threshold, accepted)


def _words(users: int, biases: NDArray[np.uint32], source: Source) -> Bits:
    """Rows of bits, some at a time: a drawn word is four times as large as its bit."""
    words = np.empty((users, biases.size), dtype=np.bool_)
    step = max(1, _CHUNK // biases.size)
    for start in range(0, users, step):
        part = words[start : start + step]
        drawn = source.bytes(4 * part.size).view(np.uint32).reshape(part.shape)
        np.less(drawn, biases, out=part)
    return words


@lru_cache(maxsize=32)
def bias_grid(coalition: int) -> NDArray[np.uint64]:
    """The 1024 biases for coalitions of this size, in units of 2**-32, each rounded as decided.

    Example:
        >>> grid = bias_grid(3)
        >>> int(grid[0] + grid[-1]) == 2**32, round(float(grid[0]) / 2**32, 5)
        (True, 0.00116)
    """
    half = [_rounded_bias(coalition, place) for place in range(_BIASES // 2)]
    whole = [*half, *((1 << BIAS_BITS) - bias for bias in reversed(half))]
    grid = np.array(whole, dtype=np.uint64)
    grid.flags.writeable = False
    return grid


def _rounded_bias(coalition: int, place: int) -> int:
    return balls.floor(lambda: _bias(coalition, place) * 2**BIAS_BITS + arb("0.5"))


def _bias(coalition: int, place: int) -> arb:
    least = (1 / arb(300 * coalition)).sqrt().asin()
    part = (arb.pi() / 2 - 2 * least) / _BIASES
    return (least + part * (2 * place + 1) / 2).sin() ** 2
