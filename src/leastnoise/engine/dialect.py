r"""`Dialect`: the few places in which engines' SQL differs."""

from dataclasses import dataclass

from leastnoise.engine.fragment import Fragment, fill, joined


@dataclass(frozen=True)
class Dialect:
    """One engine's spelling.

    Attributes:
        marker: what stands for a bound value.
        truth: the type of truth values.
        integer: the type of 64-bit integers.
        wide: a type that holds every integer up to 2^120 exactly.
        number: the type of double-precision numbers.
        text: the type of text.
        by_bytes: what makes text compare by its bytes, if it does not anyway.
        date: the type of dates.
        moment: the type of time stamps without a zone.
        not_a_number: of one number: whether it is NaN.
        divided: of two wide integers: the quotient, rounded toward 0.
        shuffled: of a salt and a list of values: a hash to order by.
        checks_range: whether a product of doubles that over- or underflows is an error.
        percent: how a percent sign is written in an identifier.
    """

    marker: str
    truth: str
    integer: str
    wide: str
    number: str
    text: str
    date: str
    moment: str
    not_a_number: str
    divided: str
    shuffled: str
    by_bytes: str = ""
    checks_range: bool = False
    percent: str = "%"

    def identifier(self, *path: str) -> Fragment:
        """A name, quoted so that no character in it means anything."""
        quoted = ".".join('"' + name.replace('"', '""') + '"' for name in path)
        return Fragment(quoted.replace("%", self.percent))

    def value(self, value: object, kind: str) -> Fragment:
        """A bound value of a type of this dialect."""
        return Fragment(f"CAST({self.marker} AS {kind})", (value,))

    def cast(self, part: Fragment, kind: str) -> Fragment:
        """A part as a type of this dialect."""
        order = self.by_bytes if kind == self.text else ""
        return fill("CAST({} AS " + kind + ")" + order, part)

    def is_nan(self, part: Fragment) -> Fragment:
        """Whether a number is NaN."""
        return fill(self.not_a_number, part)

    def scale(self, number: Fragment, bits: int) -> Fragment:
        """A number times 2^bits; where products may fail, far values first move to near ones.

        Values beyond 2^40 steps are beyond every grid, and those below 2^-40 steps are next to 0,
        so that neither changes its place.
        """
        if self.checks_range:
            far, near = (self.value(2.0 ** (e - bits), self.number) for e in (40, -40))
            minus = self.value(-(2.0 ** (40 - bits)), self.number)
            number = fill("GREATEST({}, LEAST({}, {}))", minus, far, number)
            number = fill("CASE WHEN abs({}) < {} THEN 0 ELSE {} END", number, near, number)
        return fill("{} * {}", number, self.value(2.0**bits, self.number))

    def quotient(self, part: Fragment, by: Fragment) -> Fragment:
        """Of wide integers, rounded toward 0."""
        return fill(self.divided, part, by)

    def hash(self, salt: int, parts: list[Fragment]) -> Fragment:
        """An order of a unit's groups that nobody can foresee without the salt."""
        return fill(self.shuffled, self.value(salt, self.integer), joined(", ", parts))


DUCKDB = Dialect(
    marker="?",
    truth="BOOLEAN",
    integer="BIGINT",
    wide="HUGEINT",
    number="DOUBLE",
    text="VARCHAR",
    date="DATE",
    moment="TIMESTAMP",
    not_a_number="isnan({})",
    divided="({} // {})",
    # The salt goes first: as the last argument it would reorder the hashes too little.
    shuffled="hash({}, {})",
)

POSTGRES = Dialect(
    marker="%s",
    truth="boolean",
    integer="bigint",
    wide="numeric",
    number="double precision",
    text="text",
    date="date",
    moment="timestamp",
    not_a_number="({} = 'NaN')",
    divided="div({}, {})",
    shuffled="md5(concat_ws('|', {}, {}))",
    by_bytes=' COLLATE "C"',
    checks_range=True,
    percent="%%",
)
