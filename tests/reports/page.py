"""A strict reading of an HTML page: every tag closed, in order; what it holds by tag."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "col"}


@dataclass
class Node:
    """An element, its attributes, and everything inside."""

    name: str
    attributes: dict[str, str | None]
    children: list["Node | str"] = field(default_factory=list)

    def all(self, name: str) -> Iterator["Node"]:
        """Every element of a name inside."""
        for child in self.children:
            if isinstance(child, Node):
                if child.name == name:
                    yield child
                yield from child.all(name)

    def every(self) -> Iterator["Node"]:
        """Every element inside."""
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.every()

    @property
    def text(self) -> str:
        """All text inside."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Node("document", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"attributes given twice in {tag}"
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert self.open[-1].name in {"svg"}, f"{tag} closes itself outside of a drawing"
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"{tag} closes {self.open[-1].name}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read(html: str) -> Node:
    """The page; it must be well-formed."""
    assert html.startswith("<!DOCTYPE html>\n")
    reader = _Reader()
    reader.feed(html)
    reader.close()
    (document,) = reader.open
    return document
