"""What messages write as Python, as it is typed on the command line or in a TOML file."""

import re
from collections.abc import Callable

_OPTIONS = (
    "groups|min_units|max_contributions|max_per_group|noise|epsilon|rho|delta|data_version|analyst"
    "|expected_rows|margin"
)
_GROUPS = re.compile(r'groups=\{"([^"]+)": \[([^\]]*)\]\}')
_COLUMNS = re.compile(r'(?:ln\.read\(\.\.\., )?columns=\{"([^"]+)": "(\w+)"\}\)?')
_DELIMITER = re.compile(r'csv=\{"delimiter": ("[^"]+")\}')
_DETAILS = re.compile(r"(Details:\s)\.mechanisms")
_BARE = re.compile(r"\b(epsilon|rho)=(?= )")
_VERSION = re.compile(r'ln\.read\(\.\.\., data_version="([^"]+)"\)')
_ENTRY = re.compile(r"ledger\.entries\[(\d+)\]\.result")
_UNIT = re.compile(r'privacy_unit=\{"([^"]+)": (?:"([^"]+)"|\.\.\.)\}')
_LEDGER = re.compile(r'Open it:\s+ln\.Ledger\("([^"]+)"\)')
_FIRST = re.compile(rf"^({_OPTIONS})(?= (?:is|goes|needs) )")
_OPTION = re.compile(rf'\b({_OPTIONS})=(?:"([^"]+)"|([\w.+-]*\w))')


def as_options(message: str) -> str:
    """A message with Python's arguments as options; in a message about a file, as its fields.

    >>> as_options('groups="auto", again=True')
    '--groups auto, --again'
    """
    in_file = ".toml, line " in message.partition("\n")[0]
    rules: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
        (_COLUMNS, lambda found: f'in the .toml:  columns.{found[1]} = "{found[2]}"'),
        (_DELIMITER, lambda found: f"in the .toml, csv = {{delimiter = {found[1]}}}"),
        (_BARE, lambda found: f"--{found[1]}"),
        (_VERSION, lambda found: f"--data-version {found[1]}"),
        (_ENTRY, lambda found: f"leastnoise ledger show FILE --release {found[1]}"),
        (_UNIT, lambda found: f"--privacy-unit {found[1]}={found[2] or 'COLUMN'}"),
        (_LEDGER, lambda found: f"Show it:  leastnoise ledger show {found[1]}"),
        (_FIRST, lambda found: f"--{found[1].replace('_', '-')}"),
        (_GROUPS, _fields if in_file else _groups),
        (_OPTION, _field if in_file else _option),
    ]
    for pattern, spelled in rules:
        message = pattern.sub(spelled, message)
    return _DETAILS.sub(r"\1--json", message.replace("again=True", "--again"))


def _groups(found: re.Match[str]) -> str:
    listed = found[2].replace('"', "").replace(", ", ",")
    return f"--groups {found[1]}={listed}"


def _fields(found: re.Match[str]) -> str:
    return f"groups = {{{found[1]} = [{found[2]}]}}"


def _option(found: re.Match[str]) -> str:
    return f"--{found[1].replace('_', '-')} {found[2] or found[3]}"


def _field(found: re.Match[str]) -> str:
    value = found[3] if found[2] is None else f'"{found[2]}"'
    return f"{found[1]} = {value}"
