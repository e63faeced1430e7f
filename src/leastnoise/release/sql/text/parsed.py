"""The two ways in: a statement, and a condition."""

from leastnoise._dataclass import dataclass
from leastnoise.release.sql.text.clause import Clause, cut_clause
from leastnoise.release.sql.text.fence import apart, tokens_of, tree_of
from leastnoise.release.sql.text.place import Places, refused
from leastnoise.release.sql.text.to_query import query_of
from leastnoise.release.sql.text.to_tree import ToTree
from leastnoise.release.sql.text.tree import Expression, Query

_BEGINNINGS = {"SELECT", "WITH", "L_PAREN"}


@dataclass(frozen=True)
class Statement:
    """A query, and the clause of BigQuery if there was one."""

    query: Query
    clause: Clause | None


def statement_of(text: str) -> Statement:
    """A statement as a tree.

    Raises:
        InvalidParameter: it cannot be read, or says what is no part of the language; the message
            begins with the line and the column.
    """
    tokens = tokens_of(text)
    places = Places(text)
    if tokens[0].token_type.name not in _BEGINNINGS:
        raise refused(
            places.of(tokens[0].start),
            "only SELECT is answered",
            f"{tokens[0].text[:40]!r}",
            "Write SELECT … FROM …",
        )
    rest, clause = cut_clause(tokens, places)
    node = tree_of(rest, text, condition=False)
    query = apart(lambda: query_of(ToTree(text, query_of), node))
    return Statement(query, clause)


def expression_of(text: str) -> Expression:
    """One condition or expression as a tree.

    Raises:
        InvalidParameter: it cannot be read, or is more than that.
    """
    node = tree_of(tokens_of(text), text, condition=True)
    return apart(lambda: ToTree(text, query_of).expression(node))
