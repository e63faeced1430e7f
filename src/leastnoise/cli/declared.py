"""What a command declares of itself; the parser is told when there is something to parse.

To load the parser takes a tenth of the time of a short command, and most are called with a plan's
name and nothing else.
"""


class Argument:
    """A word that a command takes by its place."""

    def __init__(self, *, help: str, show_default: bool = True) -> None:
        """What it is, and whether `--help` tells what it is if it is left out."""
        self.help, self.show_default = help, show_default


class Option:
    """A word that follows a name with dashes, or the name alone if it is a truth value."""

    def __init__(
        self, *names: str, help: str, min: int | None = None, max: int | None = None
    ) -> None:
        """What it is; how it is called, if not as its parameter; the ends of a number."""
        self.names, self.help, self.min, self.max = names, help, min, max


class Ended(Exception):
    """A command is done, with a status that may be another than 0."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status
