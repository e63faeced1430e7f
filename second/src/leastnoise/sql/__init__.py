"""SQL text to expressions and relations. The parser, sqlglot, is loaded with the first text."""

from typing import TYPE_CHECKING, Any

from leastnoise.numbers.errors import InvalidInput

if TYPE_CHECKING:
    from leastnoise.tables.expressions import Expression
    from leastnoise.tables.schema import Schema


def expression_of(text: str, schema: "Schema", what: str) -> "Expression":
    """The row expression that a text stands for.

    Args:
        text: the expression in SQL.
        schema: the columns that it may name.
        what: what the text is called in messages.
    """
    from leastnoise.sql.parse import Text, parse
    from leastnoise.sql.to_expression import to_expression
    from leastnoise.tables.expressions import Column

    def resolve(node: Any) -> Column:
        return Column(node.name, schema[node.name].type)

    try:
        return to_expression(parse(text, what), Text(text), resolve)
    except RecursionError:
        raise InvalidInput(f"{what} is nested too deep. Add a column with a part of it.") from None
