"""Which mistakes `tests.mutants` makes: one change of one place of a module's source."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_BALL = "__import__('leastnoise.numbers.ball', fromlist=['_'])."
SWAPPED = {
    "min": "max", "max": "min", "any": "all", "all": "any", "lower": "upper", "upper": "lower",
    "numerator": "denominator", "denominator": "numerator",
    "upper_end": f"{_BALL}lower_end", "lower_end": f"{_BALL}upper_end",
    "ROUND_FLOOR": "'ROUND_CEILING'", "ROUND_CEILING": "'ROUND_FLOOR'",
    "ROUND_HALF_EVEN": "'ROUND_DOWN'", "ROUND_DOWN": "'ROUND_UP'", "ROUND_UP": "'ROUND_DOWN'",
}  # fmt: skip
"""Names, and what stands for their opposite."""
WORDS = {
    "l1": "l2", "l2": "l1", "laplace": "gaussian", "gaussian": "laplace", "left": "right",
    "right": "left", "lower": "upper", "upper": "lower",
}  # fmt: skip
ROUNDED = {"floor": 1, "__floor__": 1, "isqrt": 1, "ceil": -1, "__ceil__": -1}
"""Calls that round, and what makes them round to the other side."""
_FUNCTION = r"(?=\(|$)"
SQL = [(re.compile(old), new) for old, new in (
    (" <= ", " < "), (" < ", " <= "), (" >= ", " > "), (" > ", " >= "), (" = ", " <> "),
    (" <> ", " = "), (" BETWEEN ", " NOT BETWEEN "), (r"(?<!BETWEEN \{\}) AND ", " OR "),
    ("^AND$", "OR"), (r"\bOR\b", "AND"), ("IS NOT NULL", "IS NULL"), ("IS NULL", "IS NOT NULL"),
    ("IS NOT DISTINCT FROM", "IS DISTINCT FROM"), ("IS NOT DISTINCT FROM", "="),
    ("NOT EXISTS", "EXISTS"), ("(?<!NOT )EXISTS", "NOT EXISTS"), (r"NOT (?=many|\{)", ""),
    (r"COUNT\(\*\)", "(COUNT(*) + 1)"), (r"SUM\(", "COUNT("), (r"MAX\(", "MIN("), (r"MIN\(", "MAX("),
    ("greatest" + _FUNCTION, "least"), ("least" + _FUNCTION, "greatest"), ("floor" + _FUNCTION, "ceil"),
    ("ceil" + _FUNCTION, "floor"), (r"\bround" + _FUNCTION, "floor"), (r"\babs" + _FUNCTION, ""),
    (r" JOIN \w+ USING \(\w+\)", ""), ("JOIN", "LEFT JOIN"), (" UNION ALL ", " UNION "),
    (r" WHERE (NOT )?\w+(?=\)|$)", ""), (r" \+ ", " - "), (" - ", " + "), (r"(?<!SELECT) \* ", " + "), (" / ", " * "),
    (r"\bTRUE\b", "FALSE"), (r"\bFALSE\b", "TRUE"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    ("HUGEINT", "BIGINT"), ("TRY_CAST", "CAST"), ("COMMIT", "ROLLBACK"), ("ROLLBACK", "COMMIT"),
    ("EXTRA", "OFF"), (" IMMEDIATE", ""), ("PRIMARY KEY", ""), (" ORDER BY .*", ""),
)]  # fmt: skip
_NUMBER = re.compile(r"(?<!SELECT )(?<![\w{\[.:%-])\d+(?![\w}\].:%-])")
FOR_PEOPLE = {"__repr__", "__str__", "__format__", "__rich__", "_repr_html_"}
TYPES = {"annotation", "returns", "pattern", "bases", "type_params"}
OF_NO_EFFECT = {
    "strict",
    "frozen",
    "slots",
    "repr",
    "maxsize",
}  # keywords: guards against other mistakes, looks, speed
SMALL = 12  # lines of a function whose results are changed too


@dataclass(frozen=True)
class Mutant:
    """A module with one mistake; `name` stays the same while its line does."""

    module: str
    function: str
    number: int
    line: str
    mutation: str
    source: str

    @property
    def name(self) -> tuple[str, str, str]:
        return self.module, self.line, self.mutation

    @property
    def place(self) -> str:
        """The function; of code outside of functions, the module."""
        return f"{self.module}:{self.function}"


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """All mistakes of a module, by its path in the package; a repeated name gets a number."""
    tree, seen = ast.parse(source), Counter[tuple[str, str]]()
    lines = source.encode().splitlines(keepends=True)
    for node, function, text, mutation in _places(tree, _results(tree)):
        start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        end = sum(map(len, lines[: (node.end_lineno or 0) - 1])) + (node.end_col_offset or 0)
        code = source.encode()
        changed = (code[:start] + text.encode() + code[end:]).decode()
        line = lines[node.lineno - 1].decode().strip()
        seen[line, mutation] += 1
        again = f" #{count}" if (count := seen[line, mutation]) > 1 else ""
        yield Mutant(module, function, node.lineno, line, mutation + again, changed)


def _results(tree: ast.AST) -> dict[ast.AST, str]:
    """The return statements of small functions, with the declared type."""
    return {
        inner: ast.unparse(node.returns)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.returns
        if (node.end_lineno or 0) - node.lineno < SMALL
        for inner in ast.walk(node)
        if isinstance(inner, ast.Return)
    }


Place = tuple[Any, str, str, str]
"""The node to replace, the function that it is in, its new text, and what the mistake is."""


def _places(
    node: ast.AST,
    results: dict[ast.AST, str],
    owner: str = "",
    function: str = "",
    whole: ast.JoinedStr | None = None,
) -> Iterator[Place]:
    """Of an f-string (`whole`) the whole is replaced: before Python 3.12 its parts have no place."""
    owner += f"{node.name}." if isinstance(node, ast.ClassDef) else ""
    for field, value in ast.iter_fields(node):
        name = function
        if isinstance(node, ast.FunctionDef) and field == "body":
            name = function or owner + node.name
        children = value if isinstance(value, list) else [value]
        for place, child in enumerate(children):
            if field in TYPES or not isinstance(child, ast.AST) or _is_skipped(child):
                continue
            part = whole or (child if isinstance(child, ast.JoinedStr) else None)
            for new in _changes(child, results, asked=field in ("test", "ifs")):
                children[place] = new
                setattr(node, field, children if isinstance(value, list) else new)
                text = ast.unparse(part or new)
                children[place] = child
                setattr(node, field, value)
                text = f"({text})" if isinstance(new, ast.expr) else text
                yield part or child, name, text, _told(ast.unparse(child), ast.unparse(new))
            if not isinstance(child, ast.Raise):
                yield from _places(child, results, owner, name, part)


def _is_skipped(node: ast.AST) -> bool:
    """Whether it is for people or for the type checker, or does nothing by itself."""
    match node:
        case ast.Expr(ast.Constant()) | ast.Assert() | ast.Subscript(ast.Name("Literal")):
            return True
        case ast.Raise(ast.Name("NotImplementedError")):
            return True
        case ast.FunctionDef(name):
            return name in FOR_PEOPLE
        case ast.keyword(arg):
            return arg in OF_NO_EFFECT
        case ast.If(ast.Name("TYPE_CHECKING")):
            return True
    return False


def _changes(node: ast.AST, results: dict[ast.AST, str], *, asked: bool) -> Iterator[ast.AST]:
    """What may stand in the place of a node; `asked`: it is a condition."""
    match node:
        case ast.Compare(left, operators, others):
            for i, old in enumerate(operators):
                for new in COMPARED[type(old)]:
                    yield ast.Compare(left, [*operators[:i], new(), *operators[i + 1 :]], others)
        case ast.BoolOp(operator, values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            for i in range(len(values) - 1):
                pair = ast.BoolOp(other, values[i : i + 2])
                rest = [*values[:i], pair, *values[i + 2 :]]
                yield ast.BoolOp(operator, rest) if len(rest) > 1 else pair
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(operator)](), right)
        case ast.AugAssign(target, operator, right) if type(operator) in ARITHMETIC:
            yield ast.AugAssign(target, ARITHMETIC[type(operator)](), right)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Constant(str(value)):
            yield from map(ast.Constant, _changed_text(value))
        case ast.Name(name, ast.Load()) if name in SWAPPED:
            yield ast.parse(SWAPPED[name], mode="eval").body
        case ast.Attribute(value, name, ast.Load()) if SWAPPED.get(name, "").isidentifier():
            yield ast.Attribute(value, SWAPPED[name], ast.Load())
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) if name in ROUNDED:
            yield ast.BinOp(node, ast.Add(), ast.Constant(ROUNDED[name]))
        case ast.Expr(ast.Call(ast.Name("assert_never"))):
            return
        case ast.Expr(ast.Call()) | ast.Raise():
            yield ast.Pass()
        case ast.Return(ast.expr() as value) if node in results:
            yield from map(ast.Return, _other_results(value, results[node]))
    if asked and isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr):
        yield ast.UnaryOp(ast.Not(), node)


def _changed_text(text: str) -> Iterator[str]:
    if text in WORDS:
        yield WORDS[text]
    for pattern, new in SQL:
        for found in pattern.finditer(text):
            yield text[: found.start()] + new + text[found.end() :]
    for found in _NUMBER.finditer(text):
        yield f"{text[: found.start()]}{int(found[0]) + 1:0{len(found[0])}}{text[found.end() :]}"


def _other_results(value: ast.expr, declared: str) -> Iterator[ast.expr]:
    if isinstance(value, ast.Constant | ast.Compare):
        return
    if declared == "bool":
        yield ast.UnaryOp(ast.Not(), value)
    if declared in ("int", "Fraction"):
        yield ast.BinOp(value, ast.Add(), ast.Constant(1))
    if declared == "str":
        yield ast.Constant("")
    if declared.startswith("list["):
        yield ast.List([])
    if declared.endswith("| None"):
        yield ast.Constant(None)


def _told(old: str, new: str) -> str:
    """Both texts, without most of what they share."""
    first, last = _shared(old, new), _shared(old[::-1], new[::-1])
    last = min(last, len(old) - first, len(new) - first)
    return f"{old[first : len(old) - last]} → {new[first : len(new) - last]}"


def _shared(old: str, new: str) -> int:
    return max(0, len(commonprefix([old, new])) - 20)  # noqa: RUF071 (these are no paths)
