/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rules hold for a group: the user's own before the built-in ones, which are read when an object of their group
 * is met.
 */
#include "kube/family/rules/set.h"
#include "kube/evidence/evidence.h"

#include "kube/base/alloc.h"
#include "kube/base/assert.h"
#include "kube/base/map.h"

#include <string.h>

/* no compiler in use has the limit of the C standard, 4095 bytes in a string */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* groups: separated by blanks */
static const struct {
	const char *name, *groups, *text;
} builtin[] = {
#define RULES(name, groups, text) { name, groups, text },
#include "rules.def"
#undef RULES
	{ NULL, NULL, NULL }
};

enum { BUILTIN = sizeof(builtin) / sizeof(builtin[0]) - 1 };

static struct registry {
	struct arena arena;
	struct rule_set *own;		/* the user's own; the file that was read last is the first */
	struct rule_set *read[BUILTIN + 1];
	struct map by_group;		/* from a group to its struct rule_set */
	struct rule_set none;		/* for groups that are in no file */
} registry;

/* Finds "*.example.org", which fits every group that ends so; as for families, the exact name counts more. */
static int match(const char *pattern, size_t len, struct str group)
{
	if (pattern[0] == '*')
		return group.len >= len - 1 && memcmp(group.ptr + group.len - (len - 1), pattern + 1, len - 1) == 0;
	return group.len == len && memcmp(group.ptr, pattern, len) == 0 ? 2 : 0;
}

static int list_match(const char *const *groups, struct str group)
{
	int best = 0;

	for (; *groups; groups++) {
		int m = match(*groups, strlen(*groups), group);

		best = m > best ? m : best;
	}
	return best;
}

static int text_match(const char *groups, struct str group)
{
	int best = 0;

	while (*groups) {
		size_t n = strcspn(groups, " ");
		int m = match(groups, n, group);

		best = m > best ? m : best;
		groups += n + (groups[n] == ' ');
	}
	return best;
}

static void inspect(struct verdict *v)
{
	const struct kind *kind = verdict_kind(v);
	const struct rule_set *set = map_get(&registry.by_group, kind->group);

	evidence_inspect(v, set ? set->rows : NULL);
}

static void keep_set(void *ctx, struct rule_set set)
{
	struct rule_set **first = ctx, *kept = arena_alloc(&registry.arena, sizeof(*kept));

	*kept = set;
	kept->next = *first;
	*first = kept;
}

/* A built-in file has no problems, because a test reads all of them. */
static struct rule_set *read_builtin(size_t i)
{
	struct rules_report report = { 0 };
	struct str file;

	if (registry.read[i])
		return registry.read[i];
	file = arena_printf(&registry.arena, "built-in rules %s", builtin[i].name);
	if (rules_parse(&registry.arena, file, str_of(builtin[i].text), &report, keep_set, &registry.read[i]) < 0)
		registry.read[i] = NULL;
	assert(registry.read[i]);
	rules_report_release(&report);
	return registry.read[i];
}

static struct rule_set *builtin_for(struct str group)
{
	size_t best = BUILTIN;
	int best_match = 0;

	for (size_t i = 0; i < BUILTIN; i++) {
		int m = text_match(builtin[i].groups, group);

		if (m > best_match) {
			best = i;
			best_match = m;
		}
	}
	return best < BUILTIN ? read_builtin(best) : NULL;
}

static void add_up(struct rule_set *all, const struct rule_set *more)
{
	struct kind_row *rows = arena_array(&registry.arena, all->nrows + more->nrows + 1, sizeof(*rows));
	struct controller_rule *controllers =
		arena_array(&registry.arena, all->ncontrollers + more->ncontrollers + 1, sizeof(*controllers));

	if (all->nrows)
		memcpy(rows, all->rows, all->nrows * sizeof(*rows));
	if (more->nrows)
		memcpy(rows + all->nrows, more->rows, more->nrows * sizeof(*rows));
	if (all->ncontrollers)
		memcpy(controllers, all->controllers, all->ncontrollers * sizeof(*controllers));
	if (more->ncontrollers)
		memcpy(controllers + all->ncontrollers, more->controllers, more->ncontrollers * sizeof(*controllers));
	all->rows = rows;
	all->controllers = controllers;
	all->nrows += more->nrows;
	all->ncontrollers += more->ncontrollers;
	if (!all->family.id) {
		all->family.id = more->family.id;
		all->family.title = more->family.title;
	}
}

/* Collects all rows that hold for a group, in the order in which they are tried. */
static struct rule_set *put_together(struct str group)
{
	struct rule_set *all = NULL, *under = builtin_for(group);

	for (struct rule_set *own = registry.own; own; own = own->next) {
		if (!list_match(own->groups, group))
			continue;
		if (!all)
			all = arena_alloc(&registry.arena, sizeof(*all));
		add_up(all, own);
	}
	/*
	 * families are compared by their address in some places: a group has one family, unless one file alone has
	 * rules for it
	 */
	if (!all)
		return under;
	if (under)
		add_up(all, under);
	all->family.name = "generic";
	all->family.controllers = all->controllers;
	return all;
}

const struct family *rules_family(const struct kind *kind)
{
	struct rule_set *set = map_get(&registry.by_group, kind->group);

	if (!set) {
		set = put_together(kind->group);
		if (set) {
			set->family.inspect = inspect;
			set->family.assess = evidence_assess;
			set->family.workloads_speak = true;
			set->family.provisions_once = true;
		}
		map_set(&registry.by_group, kind->group, set ? set : &registry.none);
	}
	return set && set != &registry.none ? &set->family : NULL;
}

static void ignore_set(void *ctx, struct rule_set set)
{
	(void)ctx, (void)set;
}

int rules_read(struct str file, struct str text, bool keep, struct rules_report *report)
{
	struct rule_set *sets = NULL;
	int result;

	if (!keep)
		return rules_parse(&report->arena, file, text, report, ignore_set, NULL);
	result = rules_parse(&registry.arena, file, text, report, keep_set, &sets);
	while (result == 0 && sets) {
		struct rule_set *next = sets->next;

		sets->next = registry.own;
		registry.own = sets;
		sets = next;
	}
	map_release(&registry.by_group);
	return result;
}

void rules_report_release(struct rules_report *r)
{
	xfree(r->problems);
	xfree(r->examples);
	xfree(r->groups);
	arena_release(&r->arena);
	*r = (struct rules_report){ 0 };
}

const struct family family_rules = {
	.name = "generic",
	.id = "rules",
	.title = "operators that rule files describe",
	.stands_for = rules_family,
	.inspect = inspect,
	.assess = evidence_assess,
	.workloads_speak = true,
	.provisions_once = true,
};
