# One command runs it (make run), one command tests it (make test). All that is generated is in data/ and .venv/.
SHELL := /bin/bash
BIN := .venv/bin
# Byte code and tool caches stay out of the source tree.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/.cache/pycache
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test check ui studio format lock clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */  make \1|/' | column -t -s '|'

.venv/.ready: requirements.lock pyproject.toml tools/setup
	@tools/setup run

.venv/.ready-dev: .venv/.ready requirements-dev.lock requirements-replay.lock
	@tools/setup test

run: .venv/.ready  ## crawl, enhance, archive and query the bundled demo institutions
	@$(BIN)/webmine demo

ui: .venv/.ready  ## Dagster's web UI and daemon on this project
	@$(BIN)/webmine ui

studio: .venv/.ready  ## the web page that shows and teaches the corpus
	@$(BIN)/webmine studio

test: .venv/.ready-dev  ## format, lint, types and every test, with a real browser and a real PostgreSQL
	@tools/verify all

check: .venv/.ready-dev  ## the fast loop: no browser, no database, no slow tests
	@tools/verify fast

format: .venv/.ready-dev  ## format the code and sort the imports
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

lock:  ## resolve the dependencies anew and pin them
	@tools/lock

clean:  ## remove what was generated, but not your institutions
	@rm -rf .venv data/lake data/journals data/archives data/search data/dagster data/webmine.duckdb data/imports.sqlite
