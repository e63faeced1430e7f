"""What follows about columns of subqueries from what is declared of those they are made of."""

from collections.abc import Sequence
from fractions import Fraction

from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.ask.expression import Column, Term
from leastnoise.release.ask.ranges import range_of
from leastnoise.release.sql.sources.side import NO_FACTS, Side


def fact_of(term: Term, side: Side) -> ColumnFacts:
    """Of a column as it is, what is declared; of a computed one, the range that follows."""
    if isinstance(term, Column):
        return side.fact(term.name)
    found = range_of(term, side)
    if found is None:
        return NO_FACTS
    return ColumnFacts(lower=found.lower, upper=found.upper, never_null=not found.may_be_null)


def facts_of_stack(parts: Sequence[Side], names: Sequence[str]) -> dict[str, ColumnFacts]:
    """What holds of all parts of a UNION ALL."""
    found = {}
    for place, name in enumerate(names):
        every = [part.fact(part.known[place].column.name) for part in parts]
        lower, upper = [each.lower for each in every], [each.upper for each in every]
        lists = [each.values for each in every]
        low: Fraction | None = None
        high: Fraction | None = None
        numbers = [each for each in (*lower, *upper) if isinstance(each, Fraction)]
        if len(numbers) == 2 * len(every):
            low, high = min(numbers), max(numbers)
        values = None
        if all(each is not None for each in lists):
            values = tuple(dict.fromkeys(value for each in lists for value in each or ()))
        never = all(each.never_null for each in every)
        found[name] = ColumnFacts(lower=low, upper=high, values=values, never_null=never)
    return found
