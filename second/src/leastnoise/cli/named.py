"""What arguments stand for: a TOML file, a table, a ledger, groups."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from leastnoise.cli.output import bad_input
from leastnoise.files.load import DataFile, is_toml
from leastnoise.ledger.ledger import ROW, Ledger
from leastnoise.numbers.errors import did_you_mean
from leastnoise.numbers.exact import exact
from leastnoise.release.data import Data
from leastnoise.release.read import read


def toml_file(path: str) -> DataFile:
    """The TOML file of that name."""
    _refuse_folder(path)
    if not is_toml(path):
        raise bad_input(
            f"{path} is no .toml file.\n"
            f"  leastnoise init {Path(path).stem}.toml {path}   describes it in a file\n"
            f'  leastnoise sql {path} "SELECT ..."   asks it alone'
        )
    return DataFile.open(path)


def table_of(path: str, unit: str | None, data_version: str | None) -> Data:
    """The data of one table that no file describes."""
    _refuse_folder(path)
    if unit is None:
        raise bad_input(
            "Who is protected? Name the column that tells people apart:\n"
            "  --privacy-unit patient=patient_id\n"
            f"or, if every row is somebody else:  --privacy-unit {ROW}"
        )
    return read(path, privacy_unit=unit_of(unit), data_version=data_version)


def _refuse_folder(path: str) -> None:
    if Path(path).is_dir():
        raise bad_input(f"{path} is a folder. Name a file in it.")


def amounts_of(
    epsilon: str | None,
    rho: str | None,
    own: tuple[Fraction | None, Fraction | None] = (None, None),
) -> tuple[Fraction | None, Fraction | None]:
    """Epsilon and rho as typed, else those of a file."""
    if epsilon is None and rho is None:
        if own == (None, None):
            raise bad_input("How much of the ledger may this cost?  --epsilon 0.1")
        return own
    return (
        None if epsilon is None else exact(epsilon, "--epsilon"),
        None if rho is None else exact(rho, "--rho"),
    )


def ledger_path(file: DataFile | None, typed: str | None, source: str = "") -> Path:
    """The file of the ledger: as typed, else as the TOML file names it."""
    if typed is not None:
        return Path(typed)
    if file is None:
        raise bad_input(
            f"Which budget is this charged to? Name its file:  --ledger {Path(source).stem}.ledger"
        )
    return file.ledger_path


def open_ledger(path: Path, source: str | None, unit: str | None = None) -> Ledger:
    """The ledger in a file; refused with the command that makes it if it is not there.

    Args:
        path: the file.
        source: the TOML file that names it, if there is one.
        unit: the privacy unit, if it is known.
    """
    if path.is_dir():
        raise bad_input(f"{path} is a folder. A ledger is a file.")
    if not path.exists():
        known = [each.name for each in path.absolute().parent.glob("*.ledger")]
        hint = did_you_mean(path.name, known)
        named = source or f"{path} --privacy-unit {unit or 'patient'}"
        raise bad_input(
            f"There is no ledger {path}.{hint} If there was one, restore it: a new one would forget "
            f"what was spent.\nTo make one, with the budget for everything that will ever be "
            f"released:\n  leastnoise ledger create {named} --epsilon 3 --delta 1e-7"
        )
    return Ledger(path)


def ledger_of(path: str) -> tuple[Path, str | None, str | None]:
    """Of a .toml or a .ledger the ledger's file, the TOML file, and the privacy unit if known."""
    if is_toml(path):
        file = DataFile.open(path)
        return file.ledger_path, path, file.unit
    ending = Path(path).suffix.lower()
    if ending in (".csv", ".gz", ".parquet", ".pq", ".tsv"):
        raise bad_input(f"{path} holds data. Name the ledger or the .toml file.")
    return Path(path), None, None


def unit_of(text: str) -> Any:
    """`patient=patient_id` as `{"patient": "patient_id"}`."""
    name, equals, column = text.partition("=")
    if equals and not (name.strip() and column.strip()):
        raise bad_input(f'--privacy-unit is "{text}". Write --privacy-unit patient=patient_id.')
    return {name.strip(): column.strip()} if equals else text


def groups_of(texts: list[str]) -> Any:
    """`carrier=AA,B6` as `{"carrier": ["AA", "B6"]}`; "auto" stays."""
    import csv

    if not texts:
        return None
    if texts == ["auto"]:
        return "auto"
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, listed = text.partition("=")
        if not equals or not name.strip() or not listed:
            raise bad_input(
                f'--groups is "{text}". Write --groups carrier=AA,B6,DL, once for each column, or '
                "--groups auto."
            )
        fields = csv.reader([listed], skipinitialspace=True)  # one with a comma stands in quotes
        found.setdefault(name.strip(), []).extend(next(fields))
    return found
