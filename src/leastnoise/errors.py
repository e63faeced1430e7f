"""Everything this library raises on purpose.

LeastNoiseError
├── InvalidParameter (also a ValueError)      an argument breaks a rule
├── UnsupportedQuery (also a ValueError)      a fair question this law cannot answer
└── Undecided (also an ArithmeticError)       a comparison no affordable precision settled

Messages read rule, finding, remedy. They show parameters, which are public, and never data.
"""


class LeastNoiseError(Exception):
    """The root of the tree: catch this to catch everything the library raises on purpose."""


class InvalidParameter(LeastNoiseError, ValueError):
    """An argument breaks a rule; nothing was computed, drawn or spent."""


class UnsupportedQuery(LeastNoiseError, ValueError):
    """A well-formed question that this object has no sound way to answer."""


class Undecided(LeastNoiseError, ArithmeticError):
    """Two numbers stayed indistinguishable at the highest precision tried."""
