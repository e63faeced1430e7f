"""Several queries with one price: `ln.plan`, and what a plan releases."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leastnoise.ledger.costs import Asked
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.records import Request
from leastnoise.numbers.errors import InvalidInput, did_you_mean
from leastnoise.numbers.exact import Exact, positive
from leastnoise.release import release as releasing
from leastnoise.release.choose_noise import Word
from leastnoise.release.estimate import Linear
from leastnoise.release.export import data_of
from leastnoise.release.grouping import Key, is_one_of, lists_of
from leastnoise.release.marginal_tables import together_of
from leastnoise.release.measurement import Limit
from leastnoise.release.preview import Preview, least_epsilon
from leastnoise.release.query import Select
from leastnoise.release.result import Result
from leastnoise.report.html import html_of
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import Filtered
from leastnoise.tables.sources import as_dict

if TYPE_CHECKING:
    from leastnoise.release.data import Data, Query

_FORMATS = ("csv", "parquet")


def plan(*, budget_weight: Mapping[str, Exact] | None = None, **queries: "Query") -> "Plan":
    """Several queries that are released together, at one price.

    Args:
        budget_weight: what a query gets of the budget beside the others, 1 if it is not named:
            `budget_weight={"by_city": 2}`.
        **queries: the queries by name.
    """
    weights = as_dict(budget_weight, 'budget_weight={"by_city": 2}')
    for name in weights:
        if name not in queries:
            hint = did_you_mean(name, queries)
            raise InvalidInput(f'budget_weight names "{name}", which is no query.{hint}')
    return Plan(
        queries, {name: positive(weights.get(name, 1), "budget_weight") for name in queries}
    )


@dataclass(frozen=True, eq=False)
class Plan:
    """Several queries with one price. Preview it, then release it.

    Attributes:
        queries: the queries by name.
        weights: what each gets of the budget beside the others.
        data: the data, of a plan in a file.
        ledger_path: the file of the ledger, of a plan in a file.
        epsilon: what a release costs, of a plan in a file.
        rho: the same on a ledger in rho.
    """

    queries: Mapping[str, Select]
    weights: Mapping[str, Fraction]
    data: "Data | None" = None
    ledger_path: Path | None = None
    epsilon: Fraction | None = None
    rho: Fraction | None = None

    def __post_init__(self) -> None:
        if not self.queries:
            raise InvalidInput("A plan needs a query:  ln.plan(by_city=query)")
        for name, query in self.queries.items():
            if isinstance(query, Tables):
                raise InvalidInput(
                    f"{name} is tables that fit together. Release them by themselves, not in a plan."
                )
            if not isinstance(query, Select):
                raise InvalidInput(
                    f"{name} is of type {type(query).__name__}. Give a query:  {name}=data.agg(...)"
                )
        for what in ("unit", "data_version"):
            found = {getattr(query, what, None) for query in self.queries.values()}
            if len(found) > 1:
                shown = ", ".join(sorted(map(str, found)))
                raise InvalidInput(f"The queries of a plan need one {what}, and have {shown}.")

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {query!r}" for name, query in self.queries.items())

    def preview(
        self,
        ledger: Ledger | None = None,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        noise: Word = "auto",
        expected_rows: int | None = None,
    ) -> Preview:
        """The margins to expect and the cost. Reads no data and spends nothing.

        The arguments are those of `Query.preview`. A plan in a file has a ledger and an epsilon.
        """
        return releasing.preview(
            self._asking,
            self._ledger(ledger),
            **self._amount(epsilon, rho),
            noise=noise,
            expected_rows=expected_rows,
        )

    def release(
        self,
        ledger: Ledger | None = None,
        *,
        epsilon: Exact | None = None,
        rho: Exact | None = None,
        noise: Word = "auto",
        analyst: str | None = None,
        again: bool = False,
    ) -> "Release":
        """The answers of all queries, charged once.

        The arguments are those of `Query.release`. A plan in a file has a ledger and an epsilon.
        """
        found = releasing.release(
            self._asking,
            self._ledger(ledger),
            **self._amount(epsilon, rho),
            noise=noise,
            analyst=analyst,
            again=again,
        )
        return Release({self._key(name): result for name, result in found.items()})

    def needed_epsilon(self, ledger: Ledger | None = None, *, margin: float, column: str) -> float:
        """About the least epsilon at which a column gets this margin; reads and spends nothing.

        Args:
            ledger: the budget that a release would be charged to; a plan in a file has one.
            margin: the margin to reach, in a group of 10,000 rows; shares from 0 to 1.
            column: which answer, with the query's name: "by_city.visits".
        """
        opened = self._ledger(ledger)
        return least_epsilon(
            lambda epsilon: self.preview(opened, epsilon=epsilon).margin(column), margin
        )

    @property
    def ledger(self) -> Ledger | None:
        """The ledger that the file of a plan names; None of a plan without a file."""
        return None if self.ledger_path is None else Ledger(self.ledger_path)

    @property
    def _asking(self) -> releasing.Asking:
        names = list(self.queries)
        title = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        selects = {name: replace(query, title=name) for name, query in self.queries.items()}
        weights = tuple(self.weights[name] for name in names)
        return releasing.Asking(selects, weights, title, self._data_version)

    @property
    def names(self) -> list[Any]:
        """Under what the answers of the queries will stand in the release."""
        return [self._key(name) for name in self.queries]

    @property
    def _data_version(self) -> str | None:
        return getattr(next(iter(self.queries.values())), "data_version", None)

    def _key(self, name: str) -> Any:
        """Under what the answer of a query will stand."""
        return name

    def _ledger(self, given: Ledger | None) -> Ledger:
        ledger = given or self.ledger
        if ledger is None:
            raise InvalidInput(
                'Which ledger?  plan.release(ln.Ledger("flights.ledger"), epsilon=1)'
            )
        return ledger

    def _amount(self, epsilon: Exact | None, rho: Exact | None) -> dict[str, Exact | None]:
        if epsilon is None and rho is None:
            return {"epsilon": self.epsilon, "rho": self.rho}
        return {"epsilon": epsilon, "rho": rho}


@dataclass(frozen=True, eq=False, repr=False)
class Tables(Plan):
    """Tables of the same rows that fit together, with one price. Preview them, then release them.

    Attributes:
        title: what they are called.
    """

    title: str = ""

    @property
    def _asking(self) -> releasing.Asking:
        weights = (Fraction(1),) * len(self.queries)
        return releasing.Asking(self.queries, weights, self.title, self._data_version)

    def _key(self, name: str) -> Any:
        return tuple(key.name for key in self.queries[name].keys)

    def __repr__(self) -> str:
        return "\n".join(dict.fromkeys(map(repr, self.queries.values())))


def tables_of(
    asked: Select, keys: Sequence[Key], sets: Sequence[tuple[int, ...]], groups: Any
) -> Tables:
    """Tables by several sets of keys that fit together.

    They are all about the same rows: those whose values of all keys are listed.

    Args:
        asked: what is asked of all rows.
        keys: what the tables are by.
        sets: the keys of each table, by their numbers.
        groups: the listed values, as in `group_by`.
    """
    for name, kind in asked.aggregates.items():
        units = any(total.counts_units for total in kind.totals)
        if not isinstance(kind.estimate, Linear) or (units and not asked.relation.one_row_each):
            raise InvalidInput(
                f"{name} does not add up: a table cannot be summed up to one by fewer columns. Tables "
                "that fit together hold counts and sums of rows; ask for others in a plan."
            )
    if isinstance(asked.limit, Limit) and asked.limit.per_group is not None:
        raise InvalidInput(
            "Tables that fit together limit the rows of a unit in all. Leave max_per_group out."
        )
    lists = lists_of(keys, groups)
    together = together_of([key.name for key in keys], [*map(len, lists)], sets)
    relation = asked.relation
    for key, values in zip(keys, lists, strict=True):
        relation = Filtered(relation, is_one_of(key.by, values))
    queries = dict[str, Select]()
    for axes in together.tables:
        own = tuple(keys[axis] for axis in axes)
        cells = Groups(tuple(key.by for key in own), tuple(product(*(lists[i] for i in axes))))
        name = table_name(together.columns(axes))
        title = f"{asked.title} by {name}" if own else asked.title
        queries[name] = replace(
            asked, relation=relation, keys=own, groups=cells, title=title, together=together
        )
    title = f"{asked.title} by {', '.join(together.names)}"
    if len(queries) > 1:
        title = f"{asked.title}: {len(queries)} tables by {', '.join(together.names)}"
    return Tables(queries, dict.fromkeys(queries, Fraction(1)), title=title)


def table_name(columns: Sequence[str]) -> str:
    """The name of the table by some columns, among tables that fit together."""
    return ", ".join(columns) or "all rows"


class Release(Mapping[Any, Result]):
    """The answers of a plan by the names of its queries. Print it, or save it.

    Those of tables that fit together stand under their columns: `tables["sex", "smoker"]`.
    """

    def __init__(self, results: Mapping[Any, Result]) -> None:
        self._results = dict(results)

    def __getitem__(self, name: Any) -> Result:
        if (name,) in self._results:
            name = (name,)
        if name in self._results:
            found: Result = self._results[name]
            return found
        if not all(isinstance(each, tuple) for each in self._results):
            hint = did_you_mean(str(name), self._results)
            raise InvalidInput(
                f'There is no query "{name}".{hint} Queries: {", ".join(self._results)}.'
            )
        shown = [f"[{', '.join(map(repr, each)) or '()'}]" for each in self._results]
        more = f", and {len(shown) - 5} more" if len(shown) > 5 else ""
        raise InvalidInput(f"There is no table {name!r}. Tables: {', '.join(shown[:5])}{more}.")

    def __contains__(self, name: object) -> bool:
        return name in self._results

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_json(self) -> str:
        """Everything that is known of the answers, as JSON. Whether data have changed is not in it."""
        body = {_text(name): data_of(result) for name, result in self.items()}
        return json.dumps(body, ensure_ascii=False, indent=2, default=str)

    def save(
        self, folder: str | os.PathLike[str], format: str = "csv", *, force: bool = False
    ) -> list[Path]:
        """Writes one file for each query, and release.json.

        Args:
            folder: where to; it is made if it is not there.
            format: "csv" or "parquet".
            force: overwrite files of these names.
        """
        paths = free_paths(self, folder, format, force=force)
        for path, result in zip(paths, self.values(), strict=False):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InvalidInput(f"{folder} cannot be written to: {error.strerror}.") from None
            path.unlink(missing_ok=True)
            if format == "csv":
                result.to_csv(str(path))
            else:
                result.to_parquet(str(path))
        paths[-1].write_text(self.to_json() + "\n", encoding="utf-8")
        return paths

    def _repr_html_(self) -> str:
        return html_of(result.view() for result in self.values())

    def __repr__(self) -> str:
        return "\n\n\n".join(map(repr, self.values()))


def _text(name: Any) -> str:
    return table_name(name) if isinstance(name, tuple) else str(name)


def _stem(name: Any) -> str:
    """The name of the file of an answer."""
    if isinstance(name, tuple):
        return _text(name).replace(", ", "_").replace(" ", "_").replace("/", "_")
    return str(name)


def free_paths(
    names: Iterable[Any], folder: str | os.PathLike[str], format: str, *, force: bool = False
) -> list[Path]:
    """Where the answers of these queries will be saved, and release.json; refuses to overwrite."""
    if format not in _FORMATS:
        raise InvalidInput(
            f'format is "{format}".{did_you_mean(format, _FORMATS)} Give csv or parquet.'
        )
    paths = [
        Path(folder) / name
        for name in (*(f"{_stem(each)}.{format}" for each in names), "release.json")
    ]
    if len({*paths}) < len(paths):
        raise InvalidInput("Two tables would get one file. Write each:  tables[...].to_csv(path)")
    for path in paths:
        if path.exists() and not force:
            raise InvalidInput(f"{path} exists. Remove it, or save to another folder.")
    return paths


def request_of(
    asked: "Query | Plan",
    ledger: Ledger,
    *,
    epsilon: Exact | None = None,
    rho: Exact | None = None,
    noise: Word = "auto",
) -> Request:
    """By what a ledger finds the charges for this release: `ledger.store.find(request)`."""
    if isinstance(asked, Plan):
        epsilon, rho = asked._amount(epsilon, rho).values()
    amount = Asked.of(ledger.store.meters, epsilon, rho)
    return releasing._request(asked._asking, amount, noise, None)
