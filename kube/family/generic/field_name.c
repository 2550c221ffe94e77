/* SPDX-License-Identifier: Apache-2.0 */
/* Reads names of fields by their words. */
#include "kube/family/generic/field_name.h"

/* What is there of something: "readyReplicas". */
static const char *const there[] = { "ready",	  "available", "healthy",     "running", "up",	      "online",
				     "connected", "alive",     "operational", "joined",	 "reachable", NULL };
/* What was done of it: "completedReleases". */
static const char *const done[] = { "completed", "deployed", "applied", "synced", "installed", "provisioned", NULL };
/* What there should be of it: "desiredReplicas". */
static const char *const wanted[] = { "desired", "expected", "total",  "wanted",     "want",
				      "required", "requested", "target", "configured", "all",	NULL };
/* What of it is broken: "unavailableReplicas". */
static const char *const broken[] = { "unready",  "unavailable", "unhealthy", "unreachable", "notready", "offline",
				      "down",	  "crashed",	 "crashing",  "dead",	     "failing",	 NULL };
/* These words may also count what failed once, so they need a noun for what lives, or a count of what is well beside them. */
static const char *const perhaps_broken[] = { "failed", "lost", "missing", "faulty", "degraded", NULL };
/* A name with one of these words counts something else: the past, a limit, a time. */
static const char *const aside[] = { "max",	  "maximum", "min",	  "minimum",	"last",	      "previous",  "prev",
				     "time",	  "times",   "timestamp", "timeout",	"timeouts",   "since",	   "second",
				     "seconds",	  "minutes", "duration",  "age",	"threshold",  "limit",	   "allowed",
				     "percent",	  "percentage", "ratio",  "history",	"attempt",    "attempts",  "retries",
				     "restarts",  "events",  "event",	  "backup",	"backups",    "job",	   "jobs",
				     "run",	  "runs",    "task",	  "tasks",	"test",	      "tests",	   "requests",
				     "probes",	  "checks",  "ever",	  "generation", "revision",   "version",   "versions",
				     "update",	  "updates", "upgrade",	  "upgrades",	"scale",      "cool",	   "count down",
				     "shut",	  "until",   "budget",	  "tolerated",	"backoff",    "recent",	   "transitions",
				     "logs",	  "log",     "record",	  "records",	"executions", "execution", "snapshots",
				     "uploads",	  "builds",  "imports",	  "exports",	"restores",   "queries",   "messages",
				     "capacity",  "bytes",   "memory",	  "cpu",	"storage",    "ips",	   "addresses",
				     "failure",	  "policy",  "new",	  "next",	NULL };
/* Words of a name that say only that it is a number. */
static const char *const counting[] = { "number", "num",   "count", "replica", "instance", "size", "scheduled",
					"of",	  "the",   "nr",    "sets",    "status",   NULL };
/* What lives, and is down when it is not there. */
static const char *const living[] = { "replica",   "instance",	 "node",     "member",	  "worker",	 "pod",	      "workload",
				      "machine",   "server",	 "broker",   "shard",	  "pool",	 "cluster",   "component",
				      "controller", "deployment", "daemonset", "statefulset", "proxy",	 "proxies",   "peer",
				      "agent",	   "endpoint",	 "container", "vm",	  "host",	 "osd",	      "mon",
				      "segment",   "voter",	 "follower", "standby",	  "slave",	 "master",    "primary",
				      "secondary", "gateway",	 "listener", "backend",	  "frontend",	 "executor",  "daemon",
				      "service",   "resource",	 "volume",   "disk",	  "device",	 "store",     "group",
				      "target",	   "dependency", "dependencies", "sentinel", "router",	 "coordinator", "ingester",
				      "zone",	   "rack",	 "replicaset", "module",  "plugin",	 "app",	      "application",
				      NULL };

struct name {
	struct str token[FIELD_WORDS];
	size_t n;
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_alnum(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

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
	return i + 1 < name->n && str_eq_nocase(name->token[i], STR("not")) && str_is_any_nocase(name->token[i + 1], there);
}

static bool is_ambiguous(struct str token)
{
	static const char *const words[] = { "available", "running", "connected", "current", NULL };

	return str_is_any_nocase(token, words) || str_is_any_nocase(token, done);
}

/* "down" is a state at the end of a name and before what lives: "slurmDown", "downNodes". */
static bool is_broken_word(const struct name *name, size_t i)
{
	static const char *const not_down[] = { "count", "step", "spin", "slow", "break", "wind", "tear", NULL };

	if (!str_is_any_nocase(name->token[i], broken) || (i > 0 && str_is_any_nocase(name->token[i - 1], not_down)))
		return false;
	return !str_eq_nocase(name->token[i], STR("down")) || i + 1 == name->n || is_noun(name->token[i + 1], living);
}

static enum role role_at(const struct name *name, size_t i)
{
	struct str token = name->token[i];

	if (is_denied(name, i) || is_broken_word(name, i))
		return ROLE_BROKEN;
	if (str_is_any_nocase(token, perhaps_broken))
		return ROLE_PERHAPS_BROKEN;
	if (str_is_any_nocase(token, wanted))
		return ROLE_WANTED;
	return str_is_any_nocase(token, there) || str_is_any_nocase(token, done) || str_eq_nocase(token, STR("current")) ? ROLE_THERE : ROLE_PLAIN;
}

struct field_count field_count(struct str key)
{
	struct field_count c = { .role = ROLE_PLAIN };
	struct name name;

	if (!cut(key, &name) || has_any(&name, aside))
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
		c.alive |= is_noun(name.token[i], living);
		if (!is_noun(name.token[i], counting))
			c.unit[c.n++] = name.token[i];
	}
	/* "currentHealthy" counts what is healthy */
	c.current &= c.role == ROLE_THERE && !has_any(&name, there);
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
	static const char *const ends[] = { "ready", "healthy", "available", "reachable", NULL };
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
	return !has_any(&name, aside) && str_is_any_nocase(last, ends) && (name.n == 1 || !is_denied(&name, name.n - 2));
}

bool field_tells_life(struct str key)
{
	static const char *const states[] = { "up", "alive", "online", "reachable", NULL };
	struct name name;
	struct str last;

	if (!cut(key, &name) || has_any(&name, aside))
		return false;
	last = name.token[name.n - 1];
	if (name.n > 1 && !str_eq_nocase(name.token[0], STR("all")) && !str_eq_nocase(name.token[0], STR("is")) &&
	    !str_eq_nocase(name.token[0], STR("has")))
		return false;
	return str_is_any_nocase(last, states) || str_eq_nocase(last, STR("quorum"));
}

bool field_tells_state(struct str key)
{
	static const char *const words[] = { "policy", "mode", "desired", "expected", "target", "action", "strategy", "level", "severity",
					     "type",   "on",   NULL };
	struct name name;

	return cut(key, &name) && !has_any(&name, words) && !has_any(&name, aside);
}

bool field_is_aside(struct str key)
{
	static const char *const words[] = { "spec", "template", "desired", "observed", "metadata", "debug", NULL };
	struct name name;

	if (str_contains_nocase(key, "histor"))
		return true;
	return cut(key, &name) && (has_any(&name, aside) || has_any(&name, words));
}

bool field_counts_errors(struct str key)
{
	static const char *const trouble[] = { "errors", "failures", NULL };
	static const char *const in_a_row[] = { "error", "errors", "failure", "failures", "failed", NULL };
	static const char *const row[] = { "consecutive", NULL };
	static const char *const past[] = {
		"total", "cumulative", "past", "historical", "ignored", "resolved", "skipped", "expected",
		"retry", "fixed", "corrected", "before", "observed", "login", "count", NULL
	};
	static const char *const bounds[] = { "max", "maximum", "min", "threshold", "limit", "allowed", "last", "previous", "time", NULL };
	struct name name;

	if (!cut(key, &name))
		return false;
	if (has_any(&name, row))
		return has_any(&name, in_a_row) && !has_any(&name, bounds);
	if (has_any(&name, aside))
		return false;
	return str_is_any_nocase(name.token[name.n - 1], trouble) && !has_any(&name, past);
}

bool field_sums_up(struct str key)
{
	static const char *const sums[] = { "total", "success", "successes", "succeeded", "successful", "attempts", "processed", NULL };
	struct name name;

	return cut(key, &name) && has_any(&name, sums);
}

bool field_is_alive(struct str key)
{
	struct name name;

	if (!cut(key, &name))
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (is_noun(name.token[i], living))
			return true;
	return false;
}
