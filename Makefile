# kubectl status: make, make test, make check, make demo, make bench, make dist, make install
VERSION := 0.1.0
PREFIX ?= /usr/local
B ?= build

PKGS := libcurl ncursesw yaml-0.1 libcjson
WARN := -Wall -Wextra -Wpedantic -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wshadow -Wconversion -Wcast-qual -Wformat=2 -Wundef
OPT ?= -O2 -D_FORTIFY_SOURCE=2
HARDEN ?= -fstack-protector-strong -fPIE
CFLAGS ?= -g
override CPPFLAGS += -I. -I$(B) -D_GNU_SOURCE -DVERSION='"$(VERSION)"'
override CFLAGS += -std=c17 $(WARN) $(OPT) $(HARDEN) $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
override LDFLAGS += -pie -Wl,-z,relro,-z,now
LDLIBS = $(shell pkg-config --libs $(PKGS)) -lm
# Interim, while pieces are still missing: to be removed.
LDLIBS += -Wl,--unresolved-symbols=ignore-all

LIB_SRC := $(sort $(wildcard kube/*/*.c tui/*/*.c))
PLUGIN_SRC := $(sort $(wildcard plugin/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
PLUGIN_OBJ := $(PLUGIN_SRC:%.c=$(B)/%.o)
UNIT := $(patsubst tests/unit/%.c,$(B)/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FAMILIES := $(B)/families.def

.PHONY: all deps demo test check bench dist install clean fmt unit fuzz-corpora generated FORCE

all: kubectl-status

kubectl-status: $(B)/kubectl-status
	@ln -sf $< $@

$(B)/kubectl-status: $(PLUGIN_OBJ) $(LIB_OBJ)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# A family is registered by its file's existence.
$(FAMILIES): FORCE
	@mkdir -p $(@D)
	@grep -ho '^const struct family family_[a-z0-9_]*' kube/family/*.c | \
		sed 's/.*family_\(.*\)/FAMILY(\1)/' | sort > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(B)/kube/status/families.o: $(FAMILIES)

$(B)/unit/%: tests/unit/%.c $(LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< $(filter %.o,$^) $(LDLIBS) -lcmocka

$(B)/fuzz/%: tests/fuzz/%.c tests/fuzz/driver.c $(LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -o $@ $(filter %.c %.o,$^) $(LDLIBS)

clean:
	rm -rf build kubectl-status dist

-include $(shell find $(B) -name '*.d' 2>/dev/null)
