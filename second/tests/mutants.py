"""Mistakes in the trusted code, one at a time, that the tests must notice.

python -m tests.mutants                     all of them; writes docs/mutants.md; can be resumed
python -m tests.mutants --sample 50         some, the same for the same source: continuous integration
python -m tests.mutants release/gate.py     those of some modules; can be resumed

Tests of the module's package must notice: those of the module run first, until one fails. A run
that can be resumed looks first at which functions each test calls, and then only runs those that
call the mistaken one. A mistake that breaks nothing is listed with its reason in
tests/mutants_survivors.toml, and is not tried again.
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
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path

from tests.mutations import Mutant, mutants
from tests.trials import PACKAGE, ROOT, collected, forked, timed, tried, warm

LISTED, PAGE = ROOT / "tests/mutants_survivors.toml", ROOT / "docs/mutants.md"
MEMORY = Path(tempfile.gettempdir(), f"mutants-{os.getuid()}-{ROOT.stat().st_ino}")
SLOW = 1
"""Seconds after which a test is not asked, unless nothing is known of how long tests take."""
Known = dict[str, tuple[float, frozenset[str]]]
"""Of each test: how long it takes, and which functions it calls."""
Name = tuple[str, str, str]
Verdicts = dict[Name, str | None]
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

    def test(self, name: str) -> str:
        """The text of a test; of other tests that of their file."""
        file, _, function = name.partition("::")
        text = self.texts.get(file, "")
        found = (ast.unparse(each) for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)
                 and each.name == function.partition("[")[0])  # fmt: skip
        return next(found, text)

    def near(self, mutant: Mutant) -> list[list[str]]:
        """The files of tests that must notice: the module's own, then its package's.

        `numbers` is there for all others, so tests that name one of its modules count as its own.
        """
        module = Path(mutant.module)
        dotted = ".".join(["leastnoise", *module.with_suffix("").parts])
        stages: list[list[str]] = [[], []]
        for path in map(Path, self.files):
            if path.parts[1] == module.parts[0]:
                stages[path.stem != f"test_{module.stem}"].append(str(path))
            elif module.parts[0] == "numbers" and dotted in self.texts[str(path)]:
                stages[1].append(str(path))
        return stages

    def trial(self, mutant: Mutant, known: Known, verdicts: Verdicts) -> Callable[[Path], int]:
        """What a child does: first tests that noticed others of the module, then the quickest files."""
        stages = self.near(mutant)
        if not known:
            return partial(tried, mutant, [each for each in stages if each], {})
        costs = {test: seconds for test, (seconds, reached) in known.items()
                 if seconds < SLOW and (not mutant.function or mutant.place in reached)}  # fmt: skip
        files = defaultdict[str, float](float)
        for test, seconds in costs.items():
            files[test.partition("::")[0]] += seconds
        alike = Counter(test for name, test in verdicts.items() if name[0] == mutant.module)
        noticed = [test for test in costs if alike[test]]
        first = sorted(noticed, key=lambda test: costs[test] / alike[test])[:5]
        useful = (sorted(files.keys() & stage, key=files.__getitem__) for stage in stages)
        return partial(tried, mutant, [each for each in (first, *useful) if each], costs)


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
    listed = [each.name for each in chosen if each.name in reasons]
    rest = [each for each in chosen if each.name not in reasons]
    if sample is not None:
        rest = sorted(rest, key=lambda each: _digest(repr(each.name)))[:sample]
    verdicts = _remembered(project, rest) if sample is None else {}
    known = _known(project, slots, every.values()) if sample is None else {}
    todo = [each for each in rest if each.name not in verdicts]
    tasks = ((each, project.trial(each, known, verdicts)) for each in todo)
    for mutant, status, slot in forked(tasks, slots):
        path = f"{PACKAGE}/{mutant.module}"
        shutil.copy2(project.path / path, slot / path)
        verdicts[mutant.name] = (slot / "now").read_text() if status else None
        _remember(project, mutant, verdicts[mutant.name])
        if not status:
            print(_entry(mutant), flush=True)
    survived = [name for name, test in verdicts.items() if test is None]
    print(f"{len(verdicts) - len(survived)} mistakes noticed by the tests, "
          f"{len(survived)} not, {len(listed)} listed.")  # fmt: skip
    if whole:
        PAGE.write_text(_page(verdicts, listed))
    return int(bool(survived))


def _listed() -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads(LISTED.read_text()).get("survivor", [])
    return found


def _entry(mutant: Mutant) -> str:
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in
             zip(("module", "line", "mutation", "reason"), (*mutant.name, ""), strict=True))  # fmt: skip
    return f"# survived: line {mutant.number} of {mutant.module}\n[[survivor]]\n" + "\n".join(lines)


def _known(project: Project, slots: list[Path], every: Iterable[Mutant]) -> Known:
    """What is known of tests that pass without a mistake, looked at anew where a file changed."""
    MEMORY.mkdir(mode=0o700, exist_ok=True)
    path, places = MEMORY / "known.json", {each.place for each in every}
    known = json.loads(path.read_text()) if path.exists() else {}
    functions = "\n".join(sorted(places))
    digests = {file: _digest(functions + project.texts[file]) for file in project.files}
    new = [f for f, digest in digests.items() if known.get(f, [""])[0] != digest]
    for file, _, slot in forked([(file, partial(timed, file)) for file in new], slots):
        told = json.loads((slot / "told").read_text())
        known[file] = [
            digests[file],
            {test: (s, [*places & {*r}]) for test, (s, r) in told.items()},
        ]
    path.write_text(json.dumps(known))
    return {test: (seconds, frozenset(reached)) for file in digests
            for test, (seconds, reached) in known[file][1].items()}  # fmt: skip


def _evidence(project: Project, mutant: Mutant, test: str | None) -> str:
    """What a verdict rests on: the module, and the test that noticed, or those that should have."""
    near = [file for files in project.near(mutant) for file in files]
    texts = [project.texts[file] for file in near]
    if test:
        texts = [project.test(test)] if test.partition("::")[0] in near else ["another package"]
    return _digest("".join([project.texts[f"{PACKAGE}/{mutant.module}"], *texts]))


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


def _page(verdicts: Verdicts, listed: list[Name]) -> str:
    noticed = Counter(name[0] for name, test in verdicts.items() if test is not None)
    left = Counter(name[0] for name, test in verdicts.items() if test is None)
    known = Counter(name[0] for name in listed)
    lines = [
        "# Mistakes that the tests notice", "",
        "`make mutants` makes one mistake at a time in the modules that must be right for the promise,",
        "and runs tests until one fails: those of its package (for `numbers`, of all that name the module)",
        "that call the mistaken function and take less than a second. What breaks nothing is listed in",
        "`tests/mutants_survivors.toml`, with the reason.", "",
        f"Of {len(verdicts) + len(listed):,} mistakes the tests noticed {noticed.total():,}; "
        f"{len(listed)} are listed, {left.total()} are open.", "",
        "| module | mistakes | noticed | listed | open |", "|---|---|---|---|---|",
        *(f"| {m} | {noticed[m] + known[m] + left[m]} | {noticed[m]} | {known[m]} | {left[m]} |"
          for m in sorted(noticed | known | left)),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
