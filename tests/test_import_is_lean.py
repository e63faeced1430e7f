"""`import leastnoise` loads only what drawing noise needs."""

import subprocess
import sys
from subprocess import PIPE, STDOUT

HEAVY = (
    "altair", "duckdb", "matplotlib", "mpmath", "opendp", "pandas", "polars", "pyarrow", "pyspark",
    "scipy", "sqlglot", "starlette", "typer", "vl_convert", "xlsxwriter",
)  # fmt: skip


def output(*arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, *arguments], stdout=PIPE, stderr=STDOUT, check=True, text=True
    )
    return run.stdout


def test_import_loads_nothing_heavy() -> None:
    program = "import sys, leastnoise; print(*{name.partition('.')[0] for name in sys.modules})"
    assert set(output("-c", program).split()) & set(HEAVY) == set()


def test_import_warns_of_nothing() -> None:
    assert output("-W", "error", "-c", "import leastnoise") == ""
