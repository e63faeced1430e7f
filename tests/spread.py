"""`spread`: of a test with many cases, `make test` runs some, and `make test-slow` the others.

`@pytest.mark.spread(9)` on a test that claims the same at every point of a grid: nine cases are
quick. More of them if it takes more to see every value of each of several parameters; and those
that noticed a mistake in the trusted code (`tests/mutants/noticed.json`) are quick by all means.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence, Set

import pytest

from tests.mutants.trial import noticed


def leave_the_rest_to_slow_runs(items: Sequence[pytest.Item]) -> None:
    """Marks as slow the cases of spread tests that are not chosen."""
    wanted = set(noticed().values())
    for cases in _cases(items).values():
        found = cases[0].get_closest_marker("spread")
        assert found is not None
        points = {item.nodeid: _point(item) for item in cases}
        kept = chosen(points, int(found.args[0]), wanted & set(points))
        for item in cases:
            if item.nodeid not in kept:
                item.add_marker("slow")


def _cases(items: Sequence[pytest.Item]) -> dict[str, list[pytest.Function]]:
    """The cases of each spread test, without those that are slow anyway."""
    found: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("spread") and not item.get_closest_marker("slow"):
            assert isinstance(item, pytest.Function)
            found[item.nodeid.split("[", maxsplit=1)[0]].append(item)
    return found


def _point(item: pytest.Function) -> dict[str, Hashable]:
    """What each list of parameters gave: the same objects again in every case that has them."""
    told = [mark.args[0] for mark in item.iter_markers("parametrize")]
    lists = [each.split(",") if isinstance(each, str) else each for each in told]
    own = {",".join(names): [name.strip() for name in names] for names in lists}
    others = set(item.callspec.params).difference(*own.values())
    own |= {name: [name] for name in others}
    return {
        axis: tuple(id(item.callspec.params[name]) for name in names)
        for axis, names in own.items()
        if all(name in item.callspec.params for name in names)
    }


def chosen(points: Mapping[str, Mapping[str, Hashable]], number: int, wanted: Set[str]) -> set[str]:
    """Names of points: the wanted, the two ends, enough to see every value, then evenly more."""
    names = list(points)
    several = len(points[names[0]]) > 1  # of a single list, all would be kept
    values = {name: set(points[name].items()) if several else set() for name in names}
    kept = {names[0], names[-1], *wanted}
    unseen = set().union(*values.values()) - set().union(*(values[name] for name in kept))
    while unseen:
        best = max(names, key=lambda name: len(values[name] & unseen))
        kept.add(best)
        unseen -= values[best]
    others = [name for name in names if name not in kept]
    missing = min(max(number - len(kept), 0), len(others))
    return kept | {others[place * len(others) // missing] for place in range(missing)}
