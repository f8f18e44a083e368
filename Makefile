# ssift: what a newcomer types. Everything happens in .venv, which is made once and kept up to date by stamps.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
SSIFT  := $(VENV)/bin/ssift
PIP    := $(PY) -m pip --disable-pip-version-check --quiet
BUILD  := $(if $(SSIFT_BUILD),$(SSIFT_BUILD),native)
DATA   := bench/data

NATIVE_SOURCES := setup.py $(wildcard ext/*.pyx ext/*.pxd ext/*.pxi ext/*.h)

# Tests start the command hundreds of times: its bytecode is worth keeping.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install tools demo docs docs-serve test test-long test-arm test-ray test-mitmproxy test-clients check \
	sanitize sanitize-threads fuzz fuzz-short fuzz-python valgrind soak parallel format \
	bench bench-large bench-layers bench-compressed bench-scale dist clean
.DELETE_ON_ERROR:

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

# ------------------------------------------------------------------------------------------------- environment
# Three kinds of stamps: the package and what it needs (pyproject.toml), the native engine (ext/, setup.py; built
# in place, so that only a change there compiles), and the extras of a task.

$(PY):
	$(PYTHON) -m venv $(VENV)

REQUIRES = import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")

$(VENV)/.package: pyproject.toml | $(PY)
	$(PY) -c '$(REQUIRES)' > $(VENV)/build-requires.txt
	$(PIP) install -r $(VENV)/build-requires.txt
	SSIFT_BUILD=python $(PIP) install --no-build-isolation -e .
	@touch $@

$(VENV)/.native: $(VENV)/.package $(NATIVE_SOURCES)
	SSIFT_BUILD=$(BUILD) $(PY) setup.py --quiet build_ext --inplace
	@touch $@

$(VENV)/.extra-%: $(VENV)/.package
	SSIFT_BUILD=python $(PIP) install --no-build-isolation -e '.[$*]'
	@touch $@

install: $(VENV)/.native  ## make .venv with ssift and its native engine

tools: $(VENV)/.native $(VENV)/.extra-dev  ## the same, and pytest, ruff, mypy and pre-commit in it

# ------------------------------------------------------------------------------------------------------- tasks

demo: $(VENV)/.native  ## install, make a small log, show its statistics and write a report page
	@mkdir -p build/demo
	$(PY) bench/replay.py dialects --size 8MB --seed 7 -o build/demo/demo.sse
	$(SSIFT) stats build/demo/demo.sse
	$(SSIFT) report build/demo/demo.sse -o build/demo/report.html
	@echo "The report page is build/demo/report.html; the command is $(SSIFT), or ssift after: . $(VENV)/bin/activate"

# Warnings are errors: links that lead nowhere, pages outside of the navigation, names that are not there.
MKDOCS := NO_MKDOCS_2_WARNING=true $(PY) -m mkdocs

docs: $(VENV)/.native $(VENV)/.extra-docs  ## the documentation as a site, in build/site
	$(MKDOCS) build --strict
	@echo "The site is build/site/index.html"

docs-serve: $(VENV)/.native $(VENV)/.extra-docs  ## the same at http://127.0.0.1:8001, built again with every change
	$(MKDOCS) serve --dev-addr 127.0.0.1:8001 --watch src/ssift --watch README.md

# A process for each core and one more: tests wait for commands that they start.
SIDE_BY_SIDE := -n auto --dist worksteal
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

# Flows of mitmproxy, Ray clusters and distributions are tested by test-mitmproxy, test-ray and dist.
AT_HAND := -m 'not mitmproxy and not ray and not dist'

test: $(VENV)/.native $(VENV)/.extra-test  ## all tests at hand: not those of test-ray, test-mitmproxy and dist
	$(PY) -m pytest -q $(SIDE_BY_SIDE) $(AT_HAND)

# What goes all the way with SSIFT_LONG=1: every length, a million of everything, all inputs of the fuzzers.
AT_LENGTH := tests/conformance tests/faults tests/fuzz tests/memory

test-long: $(VENV)/.native $(VENV)/.extra-test  ## tests of hostile input in full: every length, a million of everything (some minutes)
	SSIFT_LONG=1 $(PY) -m pytest -q $(SIDE_BY_SIDE) $(AT_LENGTH)
	$(PY) -m tests.native.test_primitives 10000000

test-ray: $(VENV)/.native $(VENV)/.extra-test $(VENV)/.extra-ray  ## the tests on a Ray cluster of two nodes, here (some two minutes)
	$(PY) -m pytest -q -m ray tests/ray

# Tests that name their engines themselves, or see little of one: the default engine does not matter to them.
ENGINES_BY_NAME := agreement conformance engines containers faults fuzz memory native arrow/test_processes.py \
	faces/test_threads.py live/test_flow.py live/test_readings.py live/test_twins.py pages \
	partitions/test_partitions.py report statistics/test_kernel.py test_make.py test_packaging.py

check: $(VENV)/.native $(VENV)/.extra-dev  ## style, types, direction of imports, and the tests on the Python engine alone
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -q tests/test_architecture.py
	SSIFT_ENGINE=python $(PY) -m pytest -q $(SIDE_BY_SIDE) $(AT_HAND) $(ENGINES_BY_NAME:%=--ignore=tests/%)

# Other versions of the openai client, and what is built on it, each in a folder that goes before the installed ones.
# SSIFT_BODIES=FOLDER adds recorded bodies to what is tried.
CLIENTS := build/clients
ON_CLIENTS := $(addprefix tests/live/test_,accelerate.py compat.py joining.py load.py readings.py)

$(CLIENTS)/.openai-%: | $(PY)
	rm -rf $(CLIENTS)/openai-$*
	$(PIP) install --target $(CLIENTS)/openai-$* 'openai==$*.*'
	@touch $@

$(CLIENTS)/.frameworks: | $(PY)
	rm -rf $(CLIENTS)/frameworks
	$(PIP) install --target $(CLIENTS)/frameworks 'litellm!=1.107.*' langchain-openai
	@touch $@

# litellm leaves sockets and an event loop open at the end: that is its own matter.
test-clients: $(VENV)/.native $(VENV)/.extra-test $(CLIENTS)/.openai-1 $(CLIENTS)/.openai-2 $(CLIENTS)/.frameworks  ## accelerate() on openai 1, 2 and newest, under litellm and langchain (minutes)
	$(PY) -m pytest -q $(ON_CLIENTS)
	PYTHONPATH=$(CLIENTS)/openai-2 $(PY) -m pytest -q $(ON_CLIENTS)
	PYTHONPATH=$(CLIENTS)/openai-1 $(PY) -m pytest -q $(ON_CLIENTS)
	PYTHONPATH=$(CLIENTS)/frameworks $(PY) -m pytest -q -W ignore::pytest.PytestUnraisableExceptionWarning tests/live/frameworks.py

# mitmproxy wants other versions of libraries that are here already, so it has a folder that goes before them.
MITMPROXY := build/mitmproxy

$(MITMPROXY)/.installed: | $(PY)
	rm -rf $(MITMPROXY)
	$(PIP) install --target $(MITMPROXY) 'mitmproxy>=10'
	@touch $@

test-mitmproxy: $(VENV)/.native $(VENV)/.extra-test $(MITMPROXY)/.installed  ## flows of mitmproxy, read by its own library
	PYTHONPATH=$(MITMPROXY) $(PY) -m pytest -q tests/containers -m mitmproxy

# The paths for arm64, on any machine: Debian calls these gcc-aarch64-linux-gnu and qemu-user.
ARM := CC=aarch64-linux-gnu-gcc SSIFT_EMULATOR=qemu-aarch64 CI=true

test-arm: $(VENV)/.extra-test  ## the primitives of the native engine compiled for arm64, under an emulator (minutes)
	$(ARM) $(PY) -m pytest -q tests/native

SANITIZED := build/sanitized
PRELOAD = $$($(or $(CC),cc) -print-file-name=libasan.so) $$($(or $(CC),cc) -print-file-name=libubsan.so)

sanitize: $(VENV)/.extra-test  ## the agreement tests on a native engine that watches its memory (gcc; some minutes)
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED) && cp -r src/ssift $(SANITIZED)/ && rm -f $(SANITIZED)/ssift/*.so
	SSIFT_BUILD=native SSIFT_SANITIZE=address,undefined $(PY) setup.py --quiet build_ext --build-lib $(SANITIZED) --build-temp $(SANITIZED)/temp
	PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(PRELOAD)" \
	$(PY) -m pytest -q tests/agreement $(addprefix tests/live/test_,flow.py readings.py twins.py) -k "native or engines or test_twins"

# Locks of the interpreter are seen, for they are those of the C library; what it and numpy read and write is not.
RACES := TSAN_OPTIONS="ignore_noninstrumented_modules=1 report_signal_unsafe=0 exitcode=66" LD_PRELOAD=$$($(or $(CC),cc) -print-file-name=libtsan.so)
THREADED := build/threaded

sanitize-threads: $(VENV)/.extra-test  ## tests with threads on a native engine that watches for races (gcc, Linux; some minutes)
	rm -rf $(THREADED) && mkdir -p $(THREADED) && cp -r src/ssift $(THREADED)/ && rm -f $(THREADED)/ssift/*.so
	SSIFT_BUILD=native SSIFT_SANITIZE=thread $(PY) setup.py --quiet build_ext --build-lib $(THREADED) --build-temp $(THREADED)/temp
	PYTHONPATH=$(THREADED):bench $(RACES) setarch -R $(PY) -m pytest -q -p no:cacheprovider tests/faces/test_threads.py \
	tests/faults/test_processes.py tests/memory/test_buffers.py -k thread

FUZZ := PYTHONPATH=.:bench $(PY) -m tests.fuzz
MINUTES := 60

fuzz: $(VENV)/.native $(VENV)/.extra-test  ## fuzz the native engine under its sanitizers (clang; MINUTES=60)
	$(FUZZ) --minutes $(MINUTES)

fuzz-short: $(VENV)/.native $(VENV)/.extra-test  ## the same for some seconds each, as CI does
	$(FUZZ) --seconds 6

fuzz-python: $(VENV)/.native $(VENV)/.extra-test  ## the same of what is Python, live streams among it (atheris; MINUTES=60)
	$(PIP) install atheris
	$(FUZZ) engines sources live --minutes $(MINUTES)

valgrind: $(VENV)/.native $(VENV)/.extra-test  ## the native engine on inputs of the fuzzers under valgrind (a minute)
	$(FUZZ).replaying valgrind

PARALLEL := tests/engines tests/conformance/test_json.py tests/statistics tests/containers

parallel: $(VENV)/.native $(VENV)/.extra-test  ## tests of engines, containers and statistics, each in 4 threads at once
	$(PIP) install pytest-run-parallel
	$(PY) -m pytest -q --parallel-threads=4 $(PARALLEL)

SOAK := 8GB

soak: $(VENV)/.native $(VENV)/.extra-test  ## read a damaged log whose answer is known; needs as much disk (SOAK=8GB)
	$(PY) bench/soak.py --size $(SOAK)

format: $(VENV)/.extra-dev  ## sort imports, format
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# The newest simdjson comes in the source of a package that carries it. Without it (or a folder of your own in
# SSIFT_SIMDJSON) the headers of the distribution are tried, and if there are none the C++ peer is named as missing.
SIMDJSON := build/simdjson/simdjson.h

$(SIMDJSON): | $(PY)
	@mkdir -p build/simdjson
	-$(PIP) download --no-deps --no-binary :all: --no-build-isolation --dest build/simdjson fastsimdjson
	-tar -xzf build/simdjson/fastsimdjson-*.tar.gz -C build/simdjson --strip-components=2 --wildcards '*/vendor/simdjson.*'
	@touch $@

PEERS = SSIFT_SIMDJSON="$${SSIFT_SIMDJSON-$$(test -s $(SIMDJSON) && echo build/simdjson)}" $(PY) bench/peers.py --data $(DATA)
BENCH := build/bench
COMPRESSED = $(PY) bench/compressed.py --size $(SIZE) --data $(DATA) --json $(BENCH)/compressed.json
SIZE := 200MB
WHOLE := 1GB
READY := $(VENV)/.native $(VENV)/.extra-bench

bench: $(READY) $(VENV)/.extra-fast $(SIMDJSON)  ## all benchmarks on files of 200 MB and 1 GB; writes bench/RESULTS.md (some ten minutes)
	$(PEERS) --size $(SIZE) --json $(BENCH)/peers.json
	$(PY) bench/whole.py --data $(DATA) --size $(WHOLE) --json $(BENCH)/whole.json
	$(MAKE) --no-print-directory bench-layers
	$(PY) bench/instructions.py --data $(DATA) --json $(BENCH)/instructions.json
	$(COMPRESSED)
	$(PY) bench/results.py $(BENCH)

bench-large: $(READY) $(SIMDJSON)  ## the fastest readers and the command on 4 GB; adds them to bench/RESULTS.md (8 GB of disk)
	$(PEERS) --size 4GB --styles openai text --rounds 3 --fast-only --json $(BENCH)/peers-large.json
	$(PY) bench/whole.py --data $(DATA) --size 4GB --rounds 3 --json $(BENCH)/whole-large.json
	$(PY) bench/results.py $(BENCH)

LAYERS = --benchmark-disable-gc --benchmark-sort=name --benchmark-columns=min,median,iqr

bench-layers: $(READY)  ## pytest-benchmark: framing, strings, numbers, skipping, columns, whole (a minute)
	@mkdir -p $(BENCH)
	$(PY) -m pytest -q bench/layers $(LAYERS) --benchmark-json=$(BENCH)/layers.json

bench-compressed: $(VENV)/.native $(VENV)/.extra-fast  ## compressed logs against decompression alone; adds them to bench/RESULTS.md
	$(COMPRESSED)
	test ! -e $(BENCH)/peers.json || $(PY) bench/results.py $(BENCH)

bench-scale: $(READY) $(VENV)/.extra-ray  ## Ray against one process, over workers and numbers of files (some minutes)
	$(PY) bench/scale.py --data $(DATA) --json $(BENCH)/scale.json

dist: $(VENV)/.extra-dist  ## source distribution and wheel in dist/, checked and tried in empty environments (some minutes)
	rm -rf dist
	SSIFT_BUILD=$(BUILD) $(PY) -m build --outdir dist .
	$(PY) -m twine check --strict dist/*
	$(VENV)/bin/check-wheel-contents dist/*.whl
	$(PY) -m pytest -q -m dist tests/test_distribution.py

clean:  ## remove everything made here, .venv included
	rm -rf $(VENV) build dist $(DATA) src/ssift.egg-info src/ssift/*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
