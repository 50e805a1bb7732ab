# Two commands on a fresh machine with Python >= 3.10, git and make: `make demo` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test pytest lint format types docs soak bench clean

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(INSTALLED): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -e .
	@touch $@

$(READY): $(INSTALLED)
	$(BIN)/python -m pip install -q -e '.[dev]'
	@touch $@

demo: $(INSTALLED) ## Lint, canonicalize and preview the kernels of examples/
	@BIN=$(BIN) bash examples/demo.sh

test: lint types pytest ## Everything: lint, types, tests; says what the machine lacks

pytest: $(READY)
	@$(BIN)/python tests/support/machine.py
	$(BIN)/python -m pytest -n $(JOBS) -m 'not soak'

lint: $(READY) ## ruff, format included
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## Let ruff repair what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(READY) ## basedpyright, strict
	$(BIN)/basedpyright

docs: $(READY) ## Write docs/rules from the rules
	$(BIN)/python -m pto_lsp.output.rule_docs docs/rules

soak: $(READY) ## The long fuzzing tests
	HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -n $(JOBS) -m soak

bench: $(READY) ## All benchmarks, with their figures
	$(BIN)/python -m compileall -q analysis pto_lsp # as in an installed package, even where nothing writes bytecode
	$(BIN)/python -m benchmarks

clean: ## Remove what the tools left behind
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
