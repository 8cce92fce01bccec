# Everything needs only Python 3.11+, git and make. A stamp file tells what is already installed, so a second call starts at once.
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check format lock bench clean

demo: $(VENV)/.app ## watch the whole bot at work on this repository's own history
	$(BIN)/coderag demo $(DEMO)

test: $(VENV)/.dev ## lint, types and the whole test suite
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(TESTS)

check: test

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.app ## BENCH='--repo PATH' measures another repository
	$(BIN)/coderag bench $(BENCH)

lock: ## needs uv; writes both lock files with hashes and without URLs
	uv lock --quiet
	uv export --quiet --no-emit-project --no-dev --no-header --output-file requirements.lock
	uv export --quiet --no-emit-project --no-header --output-file requirements-dev.lock
	! grep -E 'https?://' requirements.lock requirements-dev.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

$(VENV)/.python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "CodeRAG needs Python 3.11 or newer; python3 here is: $$(python3 --version 2>&1). Install one, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; fi
	@if ! $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "$(PYTHON) has no venv module. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; fi
	@command -v git >/dev/null || { echo "CodeRAG needs git on the PATH." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# --no-deps: the lock is complete, and pip would resolve the extras of locked packages anew, past the lock.
$(VENV)/.app: $(VENV)/.python requirements.lock pyproject.toml
	@echo "Installing (once, about half a minute) ..."
	$(PIP) install --no-deps --require-hashes -r requirements.lock
	$(PIP) install --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.app requirements-dev.lock
	$(PIP) install --no-deps --require-hashes -r requirements-dev.lock
	@touch $@
