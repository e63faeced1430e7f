"""What is no part of the language, and what to write instead."""

_TABLES = "tables are those of the dataset, as they are"
_WINDOW = (
    "window functions cannot be answered: other people's rows decide a rank",
    "GROUP BY the unit in a subquery, or ask for PERCENTILE_CONT.",
)
_MARGINALS = (
    "groups are made by one list of columns",
    "Write one statement for each list, or ask for marginals in a plan.",
)
_APART = ("results of queries are not combined", "Write one statement for each.")
_SAMPLE = ("all rows are read, and noise is added once", "Leave it out.")
_NOW = ("a statement must mean the same whenever it is asked", "Write the date: DATE '2026-01-31'.")
_PARAMETER = ("a statement must have no parameters", "Write the value.")
_CAST = (
    "types are those of the dataset: casts of data can fail, and a failure tells",
    "Declare the type in the dataset; a date is written DATE '2026-01-31'.",
)
_TEXTS = ("texts are compared, cut and measured, not made", "Use the columns as they are.")
_NESTED = ("values are numbers, texts, truth values and dates", "Take a column of such a type.")
_ONLY = ("only SELECT is answered", "Write SELECT … FROM …")

UNKNOWN = ("a statement must be made of known parts", "See the page SQL for what there is.")
"""Of everything that is named nowhere."""

KINDS: dict[str, tuple[str, str]] = {
    "Window": _WINDOW,
    "Rollup": _MARGINALS,
    "Cube": _MARGINALS,
    "GroupingSets": _MARGINALS,
    "Union": _APART,
    "Intersect": _APART,
    "Except": _APART,
    "Lateral": (_TABLES, "Write a JOIN."),
    "Unnest": (_TABLES, "Name a table."),
    "Values": (_TABLES, "Describe the list as a public table, or use IN."),
    "TableSample": _SAMPLE,
    "Pivot": (_TABLES, "Use GROUP BY."),
    "CurrentDate": _NOW,
    "CurrentTime": _NOW,
    "CurrentTimestamp": _NOW,
    "CurrentUser": _NOW,
    "CurrentRole": _NOW,
    "Placeholder": _PARAMETER,
    "Parameter": _PARAMETER,
    "SessionParameter": _PARAMETER,
    "Cast": _CAST,
    "TryCast": _CAST,
    "SafeCast": _CAST,
    "DPipe": _TEXTS,
    "ILike": (
        "letters beyond ASCII are lowered differently by engines",
        "Write lower(x) LIKE 'abc%', which lowers A to Z.",
    ),
    "RegexpLike": ("engines disagree on regular expressions", "Use LIKE."),
    "SimilarTo": ("engines disagree on regular expressions", "Use LIKE."),
    "Glob": ("engines disagree on patterns", "Use LIKE."),
    "Interval": ("dates are compared with dates", "Write the date: DATE '2026-01-31'."),
    "NullSafeEQ": ("NULL is tested by IS NULL", "Write x = y, or x IS NULL."),
    "NullSafeNEQ": ("NULL is tested by IS NULL", "Write x <> y, or x IS NOT NULL."),
    "Is": ("IS is followed by NULL, TRUE or FALSE", "Write x IS NULL."),
    "Array": _NESTED,
    "Struct": _NESTED,
    "Bracket": _NESTED,
    "Dot": _NESTED,
    "JSONExtract": _NESTED,
    "All": ("a value is compared with a value", "Use EXISTS."),
    "Any": ("a value is compared with a value", "Use IN or EXISTS."),
    "BitwiseAnd": ("numbers are computed by + - * /", "Use these."),
    "BitwiseOr": ("numbers are computed by + - * /", "Use these."),
    "BitwiseXor": ("numbers are computed by + - * /", "Use these."),
    "BitwiseNot": ("numbers are computed by + - * /", "Use these."),
    "IntDiv": ("numbers are computed by + - * /", "Write floor(x / y)."),
    "Pow": ("numbers are computed by + - * /", "Write x * x."),
    "HexString": ("numbers are written in digits", "Write 16, not 0x10."),
    "BitString": ("numbers are written in digits", "Write 5, not b'101'."),
    "ByteString": _NESTED,
    "RawString": ("texts stand in single quotes", "Write 'Oslo'."),
    "National": ("texts stand in single quotes", "Write 'Oslo'."),
    "Distinct": ("DISTINCT stands behind COUNT(", "Write COUNT(DISTINCT x)."),
    "Order": (
        "a row's place among others tells of them: an aggregate has no ORDER BY",
        "Leave it out.",
    ),
    "Limit": (
        "a row's place among others tells of them: an aggregate has no LIMIT",
        "Leave it out.",
    ),
    "IgnoreNulls": ("missing values never count", "Leave it out."),
    "RespectNulls": ("missing values never count", "Leave it out."),
    "Kwarg": ("named arguments stand behind the others of an aggregate", "See the page SQL."),
    "Alias": ("an expression inside another has no name", "Leave out the name."),
    "Lambda": UNKNOWN,
    "Command": _ONLY,
    "Insert": _ONLY,
    "Update": _ONLY,
    "Delete": _ONLY,
    "Create": _ONLY,
    "Drop": _ONLY,
}

ARGUMENTS: dict[str, tuple[str, str]] = {
    "sample": _SAMPLE,
    "qualify": _WINDOW,
    "windows": _WINDOW,
    "into": _ONLY,
    "locks": ("nothing is locked: data are only read", "Leave it out."),
    "hint": ("there are no hints", "Leave it out."),
    "laterals": (_TABLES, "Write a JOIN."),
    "pivots": (_TABLES, "Use GROUP BY."),
    "connect": (_TABLES, "Write a JOIN."),
    "match": (_TABLES, "Write a JOIN."),
    "except_": ("rows are not shown", "Use an aggregate, such as COUNT(*)."),
    "replace": ("rows are not shown", "Use an aggregate, such as COUNT(*)."),
    "rename": ("rows are not shown", "Use an aggregate, such as COUNT(*)."),
    "kind": ("a result is a table of numbers", "Leave it out."),
    "rollup": _MARGINALS,
    "cube": _MARGINALS,
    "grouping_sets": _MARGINALS,
    "totals": _MARGINALS,
    "all": ("groups are named one by one", "Write GROUP BY 1, 2."),
    "on": ("DISTINCT ON takes one row of many, by the place of others", "Use GROUP BY."),
    "recursive": ("a query must not call itself", "Write a JOIN for each step."),
    "limit_options": ("LIMIT is followed by a whole number", "Write LIMIT 10."),
    "with_fill": ("ORDER BY is followed by columns", "Leave the rest out."),
    "unnest": (_TABLES, "Name a table."),
    "field": (_TABLES, "Name a table."),
    "method": ("joins are JOIN, LEFT JOIN and such", "Write JOIN … ON …"),
    "global_": ("joins are JOIN, LEFT JOIN and such", "Write JOIN … ON …"),
    "match_condition": ("joins are JOIN, LEFT JOIN and such", "Write JOIN … ON …"),
    "version": (_TABLES, "Leave it out."),
    "when": (_TABLES, "Leave it out."),
    "db": ("a table is one name", "Leave out what stands before it."),
    "catalog": ("a table is one name", "Leave out what stands before it."),
    "zone": ("a moment is read in the zone of the dataset", "Leave out the zone."),
    "format": _CAST,
}
