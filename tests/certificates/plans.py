"""Parts of plans, and what their random units do, one unit after another."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.tables_part import TablesPart

ONE = Fraction(1)
Unit = tuple[tuple[int, ...], Fraction]


def count(place: int, *, weight: Fraction = ONE, low: int = 0, high: int = 1) -> PlanPart:
    """A number of its own."""
    return PlanPart((place,), 1, low, high, 1, weight, Fraction(10**6))


def groups(place: int, cells: int, moved: int = 1, **more: object) -> PlanPart:
    """A group-by."""
    part = PlanPart((place,), cells, 0, 1, moved, ONE, Fraction(10**6))
    return replace(part, **more)  # type: ignore[arg-type]


def units(part: PlanPart | TablesPart) -> Iterator[Unit]:
    """Every unit that may be added, with its chance; what a part says, in plain words."""
    if isinstance(part, TablesPart):
        there = table_units(part)
        yield (0,) * part.cells, 1 - part.chance
        yield from ((unit, part.chance / len(there)) for unit in there)
        return
    if part.alone:
        for raised in product((0, 1), repeat=part.cells):
            chances = [part.chance if up else 1 - part.chance for up in raised]
            values = tuple(part.high if up else part.low for up in raised)
            yield values, Fraction(np.prod(np.array(chances, dtype=object)))
        return
    for taken, likely in ((part.more, part.chance), (part.fewer, 1 - part.chance)):
        chosen = list(combinations(range(part.rows), taken))
        for rows in chosen:
            yield from _within(part, rows, likely / len(chosen))


def _within(part: PlanPart, rows: tuple[int, ...], likely: Fraction) -> Iterator[Unit]:
    if part.is_box:
        yield tuple(part.high if row in rows else part.low for row in range(part.rows)), likely
        return
    ways = [
        (row * part.either + place, value, chance / part.either)
        for row in rows
        for place in range(part.either)
        for value, chance in ((part.high, part.upper), (part.low, 1 - part.upper))
    ]
    options = [[way for way in ways if way[0] // part.either == row] for row in rows]
    for choice in product(*options):
        values, chance = [0] * part.cells, likely
        for cell, value, own in choice:
            values[cell] = value
            chance *= own
        yield tuple(values), chance


def table_units(part: TablesPart) -> list[tuple[int, ...]]:
    """What a unit with its rows in one cell of the product adds to all tables, cell by cell."""
    tables = list(combinations(range(len(part.sizes)), part.ways))
    found = []
    for cell in product(*map(range, part.sizes)):
        added: list[int] = []
        for table in tables:
            here = [0] * int(np.prod([part.sizes[column] for column in table]))
            where = np.ravel_multi_index(
                [cell[column] for column in table], [part.sizes[column] for column in table]
            )
            here[int(where)] = part.high
            added += here
        found.append(tuple(added))
    return found


def root_sum(parts: list[PlanPart | TablesPart]) -> float:
    """Σ √λ of the matrix itself, part by part and unit by unit."""
    size = sum(part.cells for part in parts)
    matrix: NDArray[np.float64] = np.zeros((size, size))
    for choice in product(*(list(units(part)) for part in parts)):
        pairs = zip(choice, parts, strict=True)
        values = np.concatenate([np.array(u) * float(part.weight) ** 0.5 for (u, _), part in pairs])
        matrix += float(np.prod([float(chance) for _, chance in choice])) * np.outer(values, values)
    return float(np.sqrt(np.maximum(np.linalg.eigvalsh(matrix), 0)).sum())


def replaced_root_sum(part: PlanPart | TablesPart) -> float:
    """Σ √λ of the matrix itself, where one unit takes the place of another."""
    matrix: NDArray[np.float64] = np.zeros((part.cells, part.cells))
    for change, chance in _changes(part):
        matrix += float(part.weight * chance) * np.outer(change, change)
    return float(np.sqrt(np.maximum(np.linalg.eigvalsh(matrix), 0)).sum())


def _changes(part: PlanPart | TablesPart) -> Iterator[Unit]:
    if isinstance(part, TablesPart):
        there = table_units(part)
        for one, other in product(there, repeat=2):
            change = tuple(int(a) - int(b) for a, b in zip(one, other, strict=True))
            yield change, part.chance / len(there) ** 2
        yield from ((unit, (1 - part.chance) / len(there)) for unit in there)
        return
    swapped = Fraction(0) if part.is_box else part.chance
    pairs, size = min(part.moved, part.rows // 2), max(part.high, -part.low)
    both = [(up, down) for up in combinations(range(part.rows), pairs)
            for down in combinations(set(range(part.rows)) - set(up), pairs)]  # fmt: skip
    places = list(product(range(part.either), repeat=2 * pairs))
    for (up, down), where in product(both, places):
        signs = [size] * pairs + [-size] * pairs
        yield _moved(part, (*up, *down), where, signs), swapped / (len(both) * len(places))
    rows = list(combinations(range(part.rows), part.moved))
    places = list(product(range(part.either), repeat=part.moved))
    turns = list(product((1, -1), repeat=part.moved))
    for chosen, where, turn in product(rows, places, turns):
        signs = [(part.high - part.low) * each for each in turn]
        chance = (1 - swapped) / (len(rows) * len(places) * len(turns))
        yield _moved(part, chosen, where, signs), chance


def _moved(
    part: PlanPart, rows: tuple[int, ...], where: tuple[int, ...], by: list[int]
) -> tuple[int, ...]:
    values = [0] * part.cells
    for row, place, change in zip(rows, where, by, strict=True):
        values[row * part.either + place] += change
    return tuple(values)
