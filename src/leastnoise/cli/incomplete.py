"""What must never be mistaken for a refusal: budget is gone, and something is not there for it."""


class Incomplete(Exception):
    """Charged, and something is missing; the message says what, and what there is.

    Attributes:
        answered: whether standard output has the answers.
    """

    def __init__(self, message: str, *, answered: bool) -> None:
        super().__init__(message)
        self.answered = answered
