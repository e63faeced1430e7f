r"""`Dialect`: the few places in which engines' SQL differs."""

from leastnoise._dataclass import dataclass
from leastnoise.release.measure.sql.fragment import Fragment, fill, joined


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
        as_text: of text: the same, comparing by its bytes; NULL if it is no Unicode or beyond what
            the engine can make rows of.
        to_moment: what converts time stamps of other precisions; where they may not fit, to NULL.
        date: the type of dates.
        moment: the type of time stamps without a zone.
        not_a_number: of one number: whether it is NaN.
        divided: of two wide integers: the quotient, rounded toward 0.
        divided_short: of two 64-bit integers: the quotient, rounded toward 0.
        summed: of 64-bit integers up to 2^42: their sum in a type that is wide enough.
        shuffled: of a salt and a list of values: a hash to order by.
        checks_range: whether a product of doubles that over- or underflows is an error.
        stacked: of the number of rows, the list of their values and the names of the columns:
            several rows made of one, where that is faster than GROUPING SETS; empty elsewhere.
        different: of 64-bit integers, the least and the greatest of them: how many different ones
            there are, by a map of bits; empty where there is none.
        gathered: of rows with u: the same, with the rows of one unit in one place, where engines
            are told of it; empty elsewhere.
        listed: of columns and of one row per unit and group: one row per unit, with the list of its
            groups, in order of the columns; empty where rows are ranked as fast.
        unlisted: of columns and of such lists: the rows again, with the turn of each in its list.
        days: of a date in years 1..9999: its number of days since 1970-01-01, a 64-bit integer.
        truncated: of such a date: the first day of its PERIOD.
        microseconds: of a moment in these years: how many since 1970-01-01, a 64-bit integer.
        position: of two texts: the place of the second in the first, 0 if it is nowhere.
        bytewise: of text that was computed: the same, comparing by its bytes.
        half: what comes before SEMI JOIN and ANTI JOIN; None where there are none.
        days_after: of a date, and of a date or time stamp: how many days later the second is.
        instant: the type of time stamps with a zone.
        local: of such a moment and the name of a zone: the local time there, without a zone.
        percent: how a percent sign is written in an identifier.
        quote: what stands around an identifier.
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
    divided_short: str
    shuffled: str
    days: str
    truncated: str
    microseconds: str
    instant: str
    local: str
    as_text: str = "{}"
    to_moment: str = "CAST"
    summed: str = "SUM({})"
    checks_range: bool = False
    stacked: str = ""
    different: str = ""
    gathered: str = ""
    listed: str = ""
    unlisted: str = ""
    position: str = "strpos({}, {})"
    bytewise: str = "({} COLLATE C)"
    half: str | None = None
    days_after: str = "date_diff('day', {}, CAST({} AS DATE))"
    percent: str = "%"
    quote: str = '"'

    def identifier(self, *path: str) -> Fragment:
        """A name, quoted so that no character in it means anything."""
        mark = self.quote
        quoted = ".".join(mark + name.replace(mark, 2 * mark) + mark for name in path)
        return Fragment(quoted.replace("%", self.percent))

    def value(self, value: object, kind: str) -> Fragment:
        """A bound value of a type of this dialect."""
        return Fragment(f"CAST({self.marker} AS {kind})", (value,))

    def cast(self, part: Fragment, kind: str) -> Fragment:
        """A part as a type of this dialect."""
        word = self.to_moment if kind == self.moment else "CAST"
        converted = fill(word + "({} AS " + kind + ")", part)
        if kind != self.text:
            return converted
        return fill(self.as_text, *[converted] * self.as_text.count("{}"))

    def by_bytes(self, text: Fragment) -> Fragment:
        """A text that was computed, comparing by its bytes."""
        return fill(self.bytewise, text)

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

    def short_quotient(self, part: Fragment, by: Fragment) -> Fragment:
        """Of 64-bit integers, rounded toward 0."""
        return fill(self.divided_short, part, by)

    def total(self, part: Fragment) -> Fragment:
        """The sum of a column of rows, 0 if there are none."""
        return fill(f"COALESCE({self.summed}, 0)", *[part] * self.summed.count("{}"))

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
    divided_short="({} // {})",
    # The salt goes first: as the last argument it would reorder the hashes too little.
    shuffled="hash({}, {})",
    days="CAST(date_diff('day', DATE '1970-01-01', {}) AS BIGINT)",
    truncated="CAST(date_trunc('PERIOD', {}) AS DATE)",
    microseconds="epoch_us({})",
    instant="TIMESTAMP WITH TIME ZONE",
    local="({} AT TIME ZONE {})",
    different="bit_count(bitstring_agg({}, {}, {}))",
    half="",
    # A column may compare by a collation, which a cast to text would keep.
    as_text="{} COLLATE C",
    # Seconds and milliseconds reach further than microseconds.
    to_moment="TRY_CAST",
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
    divided_short="({} / {})",
    shuffled="md5(concat_ws('|', {}, {}))",
    days="CAST({} - DATE '1970-01-01' AS bigint)",
    # Of a date it would be a time stamp with a zone.
    truncated="CAST(date_trunc('PERIOD', CAST({} AS timestamp)) AS date)",
    microseconds="CAST(EXTRACT(EPOCH FROM {}) * 1000000 AS bigint)",
    instant="timestamp with time zone",
    local="({} AT TIME ZONE {})",
    # Of texts of many megabytes no row could be made, and that would be an error.
    as_text='CASE WHEN octet_length({}) <= 1048576 THEN {} END COLLATE "C"',
    checks_range=True,
    bytewise='({} COLLATE "C")',
    days_after="(- ({} - CAST({} AS date)))",
    percent="%%",
)

SPARK = Dialect(
    marker="?",
    truth="BOOLEAN",
    integer="BIGINT",
    wide="DECIMAL(38, 0)",
    number="DOUBLE",
    text="STRING",
    date="DATE",
    moment="TIMESTAMP_NTZ",
    not_a_number="isnan({})",
    # A quotient of decimals is a 64-bit integer, which holds every unit's contribution: at most
    # 2^42 for a row and 2^20 rows. As a decimal again, no sum of such overflows.
    divided="CAST({} DIV {} AS DECIMAL(38, 0))",
    divided_short="({} DIV {})",
    # Sums of 64-bit integers are such themselves: two halves do not overflow below 2^37 rows.
    summed="(CAST(SUM({} DIV 67108864) AS DECIMAL(38, 0)) * 67108864 + SUM({} % 67108864))",
    shuffled="xxhash64({}, {})",
    days="CAST(datediff({}, DATE '1970-01-01') AS BIGINT)",
    truncated="trunc({}, 'PERIOD')",
    # Our sessions are in UTC.
    microseconds="unix_micros(CAST({} AS TIMESTAMP))",
    instant="TIMESTAMP",
    local="CAST(from_utc_timestamp({}, {}) AS TIMESTAMP_NTZ)",
    # A column may compare by a collation, and hold bytes that are no text.
    as_text="try_validate_utf8({}) COLLATE UTF8_BINARY",
    stacked="stack({}, {}) AS ({})",
    gathered="SELECT * FROM ({}) AS apart DISTRIBUTE BY u",
    # A window compares whole rows to sort them; units alone are sorted by their bits.
    listed="SELECT u, sort_array(collect_list(struct({}))) AS own FROM ({}) AS pairs GROUP BY u",
    unlisted="SELECT u, {}, 1 + place AS turn FROM ({}) AS lists "
    "LATERAL VIEW posexplode(own) AS place, pair",
    position="instr({}, {})",
    bytewise="({} COLLATE UTF8_BINARY)",
    half="LEFT ",
    days_after="(- datediff({}, CAST({} AS DATE)))",
    quote="`",
)
