"""Small changes of a module's source, one place at a time, each of which could break a promise."""

import ast
import hashlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

SWAPPED_NAMES = {
    "min": "max", "max": "min", "all": "any", "any": "all", "floor": "ceil", "ceil": "floor",
    "lower": "upper", "upper": "lower", "abs_lower": "abs_upper", "abs_upper": "abs_lower",
    "lower_fraction": "upper_fraction", "upper_fraction": "lower_fraction",
    "numerator": "denominator", "denominator": "numerator",
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")), ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")), ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)), ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)), ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)), ast.NotIn: ("not in", ("in",)),
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)), ast.Sub: ("-", ("+",)), ast.Mult: ("*", ("/", "+")),
    ast.Div: ("/", ("*",)), ast.FloorDiv: ("//", ("*",)), ast.Mod: ("%", ("//",)),
    ast.Pow: ("**", ("*",)), ast.LShift: ("<<", (">>",)), ast.RShift: (">>", ("<<",)),
    ast.BitAnd: ("&", ("|",)), ast.BitOr: ("|", ("&",)),
}  # fmt: skip
MESSAGES = {"refuse", "warn", "_refusal", "assert_never", "cast", "TypeVar", "field"}
FOR_PEOPLE = {"__repr__", "__str__", "__rich__", "__format__", "_repr_html_"}


@dataclass(frozen=True)
class Change:
    """One changed place.

    Attributes:
        module: its dotted name.
        function: the outermost function or method changed; the constant's name for a constant.
        old: the lines that are changed, as they are.
        new: the same lines, changed.
        lines: where they are, first and last.
        source: the module's whole changed source.
        number: counts changes that read the same.
    """

    module: str
    function: str
    old: str
    new: str
    lines: tuple[int, int]
    source: str
    number: int = 0

    @property
    def name(self) -> str:
        """The same as long as the changed line and its function are."""
        again = f" ({self.number})" if self.number else ""
        return f"{self.module} {self.function}: {self.old} → {self.new}{again}"

    @property
    def is_python(self) -> bool:
        """Whether the changed module can be compiled at all."""
        try:
            ast.parse(self.source)
        except SyntaxError:
            return False
        return True

    @property
    def rank(self) -> str:
        """A number as if by chance: the same on every machine, and wherever the module is put."""
        own = self.name.partition(" ")[0].rpartition(".")[2] + self.name.partition(" ")[2]
        return hashlib.sha256(own.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Span:
    """A piece of source, and the text in its place."""

    start: int
    end: int
    text: str


def source_path(module: str) -> Path:
    """The file of a module that need not be loaded."""
    found = importlib.util.find_spec(module)
    assert found is not None, module
    assert found.origin is not None, module
    return Path(found.origin)


@cache
def changes_of(module: str) -> tuple[Change, ...]:
    """All changes of a module that this kit knows, in the order of its lines."""
    source = source_path(module).read_text()
    tree = ast.parse(source)
    found: dict[str, Change] = {}
    for function, root in _roots(tree):
        for span in _spans(root, source):
            one = changed(module, function, source, span)
            while one.name in found:
                one = replace(one, number=one.number + 1)
            found[one.name] = one
    return tuple(found.values())


def changed(module: str, function: str, source: str, span: Span) -> Change:
    """The change of one span. Lines keep their numbers: what is shorter is continued."""
    start, end, text = span.start, span.end, span.text
    lost = source.count("\n", start, end) - text.count("\n")
    new = source[:start] + text + "\\\n" * lost + source[end:]
    first, last = source.count("\n", 0, start), source.count("\n", 0, end)
    lines = slice(first, last + 1)
    old_lines, new_lines = source.split("\n")[lines], new.split("\n")[lines]
    return Change(
        module, function, _shown(old_lines), _shown(new_lines), (first + 1, last + 1), new
    )


def _shown(lines: list[str]) -> str:
    return " ".join(" ".join(lines).replace("\\", " ").split())


def _roots(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Outermost functions, methods and constants: what can be exchanged in a running program."""
    for node in tree.body:
        match node:
            case ast.FunctionDef():
                yield node.name, node
            case ast.ClassDef():
                for part in node.body:
                    if isinstance(part, ast.FunctionDef) and part.name not in FOR_PEOPLE:
                        yield f"{node.name}.{part.name}", part
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_number(value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                if _is_number(value):
                    yield name, value
            case _:
                pass


def _is_number(value: ast.expr) -> bool:
    kinds = ast.Constant | ast.BinOp | ast.Call | ast.Name | ast.operator | ast.expr_context
    parts = list(ast.walk(value))
    numbers = [part for part in parts if isinstance(part, ast.Constant)]
    return (
        bool(numbers)
        and all(isinstance(part, kinds | ast.UnaryOp | ast.unaryop) for part in parts)
        and all(isinstance(part.value, int | float | str) for part in numbers)
        and not isinstance(numbers[0].value, bool)
        and all(part.func.id == "Fraction" for part in parts
                if isinstance(part, ast.Call) and isinstance(part.func, ast.Name))
        and not any(isinstance(part, ast.Call) and not isinstance(part.func, ast.Name)
                    for part in parts)
        and not (isinstance(value, ast.Constant) and isinstance(value.value, str))
    )  # fmt: skip


def _spans(root: ast.AST, source: str) -> Iterator[Span]:
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    lines = source.split("\n")

    def place(line: int, column: int) -> int:
        characters = len(lines[line - 1].encode()[:column].decode())
        return starts[line - 1] + characters

    def ends(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)

    for node in _mutable(root):
        yield from _of_node(node, source, ends)


def _mutable(node: ast.AST) -> Iterator[ast.AST]:
    """The parts whose change could matter: no annotations, docstrings, messages or assertions."""
    yield node
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        body = node.body if isinstance(node.body, list) else [node.body]
        parts: list[ast.AST] = list(body)
    elif isinstance(node, ast.AnnAssign):
        parts = [] if node.value is None else [node.value]
    else:
        parts = list(ast.iter_child_nodes(node))
    for part in parts:
        if not _is_silent(part):
            yield from _mutable(part)


def _is_silent(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.ImportFrom() | ast.Import():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in MESSAGES
        case ast.Return(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call):
            return _is_silent(call)
        case _:
            return False


Ends = Callable[[ast.expr | ast.stmt], tuple[int, int]]


def _of_node(node: ast.AST, source: str, ends: Ends) -> Iterator[Span]:
    yield from _other_operators(node, source, ends)
    yield from _other_words(node, ends)
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield Span(*ends(test), f"(not {_text(test, source, ends)})")
        case ast.Return(value=ast.Compare() | ast.BoolOp() as value):
            yield Span(*ends(value), "True")
            yield Span(*ends(value), "False")
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield Span(*ends(node), "pass")
        case _:
            pass


def _other_operators(node: ast.AST, source: str, ends: Ends) -> Iterator[Span]:
    """Other comparisons and operations; a term or factor dropped; a sign or negation dropped."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            for op, one, other in zip(ops, [left, *others], others, strict=False):
                yield from _operator(COMPARISONS[type(op)], one, other, source, ends)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            yield from _operator(ARITHMETIC[type(op)], left, right, source, ends)
            if isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.Div):
                yield Span(*ends(node), _text(left, source, ends))
            if isinstance(op, ast.Add | ast.Mult):
                yield Span(*ends(node), _text(right, source, ends))
        case ast.BoolOp(op=op, values=values):
            was, to = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
            for one, other in pairwise(values):
                yield from _operator((was, (to,)), one, other, source, ends)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield Span(*ends(node), _text(operand, source, ends))
        case _:
            pass


def _other_words(node: ast.AST, ends: Ends) -> Iterator[Span]:
    """Other constants, the other end of a bracket, the other way to round."""
    match node:
        case ast.Constant(value=bool() as value):
            yield Span(*ends(node), str(not value))
        case ast.Constant(value=int() as value):
            yield Span(*ends(node), str(value + 1))
            if value == 1:
                yield Span(*ends(node), "0")
        case ast.Name(id=name) if name in SWAPPED_NAMES and isinstance(node.ctx, ast.Load):
            yield Span(*ends(node), SWAPPED_NAMES[name])
        case ast.Attribute(attr=name) if name in SWAPPED_NAMES:
            _, end = ends(node)
            yield Span(end - len(name), end, SWAPPED_NAMES[name])
        case _:
            pass


def _text(node: ast.expr, source: str, ends: Ends) -> str:
    start, end = ends(node)
    return f"({source[start:end]})"


def _operator(
    way: tuple[str, tuple[str, ...]], left: ast.expr, right: ast.expr, source: str, ends: Ends
) -> Iterator[Span]:
    """The same operands with other operators between them."""
    was, others = way
    (_, start), (end, _) = ends(left), ends(right)
    at = source.find(was, start, end)
    if at >= 0 and "#" not in source[start:end]:
        for other in others:
            yield Span(at, at + len(was), other)
