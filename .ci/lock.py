"""Writes .ci/requirements.txt: what continuous integration installs, each file by its hash.

Usage: python .ci/lock.py > .ci/requirements.txt, with the Python and on the platform that will
install it: a hash belongs to one file. Whatever pip resolves now is pinned; no registry is named.
"""

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def resolved() -> list[dict[str, object]]:
    """What pip would install into an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"]
        command += ["--ignore-installed", "--report", str(report), f"{ROOT}[test,lint]"]
        subprocess.run(command, check=True)
        found: list[dict[str, object]] = json.loads(report.read_text("utf-8"))["install"]
        return found


def line(package: dict[str, object]) -> str:
    """A pinned requirement with its hash."""
    about, download = package["metadata"], package["download_info"]
    digest = download["archive_info"]["hashes"]["sha256"]  # type: ignore[index]
    return f"{about['name'].lower()}=={about['version']} --hash=sha256:{digest}"  # type: ignore[index]


def main() -> None:
    """Print the lock."""
    where = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    print(f"# Made by .ci/lock.py for {where}.")
    ours = [each for each in resolved() if each["metadata"]["name"] != "leastnoise"]  # type: ignore[index]
    print("\n".join(sorted(map(line, ours))))


if __name__ == "__main__":
    main()
