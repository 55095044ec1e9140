# What a checkout can do. Everything is set up on the first use; a second run finds it done.
# Needs go, a C compiler and python3 with venv; nothing is written outside the checkout except Go's caches, the XLA
# plugin in ~/.local/lib/go-xla and what it compiled, in ~/.cache/pengcde.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup plugin wheel pins cuda aot aot-all gpu-kit pengcde results report sweep sweep-pause sweep-stop kernel test test-quick test-go test-race test-tsan fuzz test-tools test-browser test-slurm notebooks lab check bench bench-seeds bench-all bench-quick bench-go peer peer-tgn site strip clean

ENV := . tools/env.sh &&
PY := .venv/bin/python
PYTHON3 = $(or $(PYTHON),python3)
NOTEBOOKS ?= $(wildcard notebooks/*.ipynb)
TEST_FLAGS ?= -timeout 25m
FUZZTIME ?= 60s
FUZZ_MEMORY ?= 2097152
DIR = notebooks
LAB_FLAGS ?=
REPORT_FLAGS ?=
AOT_FLAGS ?=
export PYTHON SWEEP PLUGIN_SHA256 PINS_FLAGS

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

KERNEL := .venv/share/jupyter/kernels/gonb/kernel.json
LAB := .venv/share/jupyter/lab/settings/overrides.json .venv/etc/jupyter/jupyter_lab_config.json

# The parts for Python and those for Go at a time, unless make was told how many jobs to run.
setup: ## set up .venv, bin and the XLA plugin (the other targets do it as well)
	@$(MAKE) --silent --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j3) $(KERNEL) $(LAB) plugin

.venv/python.stamp: tools/requirements.txt
	@tools/setup.sh python
	@touch $@

$(KERNEL): notebooks/kernel/kernel.json .venv/python.stamp
	@mkdir -p $(@D)
	@cp $< $@

# JupyterLab that asks nobody for news, updates or extensions.
$(LAB): tools/lab/overrides.json tools/lab/jupyter_lab_config.json .venv/python.stamp
	@mkdir -p $(@D)
	@cp tools/lab/$(@F) $@

bin/go.stamp: go.mod go.sum
	@tools/setup.sh go
	@touch $@

plugin: .venv/python.stamp bin/go.stamp wheel
	@tools/setup.sh plugin

wheel: .venv/python.stamp
	@tools/setup.sh wheel

bin/staticcheck: go.mod go.sum
	$(ENV) GOBIN="$$PWD/bin" go install honnef.co/go/tools/cmd/staticcheck
	@touch $@

cuda: setup ## install XLA's CUDA plugin and NVIDIA's libraries (2.2 GB to download) and say what is missing
	@tools/setup.sh cuda

aot: setup ## after make cuda: compile all programs of the main models for an H200 and count kernels (AOT_FLAGS="-target a100 -nodes 100")
	$(ENV) go run ./tools/aot $(AOT_FLAGS)

aot-all: setup ## after make cuda: compile all programs of all models, for graphs of three sizes, up to an hour
	$(ENV) go run ./tools/aot -all $(AOT_FLAGS)

gpu-kit: ## pack what tries and times the library on a machine with an NVIDIA GPU, build/gpu-kit.tar.xz (docs/cuda.md)
	$(ENV) go run ./tools/gpukit/pack

sweep: pengcde ## make runs in the background at the lowest priority, SWEEP="STUDY [FLAGS]" (full table1); again to go on
	$(ENV) tools/sweep.sh start $${SWEEP:+"$$SWEEP"}

sweep-pause: ## pause the sweep, to time something
	tools/sweep.sh pause

sweep-stop: ## end the sweep, with checkpoints
	tools/sweep.sh stop

kernel: setup ## install the kernel of the notebooks for every Jupyter of this user, also VS Code's
	@tools/setup.sh kernel

pengcde: setup ## build the command line, bin/pengcde
	$(ENV) go build -buildvcs=$$(git status >/dev/null 2>&1 && echo true || echo false) -o bin/pengcde ./cmd/pengcde

results: pengcde ## write docs/results.md, its pages and figures anew, from the runs that come with the repository
	$(ENV) bin/pengcde results page --shipped --out docs/results.md

report: pengcde ## one page on the paper's claims, tables and figures from stored runs, build/report.html (REPORT_FLAGS="--profile full")
	$(ENV) bin/pengcde report --out build/report.html $(REPORT_FLAGS)

test: setup test-tools ## run all tests and count them; in CI a skip that tools/skips.txt does not list fails
	$(ENV) $(PY) tools/run_tests.py go $(TEST_FLAGS) ./...

test-quick: ## run the tests that open no backend, without cgo and without set-up: under two minutes
	CGO_ENABLED=0 go test -short $$($(PYTHON3) tools/pure_packages.py)

test-go: setup ## run all Go tests on the pure-Go backend
	$(ENV) PENGCDE_BACKEND=go go test $(TEST_FLAGS) ./...

# The pure-Go backend's products keep pointers past the end of a slice, which checkptr, on beside -race, would stop at. What the
# detector itself keeps grows, so the test of flat memory is left out.
test-race: setup ## run all Go tests under the race detector, on the pure-Go backend
	$(ENV) PENGCDE_BACKEND=go go test -race -gcflags=all=-d=checkptr=0 -skip TestMemoryStaysFlat $(TEST_FLAGS) ./...

test-tsan: ## run the C kernels for two callers under the thread, address and undefined-behaviour sanitizers
	@tools/sanitize.sh

fuzz: setup ## run each fuzz target for FUZZTIME (60s) in FUZZ_MEMORY KiB (2 GiB)
	@$(ENV) for package in $$(grep -rl --include='*_test.go' '^func Fuzz' cmd datasets dyngraph experiments figures internal pengcde xla | xargs -n1 dirname | sort -u); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$package/*_test.go); do \
			echo "$$package $$target"; \
			(ulimit -d $(FUZZ_MEMORY) && go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) \
				-fuzzminimizetime 10x ./$$package) || exit 1; \
		done; \
	done

test-tools: setup
	$(ENV) $(PY) tools/run_tests.py python tools

notebooks: setup ## run the notebooks in the profile PENGCDE_PROFILE (quick) into build/notebooks
	@$(ENV) $(PY) tools/run_notebooks.py $(NOTEBOOKS)

test-browser: setup ## drive JupyterLab by the Chromium that is there; skipped with a word where none is
	@$(ENV) tools/browser/run.sh

test-slurm: setup ## run studies on a Slurm of two nodes on this machine; skipped with a word where Slurm is not installed
	@tools/slurm/run.sh

lab: setup ## open JupyterLab on the notebooks, or on those of DIR=... (LAB_FLAGS=--no-browser and so on)
	@$(ENV) folder=$$(CDPATH= cd -- "$(DIR)" && pwd) || { echo "no folder $(DIR); make one with: bin/pengcde init" >&2; exit 1; }; \
		$(PY) -m jupyterlab --ServerApp.root_dir="$$folder" $$([ "$$(id -u)" != 0 ] || echo --allow-root) $(LAB_FLAGS)

check: setup bin/staticcheck ## formatting, go vet (pure parts for arm64 too), staticcheck, notebooks valid and without outputs
	@$(ENV) unformatted=$$(find . -name '*.go' -not -path './.*' -exec gofmt -l {} +); \
		[ -z "$$unformatted" ] || { echo "not formatted, see gofmt:" $$unformatted; exit 1; }
	$(ENV) go vet ./...
	$(ENV) staticcheck ./...
	@$(ENV) packages=$$($(PYTHON3) tools/pure_packages.py) && for system in darwin linux; do \
		CGO_ENABLED=0 GOOS=$$system GOARCH=arm64 go vet $$packages || exit 1; done
	@$(ENV) $(PY) tools/check_notebooks.py $(NOTEBOOKS)
	@$(PYTHON3) tools/check_english.py

RACE = $(ENV) go run ./bench/race -out bench/latest.json -history bench/history.csv

bench: setup peer ## race against the peer, two hours by estimate: BENCH_FLAGS="-nodes 144 -fields peng" for less
	$(RACE) $(BENCH_FLAGS)
	$(RACE) -peer-steps default -figure docs/seconds.png -history-figure docs/ratios.png $(BENCH_FLAGS)

bench-seeds: setup ## several seeds in one program, ten minutes
	$(RACE) -seeds 1,4,10 -nodes 100,400 -fields peng

bench-all: bench bench-seeds ## all races that docs/performance.md shows, three hours by estimate
	$(RACE) -variant implicit -nodes 144,256,529 -fields peng
	$(RACE) -nodes 2048,4096,8192,16384 -fields peng -pairs 3
	$(RACE) -nodes 100000 -fields peng -batch 1 -pairs 1 -figure docs/seconds.png

bench-quick: setup ## sparse against dense products, half a minute
	$(ENV) go test -run '^$$' -bench 'Product/n=(129|1000)/edges=(2400|16000)/' -benchtime 100x ./pengcde/equivariant

bench-go: setup ## all benchmarks of the packages
	$(ENV) go test -run '^$$' -bench . ./...

peer: build/peer-venv/stamp ## set up the Python environment of the peer that the benchmark races against

build/peer-venv/stamp: bench/peer/requirements.txt
	@echo "set-up: JAX and diffrax into build/peer-venv (120 MB to download, about half a minute)"
	@tools/setup.sh venv build/peer-venv $<
	@touch $@

DYGLIB ?= https://github.com/yule-BUAA/DyGLib
TGNV2 ?= https://github.com/kpetrovicc/TGNv2-TGR

DYGLIB_COMMIT := 3aacc36b94b8d2d8293d70a74fdf6d39089b4163
TGNV2_COMMIT := b24f5e0c5e8c52dc2cad6f30627fbe71db3a0157
DYGLIB_AT := build/published/DyGLib-$(DYGLIB_COMMIT)
TGNV2_AT := build/published/TGNv2-$(TGNV2_COMMIT)

# The seed is a new one each time: the test's own files hold seed 0.
peer-tgn: setup build/tgn-venv/stamp $(DYGLIB_AT)/stamp $(TGNV2_AT)/stamp ## temporal graph networks against published modules, with new random numbers or SEED=...
	@mkdir -p build/peer-tgn
	@$(ENV) seed=$${SEED:-$$(date +%s)} && echo "seed $$seed" && \
		build/tgn-venv/bin/python -W ignore bench/tgn/peer.py $(TGNV2_AT) build/peer-tgn $$seed && \
		build/tgn-venv/bin/python -W ignore bench/tgn/tokens.py $(DYGLIB_AT) build/peer-tgn $$seed && \
		PENGCDE_PEER_TGN="$$PWD/build/peer-tgn" go test -count 1 -run TestPeer ./affinity/tgn ./affinity/tokens

build/tgn-venv/stamp: bench/tgn/requirements.txt
	@echo "set-up: PyTorch and PyTorch Geometric into build/tgn-venv (2.5 GB to download, 5.5 GB on disk)"
	@tools/setup.sh venv build/tgn-venv $<
	@touch $@

$(DYGLIB_AT)/stamp:
	@tools/published.sh "$(DYGLIB)" $(DYGLIB_COMMIT) $(@D) models utils
	@touch $@

$(TGNV2_AT)/stamp:
	@tools/published.sh "$(TGNV2)" $(TGNV2_COMMIT) $(@D) models
	@touch $@

site: build/site-venv/stamp ## the documentation, build/site/index.html, which opens without a network
	@$(ENV) go run ./tools/apidoc docs/api
	@build/site-venv/bin/python -m sphinx -q -W --keep-going -b html -d build/site-doctrees docs build/site
	@echo "build/site/index.html"

build/site-venv/stamp: tools/site-requirements.txt
	@echo "set-up: Sphinx into build/site-venv (20 MB to download, about 20 seconds)"
	@tools/setup.sh venv build/site-venv $<
	@touch $@

pins: ## write the requirements files anew, with hashes (PINS_FLAGS=--upgrade for the newest versions)
	@tools/pins.sh

strip: setup ## take the outputs out of the notebooks, as they are committed
	@[ -z "$(NOTEBOOKS)" ] || $(PY) -m nbstripout $(NOTEBOOKS)

clean: ## remove bin, .venv and build, except your runs in build/results
	@[ ! -d .venv/home ] || chmod -R u+w .venv/home
	rm -rf bin .venv
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name results -exec rm -rf {} +
