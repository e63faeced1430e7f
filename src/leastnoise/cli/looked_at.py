"""The columns of data that a file is drafted for."""

from leastnoise._check import refuse
from leastnoise.release.ask.schema import Schema
from leastnoise.release.read import holds_text, read

_OTHER = (";", "\t", "|")


def looked_at(data: str, table: str | None, delimiter: str | None) -> Schema:
    """Names and types of columns, never values.

    Raises:
        InvalidParameter: by its header a text file has other delimiters than the usual one.
    """
    schema = read(data, unit=None, table=table, delimiter=delimiter).schema
    if delimiter is not None or len(schema.names) > 1 or not holds_text(data):
        return schema
    for mark in _OTHER:
        if mark in schema.names[0]:
            shown = "$'\\t'" if mark == "\t" else f"'{mark}'"
            raise refuse(
                "a text file has commas between its columns unless another delimiter is said",
                f"one column named {schema.names[0]!r} in {data}",
                f"Write --delimiter {shown}; or --delimiter , if it is truly one column.",
            )
    return schema
