"""A check of what a file says against its published schema.

A schema is JSON Schema, so that editors can use it. The check knows the few words of JSON Schema
that our schemas are written in, and says what is wrong in plain English.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.release.document.toml_places import Path

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str, date),  # JSON has no dates: an editor sees text
    "integer": (int,),
    "number": (int, Decimal, float, Fraction),  # the last two in Python alone
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_SAID = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}
_OTHER_WORDS = {"of": "column", "value": "column", "group_by": "by", "groups": "by",
                "filter": "where", "min": "lower", "max": "upper", "title": "name",
                "start": "from", "begin": "from", "since": "from"}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """What is wrong with one part of a document."""

    path: Path
    rule: str
    finding: str
    remedy: str

    @property
    def message(self) -> str:
        """Rule, finding, remedy."""
        return f"{self.rule}; got {self.finding}. {self.remedy}"


@dataclass(frozen=True)
class SchemaCheck:
    """What is wrong with a value, by one schema.

    Attributes:
        schema: JSON Schema, with `$defs`.
        whole: what the document is called, such as "a plan".
    """

    schema: Mapping[str, Any]
    whole: str

    def fault_in(self, said: Mapping[str, Any]) -> Fault | None:
        """The first thing that is not as the schema has it; None if all is well."""
        return next(self._faults(said, self.schema, ()), None)

    def _faults(self, value: Any, schema: Mapping[str, Any], path: Path) -> Iterator[Fault]:
        schema = self._resolved(schema)
        if "oneOf" in schema:
            yield from self._choice_faults(
                value, [self._resolved(each) for each in schema["oneOf"]], path
            )
            return
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if kinds and not any(_is(value, kind) for kind in kinds):
            yield Fault(
                path, f"{self._name(path)} must be {_either(kinds)}", _kind(value), _hint(schema)
            )
        elif "enum" in schema and value not in schema["enum"]:
            yield self._unknown(value, schema["enum"], path)
        elif "minItems" in schema and isinstance(value, list) and len(value) < schema["minItems"]:
            yield Fault(path, f"{self._name(path)} must hold something", "nothing", _hint(schema))
        elif "minimum" in schema and not isinstance(value, str) and value < schema["minimum"]:
            least = schema["minimum"]
            yield Fault(
                path, f"{self._name(path)} must be at least {least}", str(value), _hint(schema)
            )
        elif isinstance(value, dict):
            yield from self._table_faults(value, schema, path)
        elif isinstance(value, list) and "items" in schema:
            for number, each in enumerate(value):
                yield from self._faults(each, schema["items"], (*path, number))

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in schema:
            return schema
        found: Mapping[str, Any] = self.schema["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        return found

    def _choice_faults(
        self, value: Any, choices: list[Mapping[str, Any]], path: Path
    ) -> Iterator[Fault]:
        """Of several shapes the one that is meant: by a word that tells them apart, else by fit."""
        asked = [(each, _constants(each)) for each in choices]
        if isinstance(value, dict) and all(constants for _, constants in asked):
            yield from self._told_apart(value, asked, path)
            return
        faults = [list(self._faults(value, each, path)) for each in choices]
        if all(faults):
            pairs = zip(faults, choices, strict=True)
            yield min(pairs, key=lambda pair: _distance(value, *pair))[0][0]

    def _told_apart(
        self,
        value: dict[str, Any],
        choices: list[tuple[Mapping[str, Any], dict[str, str]]],
        path: Path,
    ) -> Iterator[Fault]:
        ((word, _),) = choices[0][1].items()
        known = {constants[word]: schema for schema, constants in choices}
        if word not in value:
            kinds = ", ".join(known)
            yield Fault(path, f"{self._name(path)} must have `{word}`", "none", f"One of: {kinds}.")
        elif not isinstance(value[word], str) or value[word] not in known:
            yield self._unknown(value[word], list(known), (*path, word))
        else:
            yield from self._table_faults(value, known[value[word]], path)

    def _table_faults(
        self, value: dict[str, Any], schema: Mapping[str, Any], path: Path
    ) -> Iterator[Fault]:
        parts = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for name, each in value.items():
            if name in parts:
                yield from self._faults(each, parts[name], (*path, name))
            elif others is False:
                yield self._strange(name, parts, path)
            elif isinstance(others, Mapping):
                yield from self._faults(each, others, (*path, name))
        missing = [name for name in schema.get("required", []) if name not in value]
        if missing:
            hint = _hint(self._resolved(parts[missing[0]]))
            named = ", ".join(f"`{name}`" for name in schema["required"])
            absent = ", ".join(f"`{name}`" for name in missing)
            yield Fault(path, f"{self._name(path, value)} must have {named}", f"no {absent}", hint)

    def _strange(self, name: str, known: Mapping[str, Any], path: Path) -> Fault:
        meant = [_OTHER_WORDS.get(name, "")] if _OTHER_WORDS.get(name) in known else []
        near = meant or get_close_matches(name, known, 1)
        tables = self.schema.get("properties", {}) if len(path) <= 1 else {}
        held = [each for each, own in tables.items() if self._may_have(own, name)]
        remedy = f"Did you mean `{near[0]}`?" if near else "Is it misspelt?"
        remedy = f"It belongs in [{held[0]}]." if held and not meant else remedy
        rule = f"{self._name(path)} may have {', '.join(f'`{each}`' for each in known)}"
        return Fault((*path, name), rule, f"`{visible(name)}`", remedy)

    def _may_have(self, schema: Mapping[str, Any], name: str) -> bool:
        """Whether a table of this shape, or of one of these shapes, may have such a part."""
        own = self._resolved(schema)
        return any(name in self._resolved(e).get("properties", {}) for e in own.get("oneOf", [own]))

    def _unknown(self, value: Any, known: list[Any], path: Path) -> Fault:
        near = get_close_matches(value, known, 1) if isinstance(value, str) else []
        remedy = f"Did you mean {near[0]!r}?" if near else "Choose one."
        rule = f"{self._name(path)} must be one of {', '.join(map(repr, known))}"
        return Fault(path, rule, repr(value) if isinstance(value, str) else _kind(value), remedy)

    def _name(self, path: Path, value: Mapping[str, Any] | None = None) -> str:
        """A part as people call it: `upper` in [[question]] number 2."""
        if not path:
            return self.whole
        if path[0] == "question" and len(path) > 1 and isinstance(path[1], int):
            kind = f" (a {value['ask']})" if value is not None and "ask" in value else ""
            whole = f"[[question]] number {path[1] + 1}{kind}"
        else:
            whole = f"[{path[0]}]"
        named = [step for step in path[1:] if isinstance(step, str)]
        return f"`{visible('.'.join(named))}` in {whole}" if named else whole


def _constants(schema: Mapping[str, Any]) -> dict[str, str]:
    parts = schema.get("properties", {})
    return {name: part["const"] for name, part in parts.items() if "const" in part}


def _distance(value: Any, faults: list[Fault], schema: Mapping[str, Any]) -> tuple[bool, int, int]:
    """How far a value is from a shape: another type, then keys unknown and missing."""
    kinds = schema.get("type", [])
    alien = not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    if not isinstance(value, dict) or alien:
        return alien, len(faults), 0
    parts = schema.get("properties", {}).keys()
    return alien, len(value.keys() - parts), len(parts - value.keys())


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _kind(value: Any) -> str:
    return next((said for kind, said in _SAID.items() if _is(value, kind)), "something else")


def _either(kinds: list[str]) -> str:
    return " or ".join(_SAID[kind] for kind in kinds)


def _hint(schema: Mapping[str, Any]) -> str:
    return str(schema.get("description", "See the examples in the guide."))
