"""Mistakes in the trusted code, one at a time, that the tests must notice.

python -m tests.mutants                     all of them; writes docs/mutants.md; can be resumed
python -m tests.mutants --sample 50         some, the same for the same source: continuous integration
python -m tests.mutants release/gate.py     those of some modules; can be resumed

Tests of the module's package, and those that name the module, must notice: the nearest run first,
until one fails. A mistake that breaks nothing is listed with its reason in
tests/mutants_survivors.toml.
"""

import argparse
import ast
import hashlib
import json
import os
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from tests.mutations import Mutant, mutants
from tests.trials import PACKAGE, ROOT, collected, forked, timed, tried, warm

LISTED, PAGE = ROOT / "tests/mutants_survivors.toml", ROOT / "docs/mutants.md"
MEMORY = Path(tempfile.gettempdir(), f"mutants-{os.getuid()}-{ROOT.stat().st_ino}")
Seconds = dict[str, dict[str, float]]
"""Of each file of tests, how long each of its tests takes."""
Verdicts = dict[tuple[str, str, str], str | None]
"""Of each mistake, by name: the test that noticed it, or None."""


class Project:
    """A copy of the project that nobody changes while it is examined."""

    def __init__(self, path: Path) -> None:
        self.path = path
        unwanted = shutil.ignore_patterns(".*", "__pycache__", "dist", "build")
        shutil.copytree(ROOT, path, ignore=unwanted)
        sources = {str(each.relative_to(path)): each.read_text() for each in path.rglob("*.py")}
        self.texts = dict(sorted(sources.items()))
        tests = [f for f in self.texts if f.startswith("tests/") and "/test_" in f]
        doctests = [f for f in self.texts if f.startswith("src/") and ">>> " in self.texts[f]]
        # The tests of the house read sources and would notice a long line.
        self.files = [f for f in tests + doctests if not f.startswith("tests/house/")]

    def mutants(self) -> Iterator[Mutant]:
        """Those of every module whose docstring ends with the line `Trusted.`."""
        for file, text in self.texts.items():
            if file.startswith(PACKAGE):
                words = ast.get_docstring(ast.parse(text)) or ""
                if words.rstrip().splitlines()[-1:] == ["Trusted."]:
                    yield from mutants(file.removeprefix(f"{PACKAGE}/"), text)

    def stages(self, mutant: Mutant, seconds: Seconds) -> list[list[str]]:
        """The files of tests that must notice, the nearest first."""
        module = Path(mutant.module)
        dotted = ".".join(["leastnoise", *module.with_suffix("").parts])
        own, near = list[str](), list[str]()
        for file in sorted(self.files, key=lambda f: sum(seconds.get(f, {}).values())):
            path = Path(file)
            if path.parts[1] == module.parts[0] or dotted in self.texts[file]:
                is_own = path.stem in (f"test_{module.stem}", module.stem)
                (own if is_own else near).append(file)
        return [each for each in (own, near) if each]


@cache
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> int:
    """1 if a mistake survives that is not listed."""
    options = argparse.ArgumentParser(prog="python -m tests.mutants")
    options.add_argument("modules", nargs="*", help="such as release/gate.py; all if none is named")
    options.add_argument("--sample", type=int, metavar="N", help="only N, chosen by their hashes")
    asked = options.parse_args()
    warm()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        return _run(asked.modules, asked.sample, Path(folder))


def _run(modules: list[str], sample: int | None, folder: Path) -> int:
    project = Project(folder / "kept")
    slots = [folder / "0", folder / "1"]
    for slot in slots:
        shutil.copytree(project.path, slot)
    for _, status, slot in forked([(0, partial(collected, project.files))] * 2, slots):
        if status:
            sys.exit((slot / "log").read_text() + "The tests cannot be collected as they are.")
    reasons = {(e["module"], e["line"], e["mutation"]): e["reason"] for e in _listed()}
    every = {mutant.name: mutant for mutant in project.mutants()}
    for name in reasons.keys() - every:
        print("Listed, and matches nothing:", *name, sep="\n    ")
    chosen = [each for each in every.values() if not modules or each.module in modules]
    whole = not modules and sample is None
    verdicts: Verdicts = {}
    if sample is not None:
        rest = [each for each in chosen if each.name not in reasons]
        chosen = sorted(rest, key=lambda each: _digest(repr(each.name)))[:sample]
    else:
        verdicts = _remembered(project, chosen)
    seconds = _seconds(project, slots, look=whole)
    known = {test: cost for each in seconds.values() for test, cost in each.items()}
    todo = [each for each in chosen if each.name not in verdicts]
    tasks = ((m, partial(tried, m, project.stages(m, seconds), known)) for m in todo)
    for mutant, status, slot in forked(tasks, slots):
        path = f"{PACKAGE}/{mutant.module}"
        shutil.copy2(project.path / path, slot / path)
        verdicts[mutant.name] = (slot / "now").read_text() if status else None
        _remember(project, mutant, verdicts[mutant.name])
        if not status and mutant.name not in reasons:
            print(_entry(mutant), flush=True)
    survived = {name for name, test in verdicts.items() if test is None}
    for name in (reasons.keys() & verdicts.keys()) - survived:
        print("Listed, but a test notices it:", *name, verdicts[name], sep="\n    ")
    print(f"{len(verdicts)} mistakes, {len(verdicts) - len(survived)} noticed by the tests, "
          f"{len(survived & reasons.keys())} listed.")  # fmt: skip
    if whole:
        PAGE.write_text(_page(verdicts, survived, reasons))
    return int(bool(survived - reasons.keys()))


def _listed() -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads(LISTED.read_text()).get("survivor", [])
    return found


def _entry(mutant: Mutant) -> str:
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in
             zip(("module", "line", "mutation", "reason"), (*mutant.name, ""), strict=True))  # fmt: skip
    return f"# survived: line {mutant.number} of {mutant.module}\n[[survivor]]\n" + "\n".join(lines)


def _seconds(project: Project, slots: list[Path], *, look: bool) -> Seconds:
    """How long tests take that pass without a mistake; looked at by whole runs, once for each file."""
    path = MEMORY / "seconds.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    if look:
        MEMORY.mkdir(mode=0o700, exist_ok=True)
        new = [f for f in project.files if known.get(f, [""])[0] != _digest(project.texts[f])]
        for file, _, slot in forked([(file, partial(timed, file)) for file in new], slots):
            known[file] = [_digest(project.texts[file]), json.loads((slot / "told").read_text())]
        path.write_text(json.dumps(known))
    return {file: seconds for file, (_, seconds) in known.items()}


def _evidence(project: Project, mutant: Mutant, test: str | None) -> str:
    """What a verdict rests on: the module, and the tests that noticed, or that should have."""
    nearest = [f for stage in project.stages(mutant, {}) for f in stage]
    files = nearest if test is None else [test.split("::")[0]]
    texts = [project.texts.get(f, "") for f in (f"{PACKAGE}/{mutant.module}", *files)]
    return _digest("".join(texts))


def _remember(project: Project, mutant: Mutant, test: str | None) -> None:
    MEMORY.mkdir(mode=0o700, exist_ok=True)
    with (MEMORY / "verdicts").open("a") as file:
        line = [mutant.name, test, _evidence(project, mutant, test)]
        file.write(json.dumps(line) + "\n")


def _remembered(project: Project, chosen: list[Mutant]) -> Verdicts:
    path = MEMORY / "verdicts"
    lines = path.read_text().splitlines() if path.exists() else []
    told = {tuple(name): (test, on) for name, test, on in map(json.loads, lines)}
    return {each.name: told[each.name][0] for each in chosen if each.name in told
            and told[each.name][1] == _evidence(project, each, told[each.name][0])}  # fmt: skip


def _page(verdicts: Verdicts, survived: set[Any], reasons: dict[Any, str]) -> str:
    of, left = Counter(name[0] for name in verdicts), Counter(name[0] for name in survived)
    listed = Counter(name[0] for name in survived & reasons.keys())
    lines = [
        "# Mistakes that the tests notice", "",
        "`make mutants` makes one mistake at a time in the modules that must be right for the promise,",
        "and runs the tests of its package, and those that name the module, until one fails. What breaks",
        "nothing is listed in `tests/mutants_survivors.toml`, with the reason.", "",
        f"Of {len(verdicts):,} mistakes the tests noticed {len(verdicts) - len(survived):,}; "
        f"{sum(listed.values())} are listed, {len(survived) - sum(listed.values())} are open.", "",
        "| module | mistakes | noticed | listed | open |", "|---|---|---|---|---|",
        *(f"| {m} | {of[m]} | {of[m] - left[m]} | {listed[m]} | {left[m] - listed[m]} |"
          for m in sorted(of)),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
