# `make` lists the targets. They work in a fresh clone with Go, make and git; scripts/need installs other missing packages.

GO ?= go
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0

# Pure Go: only the race detector needs a C compiler. The programs know their commit (--version) where git tells it: not outside a
# clone, and not in one that belongs to another account, where a build that asks for it would fail.
export CGO_ENABLED := 0
export GOFLAGS := -buildvcs=$(shell git rev-parse --verify --quiet HEAD >/dev/null 2>&1 && echo auto || echo false) $(GOFLAGS)

.PHONY: help build dist demo test test-short soak lint fmt fuzz bench bench-ranking screenshots schema db-reset vuln oldest-go test-newest man licenses check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the programs, into bin/
	mkdir -p bin
	$(GO) build -o bin/ ./cmd/...

dist: ## the packages, into dist/: .tar.gz and .deb for amd64 and arm64, with checksums
	@packaging/dist

demo: ## crawl the PostgreSQL manual (or URL=https://...) into tables, and look at them
	@scripts/demo

test: ## every test, against a real PostgreSQL of their own (or PGSEEK_TEST_DSN); docs/testing.md
	@scripts/need postgresql gcc libc6-dev
	@scripts/test

test-short: ## the quick tests, without the race detector
	@scripts/need postgresql
	PGSEEK_TEST_CLUSTER=$$$$ $(GO) test -short -timeout 5m ./...

# The tests of statements and of the schema, without the race detector, and those tests of whole programs that use most tables.
test-newest: ## the tests of the tables on the newest PostgreSQL (scripts/newest-postgresql fetches it)
	@newest=$$(scripts/newest-postgresql) && export PATH="$$newest:$$PATH" PGSEEK_TEST_CLUSTER=$$$$ PGSEEK_TEST_DSN= && set -x && \
	$(GO) test -timeout 20m ./migrations ./store/... ./merge/... && \
	$(GO) test -timeout 20m -run '^Test(T[0-9]|Story|Golden|SearchEquals)' ./e2e

soak: ## what make test samples, whole: PART=kills, ...; without PART it lists the parts
	@scripts/need postgresql gcc libc6-dev
	@scripts/soak $(PART)

lint: ## vet, golangci-lint with gofumpt and the import rules, tidy go.mod
	$(GO) vet ./...
	$(GO) run $(GOLANGCI_LINT) run
	cd e2e/browser && $(GO) run $(GOLANGCI_LINT) run --config $(CURDIR)/.golangci.yml
	for mod in $$(git ls-files '*go.mod'); do $(GO) -C $$(dirname $$mod) mod tidy -diff || exit 1; done

fmt: ## format the code as lint requires
	$(GO) run $(GOLANGCI_LINT) fmt

fuzz: ## every fuzz target, 30 s each (FUZZ=n for another number)
	@scripts/need postgresql
	@scripts/fuzz $(FUZZ)

bench: ## speed and memory, compared with the minimum that does the job
	@scripts/bench

bench-ranking: ## how well searches rank Python's manual and the manual pages; fails below its bars
	@scripts/bench-ranking

# The fonts are those of a desktop. The pages are correct without them, but the text is wider.
screenshots: ## pictures of the pages into docs/screenshots, of the server at PGSEEK_URL or else of sample results
	@scripts/need chromium fonts-noto-core
	PGSEEK_BROWSER=1 PGSEEK_SCREENSHOTS=$(CURDIR)/docs/screenshots $(GO) -C e2e/browser test -count=1 -run '^(TestScreenshots|TestBrowserAdmin)$$' -v .

schema: ## write docs/schema.sql, and the tables of docs/schema.md, from a migrated database
	@scripts/need postgresql
	$(GO) test ./migrations -count=1 -run '^(TestSchemaSQL|TestDocumentEqualsCatalog)$$' -update

db-reset: ## remove the databases of this clone
	@scripts/db-reset

vuln: ## known vulnerabilities of the dependencies
	$(GO) run $(GOVULNCHECK) ./...

# The Go release named in go.mod is fetched unless it is installed. vet compiles the tests, too.
oldest-go: ## build the programs and vet everything with the oldest Go that go.mod allows
	GOTOOLCHAIN=go$$(awk '$$1 == "go" { print $$2 }' go.mod) $(GO) build -o /dev/null ./cmd/...
	GOTOOLCHAIN=go$$(awk '$$1 == "go" { print $$2 }' go.mod) $(GO) vet ./...
	GOTOOLCHAIN=go$$(awk '$$1 == "go" { print $$2 }' e2e/browser/go.mod) $(GO) -C e2e/browser vet ./...

man: ## the manual pages of the programs and of their files, into bin/man/
	mkdir -p bin/man
	$(GO) build -o bin/ ./cmd/index ./cmd/searchd
	bin/index --man >bin/man/index.1
	bin/searchd --man >bin/man/searchd.1
	$(GO) run ./internal/manual/pages bin/man

licenses: ## write THIRD_PARTY_LICENSES
	$(GO) run ./internal/licenses >THIRD_PARTY_LICENSES.new && mv THIRD_PARTY_LICENSES.new THIRD_PARTY_LICENSES || { rm -f THIRD_PARTY_LICENSES.new; exit 1; }

check: lint test ## lint and test
