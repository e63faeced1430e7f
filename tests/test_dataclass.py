"""`dataclass` makes the classes that the standard library makes, with less to compile."""

import abc
import copy
import dataclasses
import inspect
import pickle
import typing
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, field
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise._constructor import Constructor
from leastnoise._dataclass import dataclass
from tests.layers import dotted_names, modules, parsed

Maker = Callable[..., Any]
Body = dict[str, Any]
T = TypeVar("T")

STANDARD: Maker = dataclasses.dataclass
OURS: Maker = dataclass
NAMES = ("alpha", "beta", "gamma", "self", "delta", "value", "made", "known")
METHODS: Body = {
    "__init__": lambda *_, **__: None,
    "__repr__": lambda _: "own",
    "__eq__": lambda self, other: self is other,
    "__hash__": lambda _: 7,
    "__setattr__": lambda *_: None,
    "__post_init__": lambda self: object.__setattr__(self, "done", True),
    "__match_args__": ("own",),
}
OPTIONS = st.fixed_dictionaries(
    {}, optional={name: st.booleans() for name in ("init", "repr", "eq", "kw_only")}
)
FLAGS = st.fixed_dictionaries(
    {},
    optional={name: st.booleans() for name in ("init", "repr", "compare", "kw_only")}
    | {"hash": st.sampled_from([None, True, False])},
)
SOURCES = st.sampled_from([{}, {"default": 5}, {"default_factory": int}])


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    """Annotations, with defaults of every kind or none, and a few methods.

    A field is a dictionary here: it remembers its class, and each maker needs one of its own.
    """
    kinds = [int, int, int, "int", ClassVar[int], "ClassVar[int]"]
    body: Body = {"__annotations__": {}}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5)):
        body["__annotations__"][name] = draw(st.sampled_from(kinds))
        if draw(st.booleans()):
            body[name] = draw(st.just(3) | st.just([]) | st.builds(dict.__or__, SOURCES, FLAGS))
    if draw(st.booleans()):
        body["__annotations__"] |= {"_": KW_ONLY, "last": int}
    unusual = draw(st.lists(st.sampled_from([*METHODS]), unique=True, max_size=2))
    return body | {name: METHODS[name] for name in unusual}


def classes(make: Maker, body: Body, options: dict[str, bool], more: Body) -> list[Any]:
    """A class, one that derives from it as a dataclass, and one that just does."""
    base = make(frozen=True, **options)(_written("Base", (), body))
    return [base, make(frozen=True)(_written("Heir", (base,), more)), type("Plain", (base,), {})]


def _written(name: str, bases: tuple[type, ...], body: Body) -> type:
    new = {
        own: field(**value) if own in NAMES and isinstance(value, dict) else value
        for own, value in body.items()
    }
    notes = dict(body["__annotations__"])
    return type(name, bases, new | {"__doc__": "Made.", "__annotations__": notes})


def outcome(action: Callable[[], object]) -> Any:
    """What it gives, or how it fails."""
    try:
        return action()
    except (TypeError, ValueError, AttributeError) as failure:  # of frozen values: the last
        return type(failure), str(failure)


def described(cls: Any) -> tuple[object, ...]:
    """What can be asked of a class."""
    return (
        [repr(each) for each in cls.__dataclass_fields__.values()],
        [each.name for each in dataclasses.fields(cls)],
        repr(cls.__dataclass_params__),
        cls.__match_args__,
        str(inspect.signature(cls)),
        {name: value for name, value in vars(cls).items() if name in NAMES},
    )


def behaviour(cls: Any, numbers: list[int]) -> list[object]:
    """What becomes of values that are made with no arguments, by place and by name."""
    takes = inspect.signature(cls).parameters
    by_name = dict(zip(takes, numbers, strict=False))
    by_place = [by_name[name] for name, each in takes.items() if each.kind == 1]
    calls = [
        cls,
        lambda: cls(*by_place),
        lambda: cls(**by_name),
        lambda: cls(*by_place, **by_name),
    ]
    made = map(outcome, calls)
    return [each if isinstance(each, tuple) else _of_value(each, cls) for each in made]


def _of_value(value: Any, cls: Any) -> list[object]:
    twin, other = copy.copy(value), copy.copy(value)
    object.__setattr__(twin, "beside", 1)
    object.__setattr__(other, "__class__", type("Other", (cls,), {}))
    return [
        sorted(vars(value).items()),
        outcome(lambda: cls.__repr__ is object.__repr__ or repr(value)),
        outcome(lambda: cls.__hash__ is object.__hash__ or hash(value)),
        outcome(lambda: [value == twin, value != twin, value == other, value.__eq__(3)]),
        outcome(lambda: sorted(vars(dataclasses.replace(value)).items())),
        [outcome(partial(setattr, value, name, 1)) for name in ("alpha", "beside")],
        [outcome(partial(delattr, value, name)) for name in ("alpha", "beside")],
    ]


@settings(max_examples=300)
@given(bodies(), OPTIONS, bodies(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_any_class_is_that_of_the_standard_library(
    body: Body, options: dict[str, bool], more: Body, numbers: list[int]
) -> None:
    ours, standard = (
        outcome(partial(classes, make, body, options, more)) for make in (OURS, STANDARD)
    )
    if isinstance(standard, tuple):  # it refuses, and we in the same words
        assert ours == standard
        return
    for one, other in zip(ours, standard, strict=True):
        assert described(one) == described(other)
        assert behaviour(one, numbers) == behaviour(other, numbers)


@dataclass(frozen=True)
class Point:
    """A place."""

    x: float
    y: "float" = 0.0
    seen: list[str] = field(default_factory=list, compare=False, repr=False)
    kinds: ClassVar[int] = 2

    @cached_property
    def square(self) -> float:
        """Of the distance."""
        return self.x**2 + self.y**2


@dataclass(frozen=True)
class Named(Point):
    """A place with a name."""

    _: KW_ONLY
    name: str = "here"
    parent: "Named | None" = None


def test_values_are_what_frozen_values_are() -> None:
    one = Named(1, name="there")
    assert repr(one) == "Named(x=1, y=0.0, name='there', parent=None)"
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
    assert hash(one) == hash((1, 0.0, "there", None))
    assert one != Point(1)
    assert one.seen is not Named(1).seen
    assert (one.square, vars(one)["square"]) == (1, 1)
    match one:
        case Named(x, y):
            assert (x, y) == (1, 0)
    assert dataclasses.asdict(Point(1, 2, ["a"])) == {"x": 1, "y": 2, "seen": ["a"]}
    assert dataclasses.astuple(Point(1, 2, ["a"])) == (1, 2, ["a"])


def test_values_are_equal_as_tuples_are() -> None:
    none = float("nan")
    alone = OURS(frozen=True)(_written("Alone", (), {"__annotations__": {"value": float}}))
    assert alone(none) == alone(none)
    assert alone(none) != alone(float("nan"))
    assert hash(alone(3)) == hash((3,))
    empty = OURS(frozen=True)(_written("Empty", (), {"__annotations__": {}}))
    assert (empty(), hash(empty()), repr(empty())) == (empty(), hash(()), "Empty()")


@pytest.mark.parametrize("make", [OURS, STANDARD])
def test_every_kind_of_field_in_one_class(make: Maker) -> None:
    body = {
        "__annotations__": dict.fromkeys(["alpha", "beta", "gamma", "delta", "made", "value"], int),
        "alpha": {"default": 1, "init": False},
        "beta": {"default_factory": list, "kw_only": True},
        "gamma": {"kw_only": True},
        "delta": {"default_factory": list, "init": False},
        "value": {"default_factory": list},
        "__post_init__": lambda self: self.value.append(self.gamma),
    }
    cls = make(frozen=True)(_written("Every", (), body))
    one = cls(7, gamma=3)
    assert list(vars(one).items()) == [
        ("beta", []), ("gamma", 3), ("delta", []), ("made", 7), ("value", [3]),
    ]  # fmt: skip
    assert (one.alpha, one.beta is cls(7, gamma=3).beta) == (1, False)
    assert cls(made=7, value=[0], beta="b", gamma=2).value == [0, 2]
    assert str(inspect.signature(cls)) == (
        "(made: int, value: int = <factory>, *, beta: int = <factory>, gamma: int) -> None"
    )
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        cls(gamma=3)


def test_a_value_in_itself_is_shown_once() -> None:
    around = Point(1, 2)
    object.__setattr__(around, "x", around)
    assert repr(around) == "Point(x=..., y=2)"


def test_help_knows_the_constructor() -> None:
    expected = "(x: float, y: 'float' = 0.0, seen: list[str] = <factory>) -> None"
    assert str(inspect.signature(Point)) == expected
    assert typing.get_type_hints(Named.__init__)["parent"] == Named | None
    assert Named.__init__.__qualname__ == "Named.__init__"
    assert Point.__eq__.__qualname__ == "Point.__eq__"
    assert Point.__init__.__module__ == __name__


def fresh(**options: Any) -> Any:
    notes = {"__annotations__": {"alpha": int}, "alpha": 3}
    return OURS(frozen=True, **options)(_written("Fresh", (), notes))


def test_nothing_is_compiled_before_it_is_needed() -> None:
    fresh()  # what its options mean is looked up once
    with mock.patch("dataclasses.exec", create=True) as compiled:
        cls = fresh()
    assert not compiled.called
    assert isinstance(vars(cls)["__init__"], Constructor)
    assert [cls(1).alpha, cls(2).alpha] == [1, 2]
    assert inspect.isfunction(vars(cls)["__init__"])


def test_constructors_alike_are_compiled_once() -> None:
    assert fresh()(4).alpha == 4
    with mock.patch("leastnoise._constructor.exec", create=True) as compiled:
        assert fresh()().alpha == 3
    assert not compiled.called


def test_a_constructor_is_compiled_once_whoever_asks() -> None:
    cls = fresh()
    waiting = vars(cls)["__init__"]
    heir = type("Heir", (cls,), {"__init__": lambda self: cls.__init__(self, 4)})
    assert heir().alpha == 4
    assert waiting.__get__(None, cls) is vars(cls)["__init__"] is cls.__init__


def test_a_constructor_that_was_replaced_stays_replaced() -> None:
    cls = fresh()
    with mock.patch.object(cls, "__init__", return_value=None):
        assert "alpha" not in vars(cls())
    waiting = vars(cls)["__init__"]
    cls.__init__ = lambda self: object.__setattr__(self, "alpha", 8)
    assert inspect.isfunction(waiting.__get__(None, cls))
    assert cls().alpha == 8


class Sized(Protocol):
    """What a value may promise."""

    def size(self) -> int:
        """How large it is."""
        ...


class Abstract(abc.ABC):
    """What a value has to say."""

    @abc.abstractmethod
    def __repr__(self) -> str: ...


def test_values_keep_what_their_bases_ask_for() -> None:
    @dataclass(frozen=True)
    class Box(Sized, Generic[T]):
        """Something."""

        content: T

        def size(self) -> int:
            return 1

    @dataclass(frozen=True)
    class Told(Abstract):
        """Shown by its fields: that is no longer abstract."""

        x: int

    assert Box[int](3).content == Box(3).size() + 2
    told: Any = Told
    assert repr(told(1)).endswith("Told(x=1)")


def test_what_is_rare_is_made_by_the_standard_library() -> None:
    for options in ({"order": True}, {"slots": True}, {"unsafe_hash": True}, {"frozen": False}):
        with mock.patch("dataclasses.exec", side_effect=exec, create=True) as compiled:
            made = OURS(**{"frozen": True} | options)(
                _written("Rare", (), {"__annotations__": {"alpha": int}})
            )
        assert compiled.called
        assert dataclasses.is_dataclass(made)
    assert OURS(_written("Bare", (), {"__annotations__": {"alpha": int}}))(2).alpha == 2


@pytest.mark.parametrize("kind", [InitVar[int], "InitVar[int]", InitVar, "dataclasses.InitVar"])
def test_what_is_not_kept_reaches_the_rules_of_heirs_too(kind: Any) -> None:
    body = {
        "__annotations__": {"alpha": int, "beta": kind},
        "__module__": __name__,
        "__post_init__": lambda self, beta: object.__setattr__(self, "sum", self.alpha + beta),
    }
    base = OURS(frozen=True)(_written("Base", (), body))
    heir = OURS(frozen=True)(_written("Heir", (base,), {"__annotations__": {"gamma": int}}))
    assert base(1, 2).sum == heir(1, 2, 3).sum == 3
    assert "beta" not in vars(heir(1, 2, 3))


def test_frozen_and_other_classes_do_not_mix() -> None:
    loose = STANDARD(_written("Loose", (), {"__annotations__": {"alpha": int}}))
    with pytest.raises(TypeError, match="cannot inherit frozen dataclass from a non-frozen one"):
        OURS(frozen=True)(_written("Heir", (loose,), {"__annotations__": {}}))
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        STANDARD(_written("Heir", (Point,), {"__annotations__": {}}))
    more = {"__annotations__": {"z": int}, "z": 3}
    assert STANDARD(frozen=True)(_written("Heir", (Point,), more))(1, 2, []).z == 3


def test_a_field_needs_an_annotation() -> None:
    for make in (OURS, STANDARD):
        with pytest.raises(TypeError, match="'alpha' is a field but has no type annotation"):
            make(frozen=True)(_written("Bad", (), {"__annotations__": {}, "alpha": {"default": 1}}))


def test_a_frozen_value_tells_which_field_it_is() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        Point(1).x = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'y'"):
        del Point(1).y


def test_every_module_takes_it_from_here() -> None:
    own = {"leastnoise._dataclass"}
    taken = [
        name
        for name, path in modules().items()
        if name not in own and "dataclasses.dataclass" in dotted_names(parsed(path))
    ]
    assert taken == []
