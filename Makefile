# One entry for everything; each target works on a fresh Debian 12 machine and is quick when there is nothing to do.
.DEFAULT_GOAL := help
.PHONY: help setup build demo test lint format bench asan tsan fuzz

CMAKE = cmake --preset
NINJA = ninja -C build

help: ## this list
	@echo 'Tidemark: event streams into lake files, exactly once. Targets:'
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup: ## install what is missing (apt packages, a Python environment of our own)
	@tools/setup

build: setup ## build/release/bin/tidemark
	@mkdir -p build && $(CMAKE) release >build/release.log 2>&1 || (cat build/release.log; false)
	@$(NINJA)/release bin/tidemark
	@echo 'built build/release/bin/tidemark'

demo: build ## real flights through broker and lake, real weather through the edge [KEEP=1 go on with the last] [FULL=1 the year]
	@$$(tools/setup --print-python) -B tools/demo $(if $(KEEP),--keep) $(if $(FULL),--full)

test: ## everything that must pass: release and sanitizer tests, formatter, house rules, clang-tidy
	@tools/test

lint: setup ## formatter and clang-tidy over every file (remembers clean ones)
	@tools/lint

format: setup ## format every file in place
	@tools/lint --fix-format

bench: build ## every benchmark on the release build [ONLY="part of a name ..."]
	@$(NINJA)/release benches && tools/bench $(ONLY)

asan: setup ## tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/test asan

tsan: setup ## tests under ThreadSanitizer
	@tools/test tsan

fuzz: setup ## fuzz targets on the sanitizer build, longer than the tests do [SECONDS=60 each] [ONLY="target ..."]
	@mkdir -p build && $(CMAKE) asan >build/asan.log 2>&1 || (cat build/asan.log; false)
	@$(NINJA)/asan fuzzers
	@tools/fuzz --seconds $(or $(SECONDS),60) $(ONLY)
