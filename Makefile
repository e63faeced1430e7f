# Every target sets up what it needs by itself. A stamp file remembers what is installed: it is
# older than pyproject.toml exactly when the installation may be out of date.

PYTHON ?= python3
VENV := .venv
BENCH_VENV := .venv-bench
PIP_FLAGS := --quiet --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-wide test-slow coverage mutants mutants-quick fuzz lint format docs pictures bench browser dist vulnerabilities lock locked clean

help:
	@echo "make demo       from a table of invented visits to a release: errors, tables, report"
	@echo "make test       the quick tests and all doctests"
	@echo "make test-wide  the tests with a Spark cluster, a browser or the built site; CI runs both"
	@echo "make test-slow  the tests marked slow"
	@echo "make coverage   branches of the trusted path that the tests walk"
	@echo "make mutants    small mistakes in the trusted code that the tests must notice"
	@echo "make fuzz       a million hostile inputs"
	@echo "make lint       formatting, lint rules and strict types"
	@echo "make format     rewrite the sources in the project's format"
	@echo "make docs       the documentation as a site in build/site"
	@echo "make pictures   the pictures and screenshots in docs/images, made anew"
	@echo "make bench      speed and memory beside other libraries"
	@echo "make dist       wheel and sdist, built twice and compared"
	@echo "make clean      remove everything the other targets made"

demo: $(VENV)/.stamp-run
	@$(VENV)/bin/python examples/demo.py

test: $(VENV)/.stamp-test browser
	$(VENV)/bin/python -m pytest -n 2 --dist worksteal

test-wide: $(VENV)/.stamp-test browser
	$(VENV)/bin/python -m pytest tests -m "wide and not slow" -n 2 --dist worksteal

test-slow: $(VENV)/.stamp-test
	LEASTNOISE_FUZZ=10000 $(VENV)/bin/python -m pytest -m slow -n 2 --dist worksteal

# The trusted path, by folders: docs/coverage.md. Fails if a part is walked less than the page says.
# Two halves side by side, each in a process of its own: workers of one process are not counted.
COVER := $(VENV)/bin/python -m coverage
COVERED := $(COVER) run -p -m pytest -m "not slow"
coverage: $(VENV)/.stamp-test
	mkdir -p build
	$(COVER) erase
	@$(COVERED) tests/release tests/auditing/test_plans.py tests/auditing/test_plan_loss.py >build/coverage-release.log 2>&1 & \
	  $(COVERED) tests/numeric tests/randomness tests/privacy tests/noise tests/certificates tests/mechanisms tests/accounting \
	    tests/ledger tests/tabulation tests/groupwise tests/laws tests/statistical tests/over_time tests/cli/test_account.py src; \
	  rest=$$?; wait $$!; half=$$?; tail -n 40 build/coverage-release.log; test $$rest = 0 && test $$half = 0
	$(COVER) combine -q
	$(COVER) report
	$(COVER) json -q -o build/coverage.json
	$(VENV)/bin/python -m tests.coverage_table

# Half a thousand changes of the trusted code, one at a time: docs/coverage.md.
mutants: $(VENV)/.stamp-test
	$(VENV)/bin/python -m tests.mutants

# 40 of them, others for every commit.
mutants-quick: $(VENV)/.stamp-test
	$(VENV)/bin/python -m tests.mutants --quick

# In twenty pieces: what one process remembers of its inputs stays small.
fuzz: $(VENV)/.stamp-test
	for seed in $$(seq 1 20); do \
	  LEASTNOISE_FUZZ=50000 $(VENV)/bin/python -m pytest tests/fuzz -q -m slow -n 2 --hypothesis-seed=$$seed || exit 1; \
	done

lint: $(VENV)/.stamp-lint $(VENV)/.stamp-test # mypy reads the tests, so it needs what they import
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

format: $(VENV)/.stamp-lint
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

docs: $(VENV)/.stamp-docs
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true PYTHONPATH=. $(VENV)/bin/mkdocs build --quiet

pictures: $(VENV)/.stamp-test browser
	$(VENV)/bin/python -m examples.pictures
	$(VENV)/bin/python -m tests.web.screenshots

# The explorer is tested in a real browser: installed if that can be done without asking.
browser:
	@command -v chromedriver >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { \
	  apt-get install -y -q chromium chromium-driver || { \
	  apt-get update -q && apt-get install -y -q chromium chromium-driver; }; } >/dev/null 2>&1; } \
	  || echo "No Chromium: the tests in a browser will be skipped."

bench: $(BENCH_VENV)/.stamp-bench
	$(BENCH_VENV)/bin/python -m benchmarks.run

dist: export SOURCE_DATE_EPOCH := $(shell git log -1 --pretty=%ct)
dist: $(VENV)/.stamp-dist
	rm -rf dist build/again
	mkdir -p build
	$(VENV)/bin/python -m build --no-isolation --outdir dist . >/dev/null
	$(VENV)/bin/python -m build --no-isolation --outdir build/again . >/dev/null
	cd dist && sha256sum * > ../build/sums
	cd build/again && sha256sum --check ../sums

# Asks a service for known vulnerabilities: needs a network, so it is no part of lint.
vulnerabilities: $(VENV)/.stamp-dist
	$(VENV)/bin/pip-audit --disable-pip --require-hashes -r .ci/requirements.txt

lock: | $(VENV)/bin/python
	$(VENV)/bin/python .ci/lock.py > .ci/requirements.new && mv .ci/requirements.new .ci/requirements.txt

# What continuous integration was last tested with, file by file. Only where the files fit.
locked: | $(VENV)/bin/python
	@head -n 1 .ci/requirements.txt | grep -qF "$$($(VENV)/bin/python -c \
	  'import platform as p; print(p.system(), p.machine() + ", Python", p.python_version().rsplit(".", 1)[0])')" \
	  && $(VENV)/bin/python -m pip install $(PIP_FLAGS) --require-hashes -r .ci/requirements.txt \
	  || echo "The lock is for another platform: versions are chosen by their ranges."

clean:
	rm -rf $(VENV) $(BENCH_VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.stamp-run: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install $(PIP_FLAGS) --editable .
	@touch $@

$(VENV)/.stamp-test $(VENV)/.stamp-lint $(VENV)/.stamp-docs $(VENV)/.stamp-dist: $(VENV)/.stamp-%: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install $(PIP_FLAGS) --editable ".[$*]"
	@touch $@ $(VENV)/.stamp-run

$(BENCH_VENV)/.stamp-bench: pyproject.toml | $(BENCH_VENV)/bin/python
	$(BENCH_VENV)/bin/python -m pip install $(PIP_FLAGS) --editable ".[bench]"
	@touch $@

$(VENV)/bin/python $(BENCH_VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "leastnoise needs Python 3.11 or newer; got $$($(PYTHON) --version 2>/dev/null || echo none)." \
	       "Install a newer one and run: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "A virtual environment needs Python's venv module; $(PYTHON) lacks it." \
	       "On Debian: apt install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(@D:/bin=) || { rm -rf $(@D:/bin=); exit 1; }
