"""Functions that choose among values of one type: what they take and give."""

from leastnoise.release.ask.signature import Parameter, Signature, Wants

_X, _Y = Parameter("x", Wants.ALIKE), Parameter("y", Wants.ALIKE)

CHOICE_FUNCTIONS = (
    Signature("coalesce", "the first that has a value", (_X, _Y), None, repeats=True),
    Signature("nullif", "x, but nothing where it equals y", (_X, _Y), None),
)
