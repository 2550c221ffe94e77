# kubectl status: make help lists the targets
VERSION := 0.1.0
RELEASED := 2026-11-22
PREFIX ?= /usr/local
B ?= build

PKGS := libcurl libcrypto ncursesw libcjson yaml-0.1 zlib libarchive
WARN := -Wall -Wextra -Wpedantic -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wundef
OPT ?= -O2 -D_FORTIFY_SOURCE=2
HARDEN ?= -fstack-protector-strong -fPIE
CFLAGS ?= -g
override CPPFLAGS += -I. -I$(B) -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DRELEASED='"$(RELEASED)"'
# The user's flags come last, so they win.
override CFLAGS := -std=c17 $(WARN) $(OPT) $(HARDEN) $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
# macOS's linker knows no -z, and has what it asks for by itself.
RELRO := $(if $(findstring apple,$(shell $(CC) -dumpmachine 2>/dev/null)),,-Wl,-z,relro,-z,now)
override LDFLAGS := -pie $(RELRO) $(LDFLAGS)
LDLIBS = $(shell pkg-config --libs $(PKGS)) -lm

LIB_SRC := $(sort $(wildcard kube/*/*.c kube/*/*/*.c tui/*/*.c))
PLUGIN_SRC := $(sort $(wildcard plugin/*.c plugin/*/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
PLUGIN_OBJ := $(PLUGIN_SRC:%.c=$(B)/%.o)
LIB := $(B)/libstatus.a
PLUGIN_LIB := $(B)/libplugin.a
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FAMILIES := $(B)/families.def

.PHONY: all help debug fmt compile_commands.json uninstall deps demo test unit-built steps-built live check checked sanitized steps verdicts verdicts-diff rows soak bench instructions instructions-renew dist release-check install clean unit cases worlds operators e2e fuzz-corpora fuzz fuzz-longer \
	generated generated-check FORCE

all: kubectl-status ## build the program

help:
	@sed -n 's/^\([a-z_.-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | while IFS="$$(printf '\t')" read -r t what; do \
		printf '  make %-14s %s\n' "$$t" "$$what"; done

debug: ## build build/debug/kubectl-status for a debugger, without optimisation, with the costly assertions
	@$(MAKE) --no-print-directory B=build/debug OPT="-O0 -DASSERT_COSTLY" HARDEN="-fPIE" CFLAGS="-g3" build/debug/kubectl-status

fmt: ## format the lines that were changed since main with clang-format
	@git clang-format -f --style file --extensions c,h $$(git merge-base main HEAD)

# For editors and clangd; make -n tells the commands of a build from nothing.
compile_commands.json: ## write it, for editors and clangd
	@$(MAKE) --no-print-directory -n -B V=1 B=$(B) $(B)/kubectl-status | python3 tests/compile_commands.py > $@

kubectl-status: $(B)/kubectl-status
	@ln -sf $< $@


# make V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo "  $(1)	$(2)")

$(B)/kubectl-status: $(PLUGIN_OBJ) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(LIB): $(LIB_OBJ)
	$(Q)rm -f $@
	$(Q)$(AR) qcs $@ $^

# What tests/steps/steps.c links: each basic block counts itself, and each call of what touches many bytes is counted.
STEPS := $(B)/steps
STEPS_FLAGS := -O1 -fno-builtin -fsanitize-coverage=trace-pc
STEPS_WRAPPED := memchr memrchr memmem memcmp memcpy memmove memset strlen strchr strrchr strstr strcmp strncmp strcasecmp \
	strncasecmp vsnprintf
STEPS_LIBS := $(STEPS)/libplugin.a $(STEPS)/libstatus.a
$(STEPS)/libstatus.a: $(LIB_OBJ:$(B)/%=$(STEPS)/%)
	$(Q)rm -f $@
	$(Q)$(AR) qcs $@ $^

$(STEPS)/libplugin.a: $(filter-out %/main.o,$(PLUGIN_OBJ:$(B)/%=$(STEPS)/%))
	$(Q)rm -f $@
	$(Q)$(AR) qcs $@ $^

$(STEPS)/%.o: %.c | $(B)/tools
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -fPIE -g $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(STEPS_FLAGS) -MMD -MP -c -o $@ $<

$(STEPS)/steps: tests/steps/steps.c tests/steps/count.c $(STEPS_LIBS)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -O1 -fno-builtin -g $(LDFLAGS) $(STEPS_WRAPPED:%=-Wl,--wrap=%) -MMD -MP -o $@ $(filter %.c %.a,$^) $(LDLIBS)

# A program in which one row of a table can be left out: tests/rows.py.
ROWS_OBJ := $(B)/rows/rules.o $(B)/rows/decision_table.o
$(ROWS_OBJ): $(B)/rows/%.o: kube/evidence/%.c | $(B)/tools
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -DRULES_SWITCH -MMD -MP -c -o $@ $<

$(B)/rows/kubectl-status: $(ROWS_OBJ) $(PLUGIN_OBJ) $(filter-out $(ROWS_OBJ:$(B)/rows/%=$(B)/kube/evidence/%),$(LIB_OBJ))
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# For tests of the plugin's parts.
$(PLUGIN_LIB): $(filter-out $(B)/plugin/main.o,$(PLUGIN_OBJ))
	$(Q)rm -f $@
	$(Q)$(AR) qcs $@ $^

# Before the first file is compiled: what is missing is told in one line.  A build that names its libraries itself
# (packaging/static.sh) has no PKGS.
$(B)/tools: packages.sh
	@mkdir -p $(@D)
	@$(if $(PKGS),CC="$(CC)" ./packages.sh missing)
	@touch $@

$(B)/%.o: %.c | $(B)/tools
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# A family is registered by its file's existence.  What is always made again is made under a name of its own first, as parts of a test
# run call make beside each other.
$(FAMILIES): FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; grep -ho '^const struct family family_[a-z0-9_]*' kube/family/*/*.c | \
		sed 's/.*family_\(.*\)/FAMILY(\1)/' | LC_ALL=C sort > $$new; cmp -s $$new $@ && rm $$new || mv $$new $@

$(B)/kube/family/families.o $(STEPS)/kube/family/families.o: $(FAMILIES)

# The commit, where it is known: only what prints it is built again for it.
$(B)/commit.h: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; echo "#define COMMIT \"$$(packaging/commit.sh)\"" >$$new; \
		cmp -s $$new $@ && rm $$new || mv $$new $@

$(B)/plugin/help/help.o $(STEPS)/plugin/help/help.o: $(B)/commit.h

# The rule files that are built in.
RULES := $(sort $(wildcard kube/rules/*.yaml))
$(B)/rules.def: kube/rules/embed.sh $(RULES) kube/rules
	@mkdir -p $(@D)
	$(Q)kube/rules/embed.sh $(RULES) > $@.new && mv $@.new $@

$(B)/kube/family/rules/registry.o $(STEPS)/kube/family/rules/registry.o: $(B)/rules.def

# What the words of a phrase say, as a table of C.
$(B)/words.def: kube/status/words.sh kube/status/words.txt
	@mkdir -p $(@D)
	$(Q)kube/status/words.sh kube/status/words.txt > $@.new && mv $@.new $@

$(B)/kube/status/phrase.o $(STEPS)/kube/status/phrase.o: $(B)/words.def

# The style of the report, as strings of C without comments.
$(B)/report_css.def: plugin/output/report.css
	@mkdir -p $(@D)
	$(Q)sed -e '/^\/\*/d' -e 's/^\t*//' -e 's/"/\\"/g' -e 's/.*/"&\\n",/' $< > $@.new && mv $@.new $@

$(B)/plugin/output/blocks_html.o $(STEPS)/plugin/output/blocks_html.o: $(B)/report_css.def

# Texts of which each line becomes a string of C: the scripts of the completions, the manual.
$(B)/%.def: plugin/help/%
	@mkdir -p $(@D)
	$(Q)sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n",/' $< > $@.new && mv $@.new $@

$(B)/plugin/help/completion.o $(STEPS)/plugin/help/completion.o: $(B)/complete/bash.def $(B)/complete/zsh.def $(B)/complete/fish.def
$(B)/plugin/help/manual.o $(STEPS)/plugin/help/manual.o: $(B)/manual.roff.def

# cmocka 2 has other names for what cmocka 1 has, too.
CMOCKA := -Wno-deprecated-declarations -lcmocka

$(B)/unit/%: tests/unit/%.c $(PLUGIN_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(PLUGIN_LIB) $(LIB) $(LDLIBS) $(CMOCKA)

# FUZZER is libFuzzer's own flag, or empty: then the driver runs the corpus and its mutations.
$(B)/fuzz/%: tests/fuzz/%.c $(if $(FUZZER),,tests/fuzz/driver.c) $(PLUGIN_LIB) $(LIB)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(FUZZER) $(LDFLAGS) -MMD -MP -o $@ $(filter %.c,$^) $(PLUGIN_LIB) $(LIB) $(LDLIBS)

# ---- tests ----------------------------------------------------------------

deps:
	@./packages.sh build

JOBS := -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# Installs what is missing, builds, and plays a recorded incident in the dashboard.
demo: deps ## install what is missing, build, play a recorded incident
	@$(MAKE) --no-print-directory $(JOBS) kubectl-status
	@if [ -t 0 ] && [ -t 1 ]; then \
		./kubectl-status --replay demo/incident.jsonl.gz --speed 4; \
	else \
		echo "This is no terminal: run make demo in one to see the dashboard. The end of the recording, as text:"; echo; \
		./kubectl-status --replay demo/incident.jsonl.gz --problems; \
	fi
	@echo
	@echo "Next: ./kubectl-status shows your own cluster (kubectl's current context; it only reads)."
	@echo "      docs/incident.md goes through this incident key by key."

# KUBECTL_STATUS_REQUIRE_CLUSTER=1 fails where the real API server cannot be built; PARTS="unit cases" runs these alone.
test: ## install what is missing and run every test
	@command -v "$${PYTHON:-python3}" >/dev/null 2>&1 || ./packages.sh test
	@B=$(B) "$${PYTHON:-python3}" tests/run.py $(PARTS)

# What tests/run.py compiles before it runs these.
unit-built: $(UNIT) ; @:
steps-built: $(STEPS)/steps ; @:

unit: unit-built ## unit tests
	@"$${PYTHON:-python3}" tests/run_units.py $(UNIT)

steps: steps-built ## twice the input takes about twice the steps, whatever its shape
	$(STEPS)/steps

# All of them, also after one that failed.
cases: kubectl-status ## cases of the families
	@export KUBECTL_STATUS=$(B)/kubectl-status python=$$(tests/python.sh); status=0; \
	for what in cases stories reasons; do "$$python" tests/run_$$what.py || status=1; done; \
	$$KUBECTL_STATUS rules check kube/rules || status=1; exit $$status

worlds: kubectl-status ## recordings of real controllers, and what is true of them
	KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/operators/judge.py $(ONE)

# VERDICTS_CORPUS names a folder of more objects.
VERDICTS = KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/verdicts.py

verdicts: kubectl-status ## what is concluded of every object of the tests, as a table: build/verdicts.tsv
	$(VERDICTS) > $(B)/verdicts.new && mv $(B)/verdicts.new $(B)/verdicts.tsv

# ROWS="general orc" are rows of these alone.
rows: $(B)/rows/kubectl-status ## each row of the general rules and of the families is left out in turn: some case must miss it
	$$(tests/python.sh) tests/rows.py $< $(ROWS)

# OLD is not written to; 1 is the exit status of a difference.
OLD ?= $(B)/verdicts.tsv
verdicts-diff: kubectl-status ## what this program concludes otherwise than the table OLD (build/verdicts.tsv) says; WITHOUT=rule,message
	@test -r "$(OLD)" || { echo "$(OLD) cannot be read: make verdicts before the change makes it, OLD=FILE names another one" >&2; exit 1; }
	$(VERDICTS) > $(B)/verdicts.new
	@$(VERDICTS) --without "$(WITHOUT)" --diff "$(OLD)" $(B)/verdicts.new || test $$? = 1

operators: kubectl-status ## build, run, record and judge real controllers; ONE=name for one of them
	KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/operators/run.py $(ONE)

PYTESTS = KUBECTL_STATUS=$(abspath $(B)/kubectl-status) PYTHONPATH=tests $$(tests/python.sh) -m pytest -q -p no:cacheprovider \
	-p results_of_pytest $(PYTEST)
# Most of them wait most of the time, and may do so together; pytest-xdist before 3.2 shares them out at the beginning.
# Those with a real API server are in two groups (tests/live/conftest.py).
TOGETHER = -n 8 --dist $$($$(tests/python.sh) -c "import importlib.util as u; print('worksteal' if u.find_spec('xdist.scheduler.worksteal') else 'load')")
LIVE := -n 2

e2e: kubectl-status ## end-to-end tests before a fake API server and in a terminal
	$(PYTESTS) $(TOGETHER) tests/e2e

live: kubectl-status ## end-to-end tests before a real API server
	$(PYTESTS) $(LIVE) tests/live

fuzz-corpora: $(FUZZ)
	@set -e; for f in $(FUZZ); do \
		c=tests/fuzz/corpus/$$(basename $$f | sed s/fuzz_//); echo "== $$f $$c"; $$f $$c/*; done

# Each target over inputs of its own making, FUZZ_SECONDS long, what strangers send and what must not leak
# six times as long: what crashed is left in $(B)/fuzz.  FUZZ_SEED 0: others each time.
FUZZ_SECONDS ?= 10
FUZZ_SEED ?= 0
fuzz: $(FUZZ)
	@set -e; for f in $(FUZZ); do \
		t=$(FUZZ_SECONDS); case $$f in *_recording|*_redact) t=$$((t * 6));; esac; \
		c=tests/fuzz/corpus/$$(basename $$f | sed s/fuzz_//); echo "== $$f for $$t s"; \
		if [ -n "$(FUZZER)" ]; then mkdir -p $$f.found; $$f -seed=$(FUZZ_SEED) -max_total_time=$$t -timeout=20 -rss_limit_mb=2048 \
			-verbosity=0 -close_fd_mask=1 -max_len=65536 -artifact_prefix=$$f. $$f.found $$c >$$f.log 2>&1 || \
			{ tail -n 60 $$f.log; exit 1; }; \
		else $$f -t $$t $$c/*; fi; done

# How the program and its tests are built with address and undefined behaviour watched, and with the costly assertions.
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
WATCHED := OPT="-O1 -DASSERT_COSTLY" HARDEN="-fPIE"
ASAN := B=build/asan $(WATCHED) CFLAGS="-g -Werror $(SANITIZE)"
LIBFUZZER := B=build/fuzzer CC=clang $(WATCHED) FUZZER=-fsanitize=fuzzer CFLAGS="-g -Werror -fsanitize=fuzzer-no-link $(SANITIZE)"
HAS_LIBFUZZER = echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
	clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null

# libFuzzer where clang has it.
fuzz-longer:
	@if $(HAS_LIBFUZZER); then $(MAKE) --no-print-directory $(LIBFUZZER) fuzz; else $(MAKE) --no-print-directory $(ASAN) fuzz; fi

# Layers, generated files, warnings as errors with both compilers, sanitizers, fuzz corpora and mutations: the same
# ones each time, so that who changes something else does not meet a new one.  Each of gcc, clang and gcc with
# sanitizers compiles the sources once.
check: ## layers, warnings, sanitizers, fuzz corpora
	python3 tests/style/macros.py
	python3 tests/style/verdicts.py
	@$(MAKE) --no-print-directory B=build/gcc CFLAGS="-g -Werror" checked
	@if $(HAS_LIBFUZZER); then $(MAKE) --no-print-directory $(LIBFUZZER) build/fuzzer/plugin/main.o; \
	elif command -v clang >/dev/null; then \
		$(MAKE) --no-print-directory B=build/clang CC=clang CFLAGS="-Werror" build/clang/kubectl-status; fi
	@$(MAKE) --no-print-directory rows
	@$(MAKE) --no-print-directory $(ASAN) sanitized
	@$(MAKE) --no-print-directory FUZZ_SEED=1 fuzz-longer

# What is checked of the program as it is released.
checked: $(B)/kubectl-status generated-check instructions
	python3 tests/style/layers.py $(B)

# Every test once more, with address and undefined behaviour watched.  The program
# forbids core dumps and so tracing, which the search for leaks needs: units only.
sanitized: $(B)/kubectl-status unit fuzz-corpora
	ASAN_OPTIONS=detect_leaks=0 KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/run_cases.py
	ASAN_OPTIONS=detect_leaks=0 $(PYTESTS) $(TOGETHER) tests/e2e
	ASAN_OPTIONS=detect_leaks=0 $(PYTESTS) tests/live/incident

# Ten minutes of a bad line to a busy API server; KUBECTL_STATUS_SEED=n repeats one.
soak: kubectl-status $(B)/unit/test_feeds $(B)/unit/test_past $(B)/unit/test_ceilings ## a million names come and go; what is kept of the past, below its ceilings; 100,000 random keys and events; 100,000 events on one connection; ten minutes of a bad line to a busy API server
	@$(MAKE) --no-print-directory $(ASAN) build/asan/unit/test_ui_monkey
	UI_MONKEY_RUNS=250 build/asan/unit/test_ui_monkey
	KUBECTL_STATUS_CHURN=1000000 $(B)/unit/test_feeds
	KUBECTL_STATUS_SOAK=1 $(B)/unit/test_past
	KUBECTL_STATUS_SOAK_CHANGES=1000000 $(B)/unit/test_ceilings
	KUBECTL_STATUS_SOAK_EVENTS=100000 $(PYTESTS) -s tests/e2e/test_client_stalls.py
	KUBECTL_STATUS_SOAK=120 $(PYTESTS) -s tests/e2e/test_client_soak.py
	KUBECTL_STATUS_SOAK=600 $(PYTESTS) -s tests/live/test_soak.py

# ---- what is made from the tables and by the program ----------------------

generated: kubectl-status ## make the manual, the families' lists of words and the picture that moves again
	./kubectl-status completion man > plugin/help/kubectl-status.1
	python3 tests/family_pages.py
	python3 tests/rules_page.py
	python3 tests/family_rules_page.py
	KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/incident_picture.py

generated-check: $(B)/kubectl-status
	@$< completion man | cmp - plugin/help/kubectl-status.1
	@for s in bash zsh fish; do $< completion $$s | cmp - plugin/help/complete/$$s; done
	@python3 tests/family_pages.py --check
	@python3 tests/rules_page.py --check
	@python3 tests/family_rules_page.py --check
	@KUBECTL_STATUS=$(abspath $<) $$(tests/python.sh) tests/incident_picture.py --check

# ---- figures, packages ------------------------------------------------------

bench: kubectl-status $(B)/unit/bench_graph $(B)/unit/bench_event $(B)/unit/bench_redact $(B)/unit/bench_shapes ## speed and memory, beside what they should be
	$(B)/unit/bench_redact
	$(B)/unit/bench_graph
	$(B)/unit/bench_event
	$(B)/unit/bench_shapes
	KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/bench.py
	KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/bench_dashboard.py
	KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/bench_recording.py
	KUBECTL_STATUS=$(abspath $(B)/kubectl-status) $$(tests/python.sh) tests/bench_history.py --size 60 --pods 2000

# More than a tenth more instructions than tests/instructions.txt says is an error.
instructions: $(B)/unit/bench_turn
	tests/instructions.sh $<

instructions-renew: $(B)/unit/bench_turn
	tests/instructions.sh $< --renew

# Static programs for Linux, one file each: needs Debian 12 or newer and, once, some minutes; ARCHS=amd64 for that one alone,
# ARCHS="amd64 arm64 sources" also for the sources of the libraries, which a release keeps.
ARCHS := amd64 arm64
dist: ## archives for publishing
	packaging/dist.sh $(VERSION) $(ARCHS)

release-check: ## could the commit be released? everything built twice, from a clone and without git, and held against each other
	packaging/release-check.sh $(VERSION)

MANDIR ?= $(PREFIX)/share/man/man1
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d

# Root installs, but builds nothing in the folder of somebody else: there that one builds.
install: ## install below PREFIX (/usr/local)
	@packaging/as-owner.sh $(MAKE) --no-print-directory kubectl-status
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(MANDIR) $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 755 $(B)/kubectl-status $(DESTDIR)$(PREFIX)/bin/kubectl-status
	ln -sf kubectl-status $(DESTDIR)$(PREFIX)/bin/kubectl_complete-status
	install -m 644 plugin/help/kubectl-status.1 $(DESTDIR)$(MANDIR)/kubectl-status.1
	install -d $(DESTDIR)$(PREFIX)/share/kubectl-status
	install -m 644 docs/rules.schema.json $(DESTDIR)$(PREFIX)/share/kubectl-status/rules.schema.json
	install -m 644 plugin/help/complete/bash $(DESTDIR)$(BASHDIR)/kubectl-status
	install -m 644 plugin/help/complete/zsh $(DESTDIR)$(ZSHDIR)/_kubectl-status
	install -m 644 plugin/help/complete/fish $(DESTDIR)$(FISHDIR)/kubectl-status.fish

uninstall: ## remove what install installed
	rm -f $(DESTDIR)$(PREFIX)/bin/kubectl-status $(DESTDIR)$(PREFIX)/bin/kubectl_complete-status \
		$(DESTDIR)$(MANDIR)/kubectl-status.1 $(DESTDIR)$(BASHDIR)/kubectl-status \
		$(DESTDIR)$(ZSHDIR)/_kubectl-status $(DESTDIR)$(FISHDIR)/kubectl-status.fish \
		$(DESTDIR)$(PREFIX)/share/kubectl-status/rules.schema.json

clean: ## remove everything that was built
	rm -rf build kubectl-status dist

-include $(shell find $(B) -name '*.d' 2>/dev/null)
