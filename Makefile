# `make results` and `make test` are all that a clone needs.

# The loop ends with `:`, as make takes a status of 127 for a shell that did not start.
PYTHON ?= $(shell for candidate in python3.11 python3 python3.12 python3.13 python3.14; do \
	"$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo "$$candidate" && break; done; :)
CORES ?= all
BIN := .venv/bin
INSTALLED := .venv/.installed
JUPYTER := .venv-jupyter/.installed
PEERS := .venv-peers/.installed
BASE := .venv-base/.installed
LOWEST := .venv-lowest/.installed
BROWSER := .venv/.browser
PYTHONS ?= 3.12 3.13
IRRCAC := .venv-irrcac/.installed
CLUSTER := .venv-cluster/.installed
SUPPLY := .venv-supply/.installed
CRATE := .venv-crate/.installed
# `=` before the values of options: with a space, some of them take the targets behind them, too.
SNAKEMAKE := $(BIN)/snakemake --cores=$(CORES) $(CONFIG:%=--configfile=%)
# Errors, warnings, what is running and how much is done; VERBOSE=1 shows every job.
ifndef VERBOSE
SNAKEMAKE := PYTHONPATH="workflow/logging$${PYTHONPATH:+:$$PYTHONPATH}" $(SNAKEMAKE) --logger=brief
endif
COMMANDS := PYTHONPATH=workflow $(BIN)/python workflow/commands
QUICK := "not slow and not browser and not commands and not workflow"
# A process a core; tests/conftest.py says what stays together.
PARALLEL := --numprocesses logical --maxprocesses 8 --no-loadscope-reorder
# Nothing that the other tests share, as that needs more than the base.
ALONE := --noconftest -p without tests/base_alone.py
# Each process has a browser.
BROWSERS := --numprocesses logical --maxprocesses 4

.DELETE_ON_ERROR:
.PHONY: help install results check course notebook docs readme crate address release-check new-paper verdict-diff verdict-store inputs test test-all test-browser test-commands test-workflow test-cluster test-faults test-base test-pythons nightly test-lowest dist sbom vulnerabilities lint-container lint format mutants bench peer aggregation coverage intervals audits guard pool default-model conformance lock clean

help:  ## Say what can be made.
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 26

install: $(INSTALLED)  ## Make the environment in .venv, from the locked versions.

$(INSTALLED): requirements/lock.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: no Python of at least 3.11 found; name one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	# Modules are compiled when they are first imported, and many never are.
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes -r requirements/lock.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

results: $(INSTALLED)  ## Compute everything; then open results/index.html. VERBOSE=1 shows every job, CONFIG=FILE adds a configuration.
	@$(SNAKEMAKE)
	@$(COMMANDS)/conclude.py results

check: $(INSTALLED)  ## Compute everything, and fail on what is missing, unexplained or stale. ALSO="course site" makes these with it.
	@$(SNAKEMAKE) all check $(ALSO)
	@$(COMMANDS)/conclude.py results

course: $(INSTALLED)  ## Make the course: notebooks, pages, slides, the archive; see results/course.
	@$(SNAKEMAKE) course
	@echo "Open results/course/index.html. annobench-course.zip beside it is for students, annobench-course-teacher.zip for you."

notebook: $(JUPYTER)  ## Open the papers' notebooks in JupyterLab; `make results` first.
	.venv-jupyter/bin/jupyter lab notebooks

$(JUPYTER): requirements/course.txt pyproject.toml
	test -x .venv-jupyter/bin/python || "$(PYTHON)" -m venv .venv-jupyter
	.venv-jupyter/bin/python -m pip install --quiet --require-hashes -r requirements/course.txt
	.venv-jupyter/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

docs: $(INSTALLED)  ## Make the site: documentation, results, reference; then open results/index.html.
	@$(SNAKEMAKE) site

readme: $(INSTALLED)  ## Write the counts of the stored verdicts into the README, and draw them.
	$(COMMANDS)/count_verdicts.py

address: $(INSTALLED)  ## Write the repository's address wherever it belongs: URL=https://github.com/OWNER/annobench.
	$(COMMANDS)/release.py --address "$(URL)"

release-check: $(INSTALLED)  ## Refuse a release with placeholders: authors, the repository's address, the date in CITATION.cff.
	$(COMMANDS)/release.py

# The validator needs an older rich than the project. What it fetches, the contexts of JSON-LD, it keeps.
crate: $(INSTALLED) $(CRATE)  ## Pack sources, results and how they were made into results/crate, an RO-Crate, and validate it.
	@$(SNAKEMAKE) all
	$(COMMANDS)/crate.py results $(CONFIG)
	.venv-crate/bin/rocrate-validator --no-interactive validate --profile-identifier provenance-run-crate \
		--skip-availability-check --cache-path .venv-crate/contexts --verbose --no-paging results/crate

$(CRATE): requirements/crate.txt
	test -x .venv-crate/bin/python || "$(PYTHON)" -m venv .venv-crate
	.venv-crate/bin/python -m pip install --quiet --require-hashes -r requirements/crate.txt
	touch $@

new-paper: $(INSTALLED)  ## Begin a paper: KEY=smith2026 copies the worked example to its folder and its notebook.
	$(COMMANDS)/new_paper.py "$(KEY)"

verdict-diff: $(INSTALLED)  ## Show which verdicts and values of the last run differ from the stored ones.
	$(COMMANDS)/diff_verdicts.py

verdict-store: $(INSTALLED)  ## Store the verdicts of the last run, on real data, as those to compare with.
	$(COMMANDS)/diff_verdicts.py --store

inputs: $(INSTALLED)  ## List anew, from the data of the last run, which inputs one value alone uses.
	$(COMMANDS)/list_inputs.py $(PAPERS)

test: $(INSTALLED)  ## Run the tests of the library and of the papers, which take minutes.
	$(BIN)/pytest $(PARALLEL) -m $(QUICK)

test-commands: $(INSTALLED)  ## Type each documented command and option.
	$(BIN)/pytest $(PARALLEL) -m "commands and not slow"

test-workflow: $(INSTALLED)  ## Run the workflow in small: what an edit, a fault or a seed costs.
	$(BIN)/pytest $(PARALLEL) -m "workflow and not slow" tests/workflow

test-all: $(INSTALLED)  ## Run every test, the long ones included.
	$(BIN)/pytest $(PARALLEL) -m "not browser"

test-browser: $(BROWSER)  ## Open pages of each make of the finished site in Chromium, which must be installed.
	$(BIN)/pytest $(BROWSERS) -m "not slow" tests/browser

test-base: $(BASE)  ## Test what `pip install .` alone can do, in .venv-base, with and without numba.
	PYTHONPATH=tests .venv-base/bin/python -m pytest $(ALONE)
	PYTHONPATH=tests ANNOBENCH_WITHOUT="numba llvmlite" .venv-base/bin/python -m pytest $(ALONE)

$(BASE): requirements/base.txt pyproject.toml
	test -x .venv-base/bin/python || "$(PYTHON)" -m venv .venv-base
	.venv-base/bin/python -m pip install --quiet --require-hashes -r requirements/base.txt
	.venv-base/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

# Old versions warn of what the newest versions of their own dependencies deprecate.
test-lowest: $(LOWEST)  ## Test the lowest versions that pyproject.toml allows, in .venv-lowest.
	.venv-lowest/bin/pytest $(PARALLEL) -W default::DeprecationWarning -W default::FutureWarning -m $(QUICK) tests/unit tests/exports

$(LOWEST): requirements/lowest.txt pyproject.toml
	test -x .venv-lowest/bin/python || "$(PYTHON)" -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --require-hashes -r requirements/lowest.txt
	.venv-lowest/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

$(BROWSER): requirements/browser.txt $(INSTALLED)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/browser.txt
	touch $@

test-faults: $(BROWSER)  ## Kill, fill, corrupt and feed nonsense to it, and store what came of it: 25 minutes.
	$(BIN)/pytest $(PARALLEL) --store-faults all tests/faults

test-pythons: $(PYTHONS:%=.venv-python%/.installed)  ## Run the tests on other Pythons, in environments of their own: PYTHONS="3.12 3.13".
	for version in $(PYTHONS); do \
		.venv-python$$version/bin/pytest $(PARALLEL) -m $(QUICK) || exit 1; \
	done

.venv-python%/.installed: requirements/lock.txt pyproject.toml
	test -x .venv-python$*/bin/python || python$* -m venv .venv-python$*
	.venv-python$*/bin/python -m pip install --quiet --require-hashes -r requirements/lock.txt
	.venv-python$*/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

# What takes too long for every change. Without the site every page would be skipped.
nightly: $(BROWSER) course docs lint-container test-all test-base test-lowest test-pythons dist  ## Run every test, on other Pythons too, open every page, and compute all on simulated data: hours.
	$(BIN)/pytest $(BROWSERS) tests/browser
	.ci/simulated

test-cluster: $(CLUSTER)  ## Run a part of the workflow on a SLURM cluster of one node, made here; as root.
	$(BIN)/pytest tests/cluster

# Beside the environment, not in it: the executor asks for a cluster whenever Snakemake starts.
$(CLUSTER): requirements/cluster.txt $(INSTALLED)
	rm -rf $(@D)
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps --target $(@D) -r requirements/cluster.txt
	touch $@

# The wheel is built from the sdist, as an index's users build it.
dist: $(SUPPLY)  ## Build the sdist and the wheel into dist, and check both and their metadata.
	rm -rf dist
	.venv-supply/bin/validate-pyproject pyproject.toml
	.venv-supply/bin/python -m build --no-isolation
	.venv-supply/bin/twine check --strict dist/*
	.venv-supply/bin/check-wheel-contents dist/*.whl

sbom: $(SUPPLY)  ## Write what is locked to results/sbom.json, a bill of materials in CycloneDX.
	mkdir -p results
	.venv-supply/bin/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		--output-file results/sbom.json requirements/lock.txt

# A package about which the service says nothing is skipped without --strict, and all may be.
vulnerabilities: $(SUPPLY)  ## Ask which locked versions have known vulnerabilities; needs the network.
	.venv-supply/bin/pip-audit --strict --require-hashes --disable-pip --requirement requirements/lock.txt

lint-container: $(SUPPLY)  ## Check the Containerfiles.
	.venv-supply/bin/hadolint Containerfile src/annobench_course/teacher/archive/Containerfile

$(SUPPLY): requirements/supply.txt
	test -x .venv-supply/bin/python || "$(PYTHON)" -m venv .venv-supply
	.venv-supply/bin/python -m pip install --quiet --require-hashes -r requirements/supply.txt
	touch $@

lint: $(INSTALLED)  ## Check style, types and the workflow's rules.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow tests/workflow
	$(BIN)/snakemake --lint

format: $(INSTALLED)  ## Put the sources into their one layout.
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/snakefmt Snakefile workflow tests/workflow

# Of strings in sets the order is then the same in every run.
mutants: $(INSTALLED)  ## Change the library in small ways, and see what no test notices: hours.
	PYTHONHASHSEED=0 $(BIN)/python -m tests.mutants

bench: $(PEERS)  ## Measure speed and memory beside other packages, in .venv-peers.
	.venv-peers/bin/python -m benchmarks

aggregation: $(INSTALLED)  ## Run the benchmark of aggregation methods in full, and store its tables: 45 minutes.
	@$(SNAKEMAKE) results/pages/studies/baselines_full/index.html
	cp results/studies/baselines_full/*.csv results/studies/baselines_full/*.csv.gz \
		results/studies/baselines_full/settings.json benchmarks/measured/aggregation
	$(COMMANDS)/quote_benchmark.py

coverage: $(INSTALLED)  ## Measure in full the coverage of intervals and of noise certificates, and store the tables: 40 minutes.
	@$(SNAKEMAKE) results/pages/studies/coverage_full/index.html results/pages/studies/noise_full/index.html
	mkdir -p benchmarks/measured/coverage benchmarks/measured/noise
	cp results/studies/coverage_full/*.csv results/studies/coverage_full/settings.json benchmarks/measured/coverage
	cp results/studies/noise_full/*.csv results/studies/noise_full/settings.json benchmarks/measured/noise

intervals: $(INSTALLED)  ## Measure what the stored table of the intervals that commands print lacks; ALSO="report.icc" measures again.
	PYTHONPATH=workflow $(BIN)/python -m studies.intervals $(ALSO)

audits: $(INSTALLED)  ## Measure in full whether audits hold, and store the tables: 20 minutes.
	@$(SNAKEMAKE) results/pages/studies/audit_full/index.html
	mkdir -p benchmarks/measured/audit
	cp results/studies/audit_full/coverage.csv results/studies/audit_full/replay.csv \
		results/studies/audit_full/settings.json benchmarks/measured/audit

guard: $(INSTALLED)  ## Measure in full how often cautions of fits are right, and store the tables: 30 minutes.
	@$(SNAKEMAKE) results/pages/studies/guard_full/index.html
	mkdir -p benchmarks/measured/guard
	cp results/studies/guard_full/*.csv results/studies/guard_full/settings.json benchmarks/measured/guard
	$(COMMANDS)/quote_studies.py guard

pool: $(INSTALLED)  ## Compare the pool of models with its rivals in full, store the tables, learn its weights: 10 minutes.
	@$(SNAKEMAKE) results/pages/studies/pool_full/index.html
	mkdir -p benchmarks/measured/pool
	cp results/studies/pool_full/*.csv results/studies/pool_full/settings.json benchmarks/measured/pool
	PYTHONPATH=workflow $(BIN)/python -m studies.pool.learning results/studies/pool_full
	$(COMMANDS)/quote_studies.py pool

DEFAULT_MODEL_DATA := $(addprefix results/data/,cti_product llm_eval_v1 llm_eval_v2 snow2008_rte snow2008_temp \
	snow2008_wsd snow2008_zaenen ti_adult ti_bluebird ti_cf ti_dog ti_facts ti_ms ti_relevance ti_sentiment ti_sp \
	ti_trec ti_zencrowd_all ti_zencrowd_in ti_zencrowd_us)
default-model: $(INSTALLED)  ## Compare the default model of consensus with other candidates in full, and store the tables: 15 minutes.
	@$(SNAKEMAKE) $(DEFAULT_MODEL_DATA:=/meta.json)
	mkdir -p benchmarks/measured/default_model
	PYTHONPATH=workflow $(BIN)/python -m studies.default_model benchmarks/measured/default_model $(DEFAULT_MODEL_DATA)
	$(COMMANDS)/quote_studies.py default_model

# Each package has its own environment, in which its methods are run as programs.
PEER ?= crowd_kit
peer: $(INSTALLED)  ## Compare the methods of a package: PEER=crowd_kit, cleanlab, peerannot or snorkel.
	test -x .venv-$(PEER)/bin/python || "$(PYTHON)" -m venv .venv-$(PEER)
	.venv-$(PEER)/bin/python -m pip install --quiet --require-hashes -r benchmarks/peers/$(PEER)/requirements.txt
	$(BIN)/python -m benchmarks.peers $(PEER) .venv-$(PEER)/bin/python

$(PEERS): requirements/peers.txt pyproject.toml
	test -x .venv-peers/bin/python || "$(PYTHON)" -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --require-hashes -r requirements/peers.txt
	.venv-peers/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

conformance: $(PEERS) $(IRRCAC)  ## Ask other packages for their coefficients, and store the answers.
	.venv-peers/bin/python tests/reference/agreement/generate.py
	.venv-irrcac/bin/python tests/reference/agreement/generate.py

$(IRRCAC): requirements/irrcac.txt
	test -x .venv-irrcac/bin/python || "$(PYTHON)" -m venv .venv-irrcac
	.venv-irrcac/bin/python -m pip install --quiet --require-hashes -r requirements/irrcac.txt
	touch $@

lock:  ## Lock the dependencies and the peers anew, with uv.
	uv pip compile --universal --generate-hashes --python-version 3.11 --extra dev \
		--no-header --no-annotate pyproject.toml -o requirements/lock.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --extra dev --extra peers \
		--no-header --no-annotate --constraints requirements/lock.txt \
		pyproject.toml -o requirements/peers.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --extra course \
		--no-header --no-annotate --constraints requirements/lock.txt \
		pyproject.toml -o requirements/course.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --group irrcac \
		--no-header --no-annotate -o requirements/irrcac.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --group base \
		--no-header --no-annotate --constraints requirements/lock.txt pyproject.toml -o requirements/base.txt
	uv pip compile --generate-hashes --python-version 3.11 --resolution lowest-direct \
		--extra dev --no-header --no-annotate pyproject.toml -o requirements/lowest.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --group browser \
		--no-header --no-annotate --constraints requirements/lock.txt -o requirements/browser.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --group crate \
		--no-header --no-annotate -o requirements/crate.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --group cluster --no-deps \
		--no-header --no-annotate -o requirements/cluster.txt
	uv pip compile --universal --generate-hashes --python-version 3.11 --group supply \
		--no-header --no-annotate -o requirements/supply.txt
	for peer in benchmarks/peers/*/; do uv pip compile --universal --generate-hashes \
		--python-version 3.11 --no-header --no-annotate \
		$${peer}requirements.in -o $${peer}requirements.txt || exit 1; done

clean: $(INSTALLED)  ## Remove what the workflow wrote, and nothing else.
	$(BIN)/snakemake --cores 1 --delete-all-output
	rm -rf results/crate
