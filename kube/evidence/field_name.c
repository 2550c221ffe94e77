/* SPDX-License-Identifier: Apache-2.0 */
/* Reads names of fields by their words. */
#include "kube/evidence/field_name.h"
#include "kube/evidence/word_lists.h"

struct name {
	struct str token[FIELD_WORDS];
	size_t n;
};

/* Cuts "readyWorkerReplicas" and "ready_worker_replicas" into words; false: there are too many. */
static bool cut(struct str key, struct name *out)
{
	size_t from = 0;

	out->n = 0;
	for (size_t i = 0; i <= key.len; i++) {
		bool end = i == key.len || !is_alnum(key.ptr[i]);
		bool next = !end && i > from && is_upper(key.ptr[i]) &&
			    (!is_upper(key.ptr[i - 1]) || (i + 1 < key.len && is_alnum(key.ptr[i + 1]) && !is_upper(key.ptr[i + 1])));

		if ((end || next) && i > from) {
			if (out->n == FIELD_WORDS)
				return false;
			out->token[out->n++] = str_head(str_from(key, from), i - from);
		}
		if (end || next)
			from = end ? i + 1 : i;
	}
	return out->n > 0;
}

static bool has_any(const struct name *name, const char *const *words)
{
	for (size_t i = 0; i < name->n; i++)
		if (str_is_any_nocase(name->token[i], words))
			return true;
	return false;
}

/* Returns true for "node" and "nodes". */
static bool is_noun(struct str token, const char *const *nouns)
{
	if (str_is_any_nocase(token, nouns))
		return true;
	return token.len > 2 && str_ends(token, "s") && str_is_any_nocase(str_head(token, token.len - 1), nouns);
}

/* Returns true for "notReady" at the i-th word. */
static bool is_denied(const struct name *name, size_t i)
{
	return i + 1 < name->n && str_eq_nocase(name->token[i], STR("not")) && str_is_any_nocase(name->token[i + 1], list_there);
}

static bool is_ambiguous(struct str token)
{
	return str_is_any_nocase(token, list_ambiguous) || str_is_any_nocase(token, list_done);
}

/* "down" is a state at the end of a name and before what lives: "slurmDown", "downNodes". */
static bool is_broken_word(const struct name *name, size_t i)
{
	if (!str_is_any_nocase(name->token[i], list_broken) || (i > 0 && str_is_any_nocase(name->token[i - 1], list_broken_word)))
		return false;
	return !str_eq_nocase(name->token[i], STR("down")) || i + 1 == name->n || is_noun(name->token[i + 1], list_living);
}

static enum role role_at(const struct name *name, size_t i)
{
	struct str token = name->token[i];

	if (is_denied(name, i) || is_broken_word(name, i))
		return ROLE_BROKEN;
	if (str_is_any_nocase(token, list_perhaps_broken))
		return ROLE_PERHAPS_BROKEN;
	if (str_is_any_nocase(token, list_wanted))
		return ROLE_WANTED;
	return str_is_any_nocase(token, list_there) || str_is_any_nocase(token, list_done) || str_eq_nocase(token, STR("current")) ? ROLE_THERE : ROLE_PLAIN;
}

struct field_count field_count(struct str key)
{
	struct field_count c = { .role = ROLE_PLAIN };
	struct name name;

	if (!cut(key, &name) || has_any(&name, list_aside))
		return (struct field_count){ .role = ROLE_NO_COUNT };
	for (size_t i = 0; i < name.n; i++) {
		enum role role = role_at(&name, i);

		if (role > c.role)
			c.role = role;
		i += is_denied(&name, i);
		c.current |= str_eq_nocase(name.token[i], STR("current"));
		if (role != ROLE_PLAIN) {
			c.ambiguous |= is_ambiguous(name.token[i]);
			continue;
		}
		c.alive |= is_noun(name.token[i], list_living);
		if (!is_noun(name.token[i], list_counting))
			c.unit[c.n++] = name.token[i];
	}
	/* "currentHealthy" counts what is healthy */
	c.current &= c.role == ROLE_THERE && !has_any(&name, list_there);
	return c;
}

/* Returns true for "worker" and "workers". */
static bool same_noun(struct str a, struct str b)
{
	if (str_eq_nocase(a, b))
		return true;
	if (a.len > b.len)
		return a.len == b.len + 1 && str_ends(a, "s") && str_eq_nocase(str_head(a, b.len), b);
	return b.len == a.len + 1 && str_ends(b, "s") && str_eq_nocase(str_head(b, a.len), a);
}

bool field_same_unit(const struct field_count *a, const struct field_count *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_noun(a->unit[i], b->unit[i]))
			return false;
	return true;
}

/* "ready: false", "databaseReachable: false", "configCheckResult: false". */
bool field_should_be_true(struct str key)
{
	struct name name;
	struct str last;

	if (!cut(key, &name))
		return false;
	last = name.token[name.n - 1];
	/* "upNode: true" */
	if (name.n == 2 && str_eq_nocase(name.token[0], STR("up")))
		return true;
	if (name.n > 1 && str_eq_nocase(last, STR("result")) && str_eq_nocase(name.token[name.n - 2], STR("check")))
		return true;
	return !has_any(&name, list_aside) && str_is_any_nocase(last, list_field_should_be_true) && (name.n == 1 || !is_denied(&name, name.n - 2));
}

bool field_tells_state(struct str key)
{
	struct name name;

	return cut(key, &name) && !has_any(&name, list_field_tells_state) && !has_any(&name, list_aside);
}

bool field_is_aside(struct str key)
{
	struct name name;

	if (str_contains_nocase(key, "histor"))
		return true;
	return cut(key, &name) && (has_any(&name, list_aside) || has_any(&name, list_field_is_aside));
}

bool field_counts_errors(struct str key)
{
	struct name name;

	if (!cut(key, &name))
		return false;
	if (has_any(&name, list_field_counts_errors_row))
		return has_any(&name, list_field_counts_errors_in_a_row) && !has_any(&name, list_field_counts_errors_bounds);
	if (has_any(&name, list_aside))
		return false;
	return str_is_any_nocase(name.token[name.n - 1], list_field_counts_errors) && !has_any(&name, list_field_counts_errors_past);
}

bool field_sums_up(struct str key)
{
	struct name name;

	return cut(key, &name) && has_any(&name, list_field_sums_up);
}

bool field_is_alive(struct str key)
{
	struct name name;

	if (!cut(key, &name))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (is_noun(name.token[i], list_living))
			return true;
	return false;
}

bool field_names_past(struct str key)
{
	return str_starts(key, "last") || str_starts(key, "previous") || str_starts(key, "prev") ||
	       str_contains_nocase(key, "history") || str_contains_nocase(key, "condition") ||
	       str_contains_nocase(key, "event");
}
