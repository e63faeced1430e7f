r"""Units of any kind as numbers of few bits, in SQL: the first bits of their hashes.

A hash is nobody's name: all different units are listed first, compared as a whole, and those that
share the first bits of their hashes with another are numbered one after the other. So no two have
one number. Numbers tell units apart and choose nothing.

Names: u a unit, h its hash, d its number; `listed` has one row per unit, `apart` has those that
share bits.

Proof: docs/proofs/sensitivity.md, section 9.
"""

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.sql.dialect import Dialect
from leastnoise.release.measure.sql.fragment import Fragment, fill

_HASH = 64


def different(units: Fragment, salt: int, dialect: Dialect) -> Fragment:
    """Of the unit of each row: each unit once, with its hash.

    Args:
        units: rows with u, never NULL.
        salt: so that nobody can foresee who shares bits.
        dialect: the engine's spelling.
    """
    hashed = dialect.hash(salt, [Fragment("u")])
    text = "SELECT u, {} AS h FROM (SELECT DISTINCT u FROM ({}) AS units) AS different"
    return fill(text, hashed, units)


@dataclass(frozen=True)
class HashedUnits:
    """Numbers for the units of a table.

    Attributes:
        bits: how many a number has; at least 2.
        salt: that of the hashes in `listed`.
        dialect: the engine's spelling.
        listed: what stands after FROM for the result of `different`.
        apart: the same for that of `sharing`; None before it is there, or if it has no rows.
    """

    bits: int
    salt: int
    dialect: Dialect
    listed: Fragment
    apart: Fragment | None = None

    def sharing(self) -> Fragment:
        """The units that share the first bits of their hashes, and their numbers."""
        first = self._first(Fragment("h"))
        several = "SELECT {} AS d FROM {} AS every GROUP BY d HAVING COUNT(*) > 1"
        return fill(
            f"SELECT u, {self._beyond} + CAST(ROW_NUMBER() OVER () - 1 AS UBIGINT) AS d "
            "FROM {} AS listed WHERE {} IN ({})",
            self.listed,
            first,
            fill(several, first, self.listed),
        )

    @property
    def number(self) -> Fragment:
        """Of a row of `beside`: its unit's number."""
        first = self._first(self.dialect.hash(self.salt, [Fragment("kept.u")]))
        return first if self.apart is None else fill("COALESCE(apart.d, {})", first)

    @property
    def beside(self) -> Fragment:
        """What comes after FROM … AS kept, rows with a unit each."""
        if self.apart is None:
            return Fragment("")
        return fill(" LEFT JOIN {} AS apart ON kept.u = apart.u", self.apart)

    def among(self, least: int, most: int) -> Fragment:
        """Units u and numbers d, all of those between two numbers among them.

        Those that share bits are there under these bits, too, which are nobody's number.
        """
        first, last = self._first(Fragment("h")), (1 << _HASH) - 1
        # Of hashes, not of numbers: so the engine need not look where none of them are.
        hashes = (each << self._below for each in (least, most + 1))
        ends = [self.dialect.value(min(each, last), "UBIGINT") for each in hashes]
        # As numbers are shown: else both would be compared as integers of 128 bits.
        text = "SELECT u, CAST({} AS BIGINT) AS d FROM {} AS listed WHERE h BETWEEN {} AND {}"
        found = fill(text, first, self.listed, *ends)
        if self.apart is None:
            return found
        others = fill("SELECT u, CAST(d AS BIGINT) AS d FROM {} AS apart", self.apart)
        return fill("{} UNION ALL {}", found, others)

    @property
    def _beyond(self) -> str:
        """The least number that is no first bits of a hash."""
        return f"CAST({1 << (self.bits - 1)} AS UBIGINT)"

    def _first(self, hashed: Fragment) -> Fragment:
        """All but one of the bits of a number, so that it is below those of `sharing`."""
        return fill(f"({{}} >> {self._below})", hashed)

    @property
    def _below(self) -> int:
        """How many bits of a hash are not in a number."""
        return _HASH - self.bits + 1
