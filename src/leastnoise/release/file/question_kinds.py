"""`KINDS`: the kinds of questions, declared once for plan files, the explorer and the docs.

A kind is a method of `Plan`: its arguments are the question's parts. What a part is, and what the
explorer calls it, is said in plan_schema.json under the part's own name.
"""

import inspect
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.release.plan import Plan

_BY_FILE = "keys_file"
"""Where a file may list the groups, beside `keys`; a plan in Python reads its own files."""

_EVERYWHERE = frozenset({"by", "keys", "importance"})
"""What every form has, or none."""

BOUNDS = frozenset(
    {"lower", "upper", "other_lower", "other_upper", "over_lower", "over_upper"}
    | {"on_lower", "on_upper", "most_weight"}
)
"""Ranges of values: they may be left out where the dataset declares them."""

_BOUNDS = ("max_groups", "max_rows")
_GUESSES = "expected", "expected_answer"


@dataclass(frozen=True)
class QuestionKind:
    """One kind of question.

    Attributes:
        ask: its name in a plan's file.
        label: what the explorer offers.
        answer: what is asked.
        limit: how much of one person counts.
        method: the name of the plan's method, if it is another.
    """

    ask: str
    label: str
    answer: str
    limit: str
    method: str = ""

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The arguments of the plan's method, by name; a schema asks for them again and again."""
        found = inspect.signature(getattr(Plan, self.method or self.ask)).parameters
        return {name: each for name, each in found.items() if name != "self"}

    def asked(self, plan: Plan, parts: Mapping[str, Any]) -> Plan:
        """The plan with one such question more."""
        longer: Plan = getattr(plan, self.method or self.ask)(**parts)
        return longer

    @property
    def has_groups(self) -> bool:
        """Whether it can be asked of each group."""
        return "by" in self.parameters

    @property
    def parts(self) -> list[str]:
        """What a file may say of it, in the order of the method."""
        more = {"keys": _BY_FILE} if self.has_groups else {}
        names = [[name, more[name]] if name in more else [name] for name in self.parameters]
        return [name for pair in names for name in pair]

    @property
    def required(self) -> list[str]:
        """What a file must say of it; groups are listed by `keys` or by a file."""
        free = inspect.Parameter.empty
        needed = [name for name, each in self.parameters.items() if each.default is free]
        return [name for name in needed if name != "keys"]

    @property
    def form(self) -> list[str]:
        """The parts beside groups and rows that a form asks for.

        They are those that always have a value, be it one that is declared of a column.
        """
        shown = [
            name
            for name, each in self.parameters.items()
            if each.default is not None or name in BOUNDS
        ]
        return [name for name in shown if name not in _EVERYWHERE]

    @property
    def guesses(self) -> list[str]:
        """What a form may say of its answers, for forecasts alone."""
        return [name for name in _GUESSES if name in self.parameters]

    @property
    def own_bounds(self) -> list[str]:
        """The bounds that a form may say for it, in place of the plan's."""
        return [name for name in _BOUNDS if name in self.parameters]

    def schema(self) -> dict[str, Any]:
        """The kind as JSON Schema."""
        # Without `by` there is one list of keys for each column.
        names = {name: name for name in self.parts}
        if not self.has_groups and "keys" in names:
            names["keys"] = "keys_by_column"
        return {
            "description": f"{self.answer}; {self.limit}.",
            "type": "object",
            "additionalProperties": False,
            "required": ["ask", *self.required],
            "properties": {"ask": {"const": self.ask}}
            | {part: {"$ref": f"#/$defs/{meant}"} for part, meant in names.items()},
        }


_EACH_GROUP = "at most max_rows of a person's rows count in each of max_groups groups"
_OR_CLIP = f"{_EACH_GROUP}, or as much as `clip` allows"
_ALL_ROWS = "at most max_rows of a person's rows count in all"
_GROUPS = "a person counts in at most max_groups groups"
_GROUPS_OR_CLIP = f"{_GROUPS}, or as much as `clip` allows"
_CUT = "of a column, its values cut to the bounds"
_TOGETHER = "How two columns vary together, their values cut to the bounds"
_NEARLY = "How nearly two columns rise together, from −1 to 1"
_EXPLAINED = "The least-squares coefficients of a column on others, values cut to the bounds"
_BELOW = "Which part of the rows is below each end of several equal parts of a range"
_VALUES = "How many different values a column has"
_ADDED = "a person adds at most max_rows values in each of max_groups groups"
_HAVING = "Which part of the people has a row that meets a condition"
_OVER = "The sum of a column over the sum of another, missing values as 0"
_WEIGHTED = "The mean of a column in which each row counts with a weight"
_HALF = "The value of a column below which half of the rows lie"
_PARTS = "How many rows have a value in each of several equal parts of a range"
_LEVELS = "The values of a column below which given parts of the rows lie"
_TABLES = "How many rows by each of several columns, or by every two or three of them"
_ROUGHLY = "How many people, with an error of at most so many times the number"
_UNPARSED = "How many rows have text that is not what `types` says"
_BEYOND = "How many rows have a value that is cut to the bounds, `lower` and `upper`"
_NOBODYS = "How many rows say nothing of whose they are"
_APART = "each is taken for a person of its own"
_LARGEST = "The groups with the most people, and how many they have"

_ALL = (
    QuestionKind("count", "count of rows", "How many rows", _OR_CLIP),
    QuestionKind("units", "count of people", "How many people", _GROUPS_OR_CLIP, "count_units"),
    QuestionKind("distinct", "different values of a column", _VALUES, _ADDED),
    QuestionKind("sum", "sum of a column", f"The sum {_CUT}", _OR_CLIP),
    QuestionKind("mean", "mean of a column", f"The mean {_CUT}", _OR_CLIP),
    QuestionKind("variance", "variance of a column", f"The variance {_CUT}", _EACH_GROUP),
    QuestionKind(
        "std", "standard deviation of a column", f"The standard deviation {_CUT}", _EACH_GROUP
    ),
    QuestionKind("covariance", "covariance of two columns", _TOGETHER, _EACH_GROUP),
    QuestionKind("correlation", "correlation of two columns", _NEARLY, _EACH_GROUP),
    QuestionKind("regression", "regression on other columns", _EXPLAINED, _EACH_GROUP),
    QuestionKind("share", "share of rows", "Which part of the rows meets a condition", _EACH_GROUP),
    QuestionKind("share_units", "share of people", _HAVING, _GROUPS),
    QuestionKind("ratio", "ratio of two sums", _OVER, _EACH_GROUP),
    QuestionKind("weighted_mean", "weighted mean of a column", _WEIGHTED, _EACH_GROUP),
    QuestionKind("histogram", "histogram of a column", _PARTS, _ALL_ROWS),
    QuestionKind("cumulative", "cumulative distribution of a column", _BELOW, _ALL_ROWS),
    QuestionKind("quantiles", "quantiles of a column", _LEVELS, _ALL_ROWS),
    QuestionKind("median", "median of a column", _HALF, _ALL_ROWS),
    QuestionKind("marginals", "counts by yes-or-no columns", _TABLES, _ALL_ROWS),
    QuestionKind("relative_counts", "count of people, to a percentage", _ROUGHLY, _GROUPS),
    QuestionKind("most_common", "most common groups", _LARGEST, _GROUPS_OR_CLIP),
    QuestionKind("outside", "rows with values outside a range", _BEYOND, _ALL_ROWS),
    QuestionKind("without_unit", "rows that are nobody's", _NOBODYS, _APART),
    QuestionKind("unparsed", "rows with fields that do not parse", _UNPARSED, _ALL_ROWS),
)
KINDS = {kind.ask: kind for kind in _ALL}
