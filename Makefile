# make run    set up and run the main job on the sample pictures
# make test   pass the tests
# The rest is for people who work on oatta; CONTRIBUTING.md says more.

GO      ?= go
OATTA   := bin/oatta
TOOL    := $(GO) tool -modfile=internal/tools/go.mod
FUZZ    ?= 20s
SAMPLES := datasets/samples/heron

.PHONY: all setup assets run test skips check lint nocgo cross wine arm64 race bench fuzz generate same man dist wheel test-dist test-conda cut open clean FORCE

all: $(OATTA)

$(OATTA): FORCE
	$(GO) build -o $@ ./cmd/oatta

# The ONNX Runtime library, verified and cached; nothing is fetched twice.
setup: $(OATTA)
	$(OATTA) setup

# What tests take and the repository may not hold, by package name, some 300 MB; nothing is fetched twice.
assets:
	bash internal/testdata/assets.sh

run: setup
	$(OATTA) run images --causal --metadata $(SAMPLES).csv --format table $(SAMPLES)

# Tests that lack what they need say so in a file, as go test without -v would not.
test: setup
	$(GO) vet ./...
	@mkdir -p out && rm -f out/skipped; \
	OATTA_SKIPS=$(CURDIR)/out/skipped $(GO) test -count=1 -timeout 20m ./...; code=$$?; \
	$(MAKE) -s skips; exit $$code

# What the last run of the tests went without, by reason: tests that were skipped, and others that left out a part or took a stand-in.
skips:
	@touch -a out/skipped; for what in skipped part; do \
	  grep "	$$what	" out/skipped | sort | awk -F'\t' -v what=$$what ' \
	    {n[$$1]++; who[$$1] = who[$$1] " " $$3; all++} \
	    END {if (all) print all, (what == "part" ? "tests went without a part, or with a stand-in:" : "tests were skipped (CONTRIBUTING.md):"); \
	      for (r in n) printf "%4d  %s:%s\n", n[r], r, who[r] | "sort -rn"}'; \
	done

# Everything that a change must pass.
check: lint test nocgo cross race

lint:
	@out=$$($(TOOL) gofumpt -l $$(git ls-files '*.go' | grep -v -e '\.pb\.go$$' -e '\.connect\.go$$')); \
	if [ -n "$$out" ]; then echo "gofumpt would change:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	cd internal/tools && $(GO) vet ./... && $(GO) tool staticcheck ./...

# All must build without cgo, and what the engine's other way into the library reaches must pass: the rest is the same code either way.
nocgo: setup
	CGO_ENABLED=0 $(GO) vet ./...
	CGO_ENABLED=0 $(GO) vet -tags noengine ./runtime/ort ./cmd/oatta
	CGO_ENABLED=0 $(GO) test ./runtime/... ./models/predict ./internal/method ./internal/inputs ./internal/pipeline ./internal/cli/run ./serve/backend/...
	CGO_ENABLED=0 $(GO) test -run 'Filter|Flags|Formats' ./cmd/oatta

# The systems that releases are for, built from here without a C compiler, tests too.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
cross:
	@set -e; for p in $(PLATFORMS); do echo "$$p"; \
	  export CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/}; $(GO) vet ./...; \
	  $(GO) build -trimpath -o "out/cross/$${GOOS}-$${GOARCH}/" ./cmd/oatta; \
	done

# The packages with goroutines whole, and most beside them; of the program, the runs that are short enough for the detector.
race: setup
	$(GO) test -race ./models/predict $$($(GO) list ./internal/... | grep -v -e /charts -e /explain$$ -e /oracle -e /scores$$) ./runtime/... ./preprocess/... ./datasets/...
	$(GO) test -race ./serve/...
	$(GO) test -race -run Batch ./adapt
	$(GO) test -race -run 'ResumeOf|BadFiles|Formats|Filter|Evaluation|TwoAtOnce' ./cmd/oatta

# Tests for Windows, and the program, under Wine (internal/testdata/wine.sh, which says what it needs).
wine:
	bash internal/testdata/wine.sh

# Tests for arm64, and the program, under qemu (internal/testdata/arm64.sh, which says what it needs).
arm64:
	bash internal/testdata/arm64.sh

bench: setup
	$(GO) test -run '^$$' -bench . -benchtime 1s ./adapt ./preprocess/image ./runtime/ort ./internal/cli/run

# Each fuzz target for FUZZ.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ) $$pkg; \
	  done; \
	done

# Whether two versions write the same bytes: make same OLD=revision [NEW=revision, else the working tree] [SAME="-allow FILE -only TEXT"]
same:
	$(GO) run ./internal/samebytes -old "$(OLD)" -new "$(NEW)" $(SAME)

# What is generated and committed: protobuf code, embedded models.
generate:
	$(GO) generate ./...

# What users install, for all platforms, in out/dist: make dist [DIST="-platforms linux/amd64 -only deb,rpm"]; docs/install.md says more.
dist:
	$(GO) -C internal/tools run ./dist -out $(CURDIR)/out/dist $(DIST)

# The wheel for Python on this machine.
wheel:
	$(GO) -C internal/tools run ./dist -out $(CURDIR)/out/wheel -platforms host -only wheel

# Packages of this platform, twice, whose bytes must be the same; and the wheel in a Python of its own.
test-dist: setup
	$(GO) -C internal/tools test ./...
	bash internal/tools/dist/twice.sh out/dist-twice
	bash internal/python/tests/run.sh out/dist-twice/one/*.whl

# The recipe for conda, built and installed by its own tools from PyPI.
test-conda: setup
	bash internal/tools/dist/conda.sh out/conda

# The version in the works gets its date, and the next one begins: make cut VERSION=0.1.0, make open VERSION=0.2.0; CONTRIBUTING.md says what is between.
cut open:
	$(GO) -C internal/tools run ./cut $@ "$(VERSION)"

# Man pages, for `man -l out/man/oatta-run-images.1` or a folder of $MANPATH.
man: $(OATTA)
	$(OATTA) reference --man out/man

clean:
	rm -rf bin out
