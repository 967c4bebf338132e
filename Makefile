# `make run` and `make test`, from a fresh clone, with Python 3.11 or newer and pip; uv is used when it is there.
# PYTHON=python3.12 chooses an interpreter, ARGS="--open --port 8001" goes to vitrine, ID=shakespeare and DATA=DIR to training
# (ID=--all: every model, one after another), ARGS="scaling probes" to mutants.

PYTHON ?= python3
ARGS ?=
ID ?= translator
DATA ?= ../shared/data
OMP_NUM_THREADS ?= 1
export OMP_NUM_THREADS

# An installation compiles nothing and is three times as fast; what is imported is compiled once, at
# its first import, unless a variable of the user's forbids it.
unexport PYTHONDONTWRITEBYTECODE

# uv does not read pip's setting for a folder of wheels.
ifdef PIP_FIND_LINKS
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
endif

VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
INSTALL := $(if $(UV),$(UV) pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check) -c constraints.txt

# On Linux the usual build of torch brings gigabytes of CUDA. Its CPU build has an index of its own,
# which is asked first; where it cannot be reached, torch comes as any other package: from a folder
# of wheels, or else from the registry.
LEAN := --quiet --no-deps -c constraints.txt
ifeq ($(shell uname -s),Linux)
CPU_TORCH := $(if $(UV),UV_HTTP_RETRIES=0 uv pip install $(LEAN) --python $(BIN)/python --torch-backend cpu torch,$(BIN)/python -m pip install $(LEAN) --no-compile --disable-pip-version-check --retries 0 --timeout 10 --index-url https://download.pytorch.org/whl/cpu torch) 2>/dev/null || true
else
CPU_TORCH := :
endif

# The pip that comes with Python 3.11 takes twice as long as today's; without a network it does.
RENEW_PIP := $(if $(UV),:,$(BIN)/python -m pip install --quiet --retries 0 --timeout 10 --upgrade pip 2>/dev/null || true)

.PHONY: run check weight words test thorough processors cluster mutants bench storm train wheel format clean
.DEFAULT_GOAL := run

run: $(VENV)/run.stamp
	@$(BIN)/vitrine $(ARGS)

# Before each commit: a minute, without a browser.
check: $(VENV)/test.stamp
	@BIN=$(BIN) tests/check

# Lines and files by room, beside what tests/weight.toml allows.
weight: $(BIN)/python
	@$(BIN)/python tests/weight

# What a language lacks of the English words.
words: $(VENV)/test.stamp
	@$(BIN)/python -m tests.languages

test: surrounded
	@BIN=$(BIN) tests/run-all

# Before a release: every model, size and seed.
thorough: surrounded
	@BIN=$(BIN) THOROUGH=1 tests/run-all

# The browser and the fonts are fetched beside the installation, which keeps one core busy.
.PHONY: surrounded surroundings
surrounded:
	@$(MAKE) --no-print-directory --jobs=2 surroundings $(VENV)/test.stamp

surroundings:
	@PYTHON=$(PYTHON) tests/surroundings

# Every number once more with the kernels of five other processors.
processors: $(VENV)/test.stamp
	@BIN=$(BIN) tests/processors

bench: $(VENV)/test.stamp
	@$(BIN)/python -m tests.benchmarks $(ARGS)

# The tests of the engine, of its turns and of rooms once more, with replicas of a Ray cluster, and
# those of the cluster itself. Ray warns of much of its own.
cluster: $(VENV)/test.stamp $(VENV)/cluster.stamp
	@VITRINE_TEST_ENGINE=ray $(BIN)/python -m pytest -W default -m "not embedded and not thorough" \
	  tests/app/test_engine.py tests/app/test_turns.py tests/app/test_rooms.py tests/cluster $(ARGS)

mutants: $(VENV)/test.stamp
	@$(BIN)/python -m tests.mutants $(ARGS)

storm: $(VENV)/test.stamp
	@$(BIN)/python -m tests.storm $(ARGS)

train: $(VENV)/train.stamp
	@$(BIN)/vitrine train $(ID) --data $(DATA) $(ARGS)

wheel: $(VENV)/run.stamp
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	@ls dist/*.whl

format: $(VENV)/test.stamp
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

clean:
	rm -rf $(VENV) dist build

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Vitrine needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.12" % sys.version_info[:2])'
	@$(PYTHON) -m venv $(VENV) || { echo "No virtual environment could be made; on Debian: apt-get install python3-venv" >&2; rm -rf $(VENV); exit 2; }

# One stamp for each set of packages: done again when what is asked for changes.
$(VENV)/%.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing what \`make $*\` needs (minutes the first time) …"
	@$(RENEW_PIP)
	@$(CPU_TORCH)
	@$(INSTALL) -e '.$(filter-out [run],[$*])'
	@touch $@
