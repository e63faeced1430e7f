"""`Named`: a change written by hand."""

from dataclasses import dataclass

from tests.mutants.changes import Change, Span, changed, source_path


@dataclass(frozen=True)
class Named:
    """One mistake.

    Attributes:
        module: its dotted name.
        function: the outermost function or method that it is in.
        old: text that occurs once in the module.
        new: what it becomes.
        breaks: why nobody may make it.
    """

    module: str
    function: str
    old: str
    new: str
    breaks: str

    def change(self) -> Change:
        """The change of the module."""
        source = source_path(self.module).read_text()
        assert source.count(self.old) == 1, self
        start = source.index(self.old)
        span = Span(start, start + len(self.old), self.new)
        return changed(self.module, self.function, source, span)
