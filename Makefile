# GNU make and POSIX sh. `make demo` and `make test` need python3 (3.11 or newer) and nothing else.

PYTHON = python3
VENV = .venv
BIN = $(VENV)/bin
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
PYTEST = $(BIN)/python -m pytest
# Use at most four processes, because each process imports all tests.
PROCESSES = logical
SHARED = -n $(PROCESSES) --maxprocesses 4

# The tests start hundreds of Python programs, and each would compile our modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:
.PHONY: help venv demo engines test test-browser test-system test-wheel test-slow check lint format types imports docs docs-keys docs-test man screenshots lock clean fast pure simulate faults class-day mutation

help:
	@echo 'make demo         set everything up and play a tournament between the sample engines'
	@echo 'make test         set everything up and run the tests'
	@echo 'make test-browser run the tests of pages in Chromium'
	@echo 'make test-system  run the tests with servers, clusters, attacks, faults of the machine and other languages'
	@echo 'make test-wheel   build a compiled wheel, and run the tests of protocol and referee on it'
	@echo 'make test-slow    run the slow tests too, all with a new seed (SEED=1234 for the one of an earlier run)'
	@echo 'make simulate     play tournaments with faults of all kinds in virtual time for a minute (SEED=1234, SECONDS=600)'
	@echo 'make faults       let each write of some commands fail, and check that nothing is lost: half an hour or more'
	@echo '                  (EVERY=20 for every twentieth write, a few minutes)'
	@echo 'make mutation     change the pure core in thousands of ways, and list the changes that no test notices'
	@echo '                  (MODULE=arena/formats/swiss.py for one module, MODULE=arena/store for a sample of a room;'
	@echo '                  half an hour or more for all)'
	@echo 'make check        ruff, mypy, the import contracts and the tests of the documentation'
	@echo 'make docs         build the documentation as web pages, in build/site'
	@echo 'make class-day    forty simulated participants hand in engines at the door for ten minutes or more'
	@echo 'make docs-keys    update the tables of keys in docs/reference/tournament-file.md'
	@echo 'make man          update the man pages in man/ after a change of a command or its help'
	@echo 'make format       let ruff format the sources'
	@echo 'make fast         compile the modules that a ply needs, with mypyc and a C compiler (make pure: remove them)'
	@echo 'make lock         write the versions of all packages into requirements/ (UPGRADE=--upgrade for the newest)'
	@echo 'make venv         only set up .venv, with the tools for development'
	@echo 'make clean        remove all that was built, .venv too'
	@echo 'PYTHON=python3.12 chooses another interpreter.'

# Two stamps: playing needs less than developing. A newer pyproject.toml or a new pin installs again.
venv: $(VENV)/installed-dev

$(VENV)/installed: pyproject.toml requirements/run.txt
	@$(make-venv)
	@echo 'installing leapfrog-arena into $(VENV) ...'
	@$(PIP_INSTALL) --require-hashes --requirement requirements/run.txt
	@$(PIP_INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml requirements/dev.txt
	@$(make-venv)
	@echo 'installing leapfrog-arena and the tools for development into $(VENV) ...'
	@$(PIP_INSTALL) --require-hashes --requirement requirements/dev.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $(VENV)/installed $@

# A .venv that works is kept; half of one, or one whose interpreter is gone, is made anew.
define make-venv
$(BIN)/python -m pip --version >/dev/null 2>&1 || { \
	command -v $(PYTHON) >/dev/null || { \
		echo 'error: there is no $(PYTHON); install Python 3.11 or newer, or name one: make PYTHON=/path/to/python' >&2; exit 1; }; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "error: $(PYTHON) is $$($(PYTHON) -V 2>&1), but 3.11 or newer is needed; name one: make PYTHON=python3.12" >&2; exit 1; }; \
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo 'error: $(PYTHON) cannot make virtual environments (ensurepip is missing); on Debian and Ubuntu: sudo apt install python3-venv' >&2; exit 1; }; \
	$(PYTHON) -m venv --clear $(VENV); }
endef

engines:
	@$(MAKE) --no-print-directory -C engines

demo: $(VENV)/installed
	@$(BIN)/arena demo

# Every run uses the same seeds, and the same order of sets.
test: $(VENV)/installed-dev
	PYTHONHASHSEED=0 $(PYTEST) $(SHARED) -m 'not slow and not browser and not system' --ignore=tests/docs

# Chromium takes a tenth of the time of all tests.
test-browser: $(VENV)/installed-dev
	PYTHONHASHSEED=0 $(PYTEST) $(SHARED) -m 'browser and not slow' tests/arena/web

# Whole systems take a third of the time of all tests.
test-system: $(VENV)/installed-dev
	PYTHONHASHSEED=0 $(PYTEST) $(SHARED) -m 'system and not slow' --ignore=tests/docs

# These tests run others in several processes.
test-wheel: $(VENV)/installed-dev
	$(PYTEST) tests/test_compiled_wheel.py

SEED := $(shell date +%s)

test-slow: $(VENV)/installed-dev
	TEST_SEED=$(SEED) PYTHONHASHSEED=$(SEED) $(PYTEST) $(SHARED)

class-day: $(VENV)/installed-dev
	$(BIN)/python benchmarks/class_day.py

SECONDS = 60

# Seeds that have failed come first, and then new ones. SEED=1234/5 plays one tournament again.
simulate: $(VENV)/installed-dev
	$(BIN)/python -m tests.simulation $(SECONDS) --seed $(SEED)

EVERY = 1

faults: $(VENV)/installed-dev
	$(BIN)/python -m tests.faults --every $(EVERY)

MODULE =

mutation: $(VENV)/installed-dev
	$(BIN)/python tests/mutation/run.py --processes $(PROCESSES) $(MODULE)

check: lint types imports docs docs-test

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy --strict
	MYPYPATH=benchmarks $(BIN)/mypy --strict benchmarks/*.py
	$(BIN)/mypy --strict tests/mutation/run.py

imports: $(VENV)/installed-dev
	$(BIN)/lint-imports

# Strict: a link that leads nowhere, or a page that docs/index.md doesn't list, is an error (with --quiet it isn't).
docs: $(VENV)/installed-dev
	$(BIN)/python -m mkdocs build --strict --config-file docs/site/mkdocs.yml
	@echo 'built: build/site/index.html'

# The tables follow the declarations in arena/config. `make docs-test` fails if the page differs.
docs-keys: $(VENV)/installed-dev
	$(BIN)/python docs/site/key_tables.py

# The man pages say what `--help` says. `make docs-test` fails if they differ.
man: $(VENV)/installed-dev
	$(BIN)/python docs/site/man_pages.py

# The pictures of the documentation, and the film of the README. It needs Chromium and its driver, and an idle machine.
screenshots: $(VENV)/installed-dev
	$(BIN)/python docs/site/screenshots.py

docs-test: $(VENV)/installed-dev
	$(PYTEST) $(SHARED) tests/docs

format: $(VENV)/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Versions that are locked stay, unless UPGRADE=--upgrade, or UPGRADE='--upgrade-package NAME', asks for new ones.
LOCK = $(BIN)/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make lock' pyproject.toml

lock: $(VENV)/installed-dev
	@$(PIP_INSTALL) uv
	$(LOCK) --group dev --output-file requirements/dev.txt
	$(LOCK) --extra chess --extra door --extra pictures --constraint requirements/dev.txt --output-file requirements/run.txt

# The referee needs half the time a ply. Compile again after each change of a module: Python loads what is compiled.
fast: pure $(VENV)/installed-dev
	@echo 'compiling; this takes a few minutes ...'
	@HATCH_BUILD_HOOK_ENABLE_MYPYC=1 $(PIP_INSTALL) --no-build-isolation --no-deps --editable .

pure:
	find protocol referee -name '*.so' -delete
	rm -f *__mypyc.*.so

clean: pure
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@test ! -f engines/Makefile || $(MAKE) --no-print-directory -C engines clean
