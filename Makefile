# battlejudge on a machine that has make and Python 3.11, 3.12 or 3.13, and nothing else.
#
#   make try        set up .venv, ask one board what is legal
#   make test       set up .venv, run ruff, mypy and the everyday tests
#   make test-all   the same, then the slow tests
#   make coverage   everyday tests, with the lines of the bridge that none of them runs
#   make clean      remove .venv and what the tools left behind
#
# Another Python than python3: make clean test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BOARD := facts/boards/two_captains.yaml

# Written when an installation is complete: one for using battlejudge, one for working on it.
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: try test slow test-all coverage clean
.NOTPARALLEL:

try: $(INSTALLED)
	$(BIN)/battlejudge legal --all $(BOARD)

test: $(INSTALLED_DEV)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

slow: $(INSTALLED_DEV)
	$(BIN)/pytest -n 2 -m slow

test-all: test slow

coverage: $(INSTALLED_DEV)
	$(BIN)/pytest --cov --cov-report=term-missing:skip-covered

clean:
	rm -rf $(VENV) .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A virtual environment that works and has pip is kept; a broken one is made anew.
define ensure_venv
@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v < (3, 14) or sys.exit("$(PYTHON) is Python %d.%d; battlejudge needs 3.11, 3.12 or 3.13: make $(or $(MAKECMDGOALS),try) PYTHON=python3.12" % v)'
@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	echo '$(PYTHON) cannot make virtual environments (no ensurepip); on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
endef

$(INSTALLED): pyproject.toml
	$(ensure_venv)
	$(PIP_INSTALL) --editable .
	@touch $@

$(INSTALLED_DEV): pyproject.toml
	$(ensure_venv)
	$(PIP_INSTALL) --editable '.[dev]'
	@touch $(INSTALLED) $@
