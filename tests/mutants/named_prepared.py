"""Changes written by hand in what bounds units of prepared tables."""

from tests.mutants.mistake import Named

PREPARED: tuple[Named, ...] = (
    Named(
        "leastnoise.release.measure.sql.packed_rows",
        "PackedRows._turn",
        'query.dialect.hash(query.salt, [Fragment("u"), *keys])',
        'query.dialect.hash(query.salt, [Fragment("d"), *keys])',
        "groups are chosen by a unit's number, which shifts when somebody else leaves",
    ),
    Named(
        "leastnoise.release.measure.unit_ranges",
        "unit_ranges",
        "first, left = first + count, left - count",
        "first, left = first + max(1, count - 1), left - count",
        "a unit is in two ranges, and bounded twice",
    ),
    Named(
        "leastnoise.release.measure.chosen_pairs",
        "chosen_pairs",
        "again = crowded & (kept < most)",
        "again = crowded & (kept < 0)",
        "units whose first look was too short lose groups that count",
    ),
    Named(
        "leastnoise.release.measure.by_ranges",
        "_unbitten",
        "return min(bounds.max_rows, bounds.max_groups) if chosen else bounds.max_rows",
        "return max(bounds.max_rows, bounds.max_groups)",
        "units with more rows than count are not bounded",
    ),
    Named(
        "leastnoise.release.measure.by_ranges",
        "found_by_ranges",
        "        undecided.append(left)\n",
        "        undecided.append(left[:0])\n",
        "units of which two groups share a turn are lost",
    ),
    Named(
        "leastnoise.release.measure.by_ranges",
        "_only",
        "return query if whole else replace(query, scan=session.part(units))",
        "return query",
        "every range is the whole table, and a unit is bounded as often as there are ranges",
    ),
    Named(
        "leastnoise.release.measure.by_ranges",
        "_sorted_out",
        "if each not in light and each not in heavy]",
        "if each not in heavy]",
        "units that need no bounds are in two ranges, and count twice",
    ),
    Named(
        "leastnoise.release.measure.few_rows",
        "found_for_each",
        "rows = np.flatnonzero(marks[marked.asked.conditions[where]])",
        "rows = np.arange(len(word))",
        "groups are chosen among rows that do not meet the condition",
    ),
    Named(
        "leastnoise.release.measure.few_rows",
        "found_for_each",
        "        if len(pairs.undecided):\n            return None\n",
        "",
        "units of which two groups share a turn are lost",
    ),
)
