/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator's phrase means, by its words.  Operators invent phrases
 * ("FailedCreateOrUpdate", "pending-upgrade", "not all pods are ready"), but
 * hardly words: so words are classed, and the phrase follows from them.
 */
#include "kube/status/family.h"

enum {
	MAX_WORDS = 40,		/* of one phrase; the rest of a long message adds nothing */
	MAX_WORD = 24,		/* bytes; longer ones are names or digests */
	NEGATION_REACH = 3	/* words that a "not" can turn round */
};

/*
 * What a word says.  Negated, a state is not reached yet ("NotReady"), a
 * quality is lacking ("NotAllowed"), trouble is absent ("NoErrors").
 */
enum sense {
	SENSE_NONE,
	SENSE_STATE,
	SENSE_QUALITY,
	SENSE_PROGRESS,
	SENSE_BAD,
	SENSE_SUSPENDED,
	SENSE_NOT,		/* negates what follows */
	SENSE_BEING,		/* "being restarted" is not restarted */
	SENSE_UNLISTED		/* in no table */
};

struct word {
	char text[MAX_WORD];
	size_t len;
};

struct word_row {
	const char *word;	/* a '*' at its end: any word that begins so */
	enum sense sense;
};

/* The first match wins: exceptions stand before the stems they are taken from. */
static const struct word_row words[] = {
	{ "not", SENSE_NOT },		{ "no", SENSE_NOT },		{ "never", SENSE_NOT },
	{ "cannot", SENSE_NOT },	{ "without", SENSE_NOT },	{ "non", SENSE_NOT },
	{ "none", SENSE_NOT },		{ "0", SENSE_NOT },		{ "zero", SENSE_NOT },
	{ "isn", SENSE_NOT },		{ "doesn", SENSE_NOT },		{ "didn", SENSE_NOT },
	{ "couldn", SENSE_NOT },	{ "wasn", SENSE_NOT },		{ "hasn", SENSE_NOT },
	{ "couldnt", SENSE_NOT },	{ "cant", SENSE_NOT },		{ "doesnt", SENSE_NOT },
	{ "aren", SENSE_NOT },		{ "neither", SENSE_NOT },	{ "nor", SENSE_NOT },

	/* nouns and the like that only look like verbs */
	{ "binding*", SENSE_NONE },	{ "string*", SENSE_NONE },	{ "ring", SENSE_NONE },
	{ "thing*", SENSE_NONE },	{ "nothing", SENSE_NOT },	{ "something", SENSE_NONE },
	{ "anything", SENSE_NONE },	{ "everything", SENSE_NONE },	{ "setting*", SENSE_NONE },
	{ "routing", SENSE_NONE },	{ "networking", SENSE_NONE },	{ "billing", SENSE_NONE },
	{ "pricing", SENSE_NONE },	{ "ping", SENSE_NONE },		{ "during", SENSE_NONE },
	{ "staging", SENSE_NONE },	{ "logging", SENSE_NONE },	{ "mapping*", SENSE_NONE },
	{ "listing", SENSE_NONE },	{ "using", SENSE_NONE },	{ "being", SENSE_BEING },
	{ "having", SENSE_NONE },	{ "according", SENSE_NONE },	{ "including", SENSE_NONE },
	{ "remaining", SENSE_NONE },	{ "peering", SENSE_NONE },	{ "spring", SENSE_NONE },
	{ "need", SENSE_NONE },		{ "feed", SENSE_NONE },		{ "speed", SENSE_NONE },
	{ "seed", SENSE_NONE },		{ "based", SENSE_NONE },	{ "named", SENSE_NONE },
	{ "typed", SENSE_NONE },	{ "embedded", SENSE_NONE },	{ "advanced", SENSE_NONE },
	{ "dedicated", SENSE_NONE },	{ "distributed", SENSE_NONE },	{ "shared", SENSE_NONE },
	{ "desired", SENSE_NONE },	{ "preferred", SENSE_NONE },	{ "limited", SENSE_NONE },
	{ "unlimited", SENSE_NONE },	{ "managed", SENSE_NONE },	{ "unmanaged", SENSE_NONE },
	{ "detected", SENSE_NONE },	{ "closed", SENSE_NONE },	{ "deleted", SENSE_NONE },
	{ "removed", SENSE_NONE },	{ "locked", SENSE_NONE },	{ "united", SENSE_NONE },
	{ "under", SENSE_NONE },	{ "unit*", SENSE_NONE },	{ "unless", SENSE_NONE },
	{ "until", SENSE_NONE },	{ "unique*", SENSE_NONE },	{ "union", SENSE_NONE },
	{ "universal", SENSE_NONE },	{ "unknown", SENSE_NONE },	{ "unset", SENSE_NONE },
	{ "encountered", SENSE_NONE },	{ "specified", SENSE_NONE },	{ "used", SENSE_NONE },
	{ "called", SENSE_NONE },	{ "provided", SENSE_NONE },	{ "skipped", SENSE_NONE },
	{ "configuration*", SENSE_NONE }, { "validation*", SENSE_NONE }, { "authorization*", SENSE_NONE },

	/* trouble */
	{ "fail*", SENSE_BAD },		{ "err", SENSE_BAD },		{ "error*", SENSE_BAD },
	{ "errs", SENSE_BAD },		{ "exception*", SENSE_BAD },	{ "fault*", SENSE_BAD },
	{ "crash*", SENSE_BAD },	{ "broken", SENSE_BAD },	{ "corrupt*", SENSE_BAD },
	{ "degrad*", SENSE_BAD },	{ "stall*", SENSE_BAD },	{ "stuck", SENSE_BAD },
	{ "dead", SENSE_BAD },		{ "deadlock*", SENSE_BAD },	{ "lost", SENSE_BAD },
	{ "loss", SENSE_BAD },		{ "losing", SENSE_BAD },	{ "kill*", SENSE_BAD },
	{ "oom*", SENSE_BAD },		{ "abort*", SENSE_BAD },	{ "reject*", SENSE_BAD },
	{ "denied", SENSE_BAD },	{ "denies", SENSE_BAD },	{ "deny*", SENSE_BAD },
	{ "forbid*", SENSE_BAD },	{ "unauthor*", SENSE_BAD },	{ "refus*", SENSE_BAD },
	{ "revok*", SENSE_BAD },	{ "expired", SENSE_BAD },	{ "exceed*", SENSE_BAD },
	{ "exhaust*", SENSE_BAD },	{ "violat*", SENSE_BAD },	{ "conflict*", SENSE_BAD },
	{ "mismatch*", SENSE_BAD },	{ "missing*", SENSE_BAD },	{ "invalid*", SENSE_BAD },
	{ "illegal", SENSE_BAD },	{ "malformed", SENSE_BAD },	{ "bad", SENSE_BAD },
	{ "red", SENSE_BAD },		{ "critical", SENSE_BAD },	{ "fatal*", SENSE_BAD },
	{ "panic*", SENSE_BAD },	{ "terminal", SENSE_BAD },	{ "terminated", SENSE_BAD },
	{ "timeout*", SENSE_BAD },	{ "timedout", SENSE_BAD },	{ "unable", SENSE_BAD },
	{ "impossible", SENSE_BAD },	{ "misconfig*", SENSE_BAD },	{ "incompatib*", SENSE_BAD },
	{ "inconsisten*", SENSE_BAD },	{ "incorrect*", SENSE_BAD },	{ "wrong*", SENSE_BAD },
	{ "insufficient*", SENSE_BAD }, { "unavailab*", SENSE_BAD },	{ "unhealth*", SENSE_BAD },
	{ "unreach*", SENSE_BAD },	{ "unsupport*", SENSE_BAD },	{ "unresolv*", SENSE_BAD },
	{ "unschedul*", SENSE_BAD },	{ "unrecover*", SENSE_BAD },	{ "unsuccess*", SENSE_BAD },
	{ "unexpected*", SENSE_BAD },	{ "unrecogni*", SENSE_BAD },	{ "unprocess*", SENSE_BAD },
	{ "backoff", SENSE_BAD },	{ "evict*", SENSE_BAD },	{ "preempt*", SENSE_BAD },
	{ "disconnect*", SENSE_BAD },	{ "orphan*", SENSE_BAD },	{ "outage", SENSE_BAD },
	{ "warn*", SENSE_BAD },		{ "firing", SENSE_BAD },	{ "problem*", SENSE_BAD },
	{ "trouble*", SENSE_BAD },	{ "block*", SENSE_BAD },	{ "duplicat*", SENSE_BAD },
	{ "collision*", SENSE_BAD },	{ "interrupt*", SENSE_BAD },	{ "cancel*", SENSE_BAD },
	{ "partial*", SENSE_BAD },	{ "fallback", SENSE_BAD },	{ "dirty", SENSE_BAD },
	{ "diverged", SENSE_BAD },	{ "drift*", SENSE_BAD },	{ "pressure", SENSE_BAD },
	{ "throttl*", SENSE_BAD },	{ "offline", SENSE_BAD },	{ "down", SENSE_BAD },
	{ "undefined", SENSE_BAD },	{ "nonexistent", SENSE_BAD },	{ "differ*", SENSE_BAD },
	{ "unstable", SENSE_BAD },	{ "underreplicated", SENSE_BAD }, { "inaccessible", SENSE_BAD },
	{ "unusable", SENSE_BAD },	{ "unacceptable", SENSE_BAD },	{ "unsatisf*", SENSE_BAD },
	{ "defunct", SENSE_BAD },	{ "vanished", SENSE_BAD },	{ "overload*", SENSE_BAD },
	{ "tampered", SENSE_BAD },	{ "ambiguous", SENSE_BAD },	{ "rollback", SENSE_BAD },
	{ "unclean", SENSE_BAD },	{ "poor", SENSE_BAD },		{ "yanked", SENSE_BAD },
	{ "outofsync", SENSE_BAD },	{ "couldnot", SENSE_BAD },	{ "crit", SENSE_BAD },
	{ "impaired", SENSE_BAD },	{ "zombie", SENSE_BAD },	{ "lag*", SENSE_BAD },
	{ "crashloop*", SENSE_BAD },	{ "disrupted", SENSE_BAD },	{ "nok", SENSE_BAD },

	/* a person or a policy stopped it */
	{ "pausing", SENSE_PROGRESS },	{ "unpaus*", SENSE_PROGRESS },	{ "suspending", SENSE_PROGRESS },
	{ "paus*", SENSE_SUSPENDED },	{ "suspend*", SENSE_SUSPENDED }, { "stopped", SENSE_SUSPENDED },
	{ "hibernat*", SENSE_SUSPENDED }, { "disabled", SENSE_SUSPENDED }, { "halted", SENSE_SUSPENDED },
	{ "sleeping", SENSE_SUSPENDED }, { "asleep", SENSE_SUSPENDED }, { "dormant", SENSE_SUSPENDED },
	{ "onhold", SENSE_SUSPENDED },	{ "inactive", SENSE_SUSPENDED }, { "shelved", SENSE_SUSPENDED },
	{ "deactivated", SENSE_SUSPENDED }, { "frozen", SENSE_SUSPENDED }, { "ignored", SENSE_SUSPENDED },
	{ "held", SENSE_SUSPENDED },	{ "deallocated", SENSE_SUSPENDED },

	/* under way; any other word in -ing is, too */
	{ "pend*", SENSE_PROGRESS },	{ "progress*", SENSE_PROGRESS }, { "inprogress", SENSE_PROGRESS },
	{ "wait*", SENSE_PROGRESS },	{ "await*", SENSE_PROGRESS },	{ "queue*", SENSE_PROGRESS },
	{ "retry*", SENSE_PROGRESS },	{ "retries", SENSE_PROGRESS },	{ "rolling*", SENSE_PROGRESS },
	{ "yellow", SENSE_PROGRESS },	{ "requested", SENSE_PROGRESS }, { "required", SENSE_PROGRESS },
	{ "needed", SENSE_PROGRESS },	{ "requires", SENSE_PROGRESS },	{ "needs", SENSE_PROGRESS },
	{ "submitted", SENSE_PROGRESS }, { "deferred", SENSE_PROGRESS }, { "delayed", SENSE_PROGRESS },
	{ "postponed", SENSE_PROGRESS }, { "outdated", SENSE_PROGRESS }, { "incomplete", SENSE_PROGRESS },
	{ "init", SENSE_PROGRESS },	{ "new", SENSE_NONE },		{ "planned", SENSE_PROGRESS },
	{ "unready", SENSE_PROGRESS },	{ "uninitialized", SENSE_PROGRESS }, { "inflight", SENSE_PROGRESS },
	{ "transition*", SENSE_PROGRESS }, { "ongoing", SENSE_PROGRESS }, { "unbound", SENSE_PROGRESS },
	{ "unprovisioned", SENSE_PROGRESS }, { "notready", SENSE_PROGRESS }, { "changed", SENSE_NONE },
	{ "modified", SENSE_NONE },
	{ "stale", SENSE_PROGRESS },	{ "build", SENSE_NONE },	{ "initial", SENSE_NONE },	{ "unassigned", SENSE_PROGRESS },

	/* good as a quality */
	{ "healthy", SENSE_QUALITY },	{ "ok", SENSE_QUALITY },	{ "okay", SENSE_QUALITY },
	{ "green", SENSE_QUALITY },	{ "normal", SENSE_QUALITY },	{ "good", SENSE_QUALITY },
	{ "fine", SENSE_QUALITY },	{ "valid*", SENSE_QUALITY },	{ "exist*", SENSE_QUALITY },
	{ "found", SENSE_QUALITY },	{ "allow*", SENSE_QUALITY },	{ "permit*", SENSE_QUALITY },
	{ "support*", SENSE_QUALITY },	{ "authori*", SENSE_QUALITY },	{ "reachable", SENSE_QUALITY },
	{ "satisf*", SENSE_QUALITY },	{ "accept*", SENSE_QUALITY },	{ "admitted", SENSE_QUALITY },
	{ "able", SENSE_QUALITY },	{ "enough", SENSE_QUALITY },	{ "sufficient*", SENSE_QUALITY },
	{ "matching", SENSE_QUALITY },	{ "match*", SENSE_QUALITY },	{ "resolv*", SENSE_QUALITY },
	{ "responding", SENSE_QUALITY }, { "compatible", SENSE_QUALITY }, { "complian*", SENSE_QUALITY },
	{ "expected", SENSE_QUALITY },	{ "safe*", SENSE_QUALITY },	{ "trusted", SENSE_QUALITY },
	{ "stable", SENSE_QUALITY },	{ "live", SENSE_QUALITY },	{ "alive", SENSE_QUALITY },
	{ "optimal", SENSE_QUALITY },	{ "proper*", SENSE_QUALITY },	{ "correct*", SENSE_QUALITY },
	{ "controlled", SENSE_QUALITY }, { "pass", SENSE_QUALITY },	{ "passed", SENSE_QUALITY },
	{ "passing", SENSE_QUALITY },	{ "successful*", SENSE_QUALITY }, { "consistent*", SENSE_QUALITY },
	{ "possible", SENSE_QUALITY },	{ "clean", SENSE_QUALITY },	{ "remediated", SENSE_QUALITY },
	{ "get", SENSE_QUALITY },	{ "be", SENSE_NONE },		{ "connect", SENSE_QUALITY },
	{ "create", SENSE_QUALITY },	{ "read", SENSE_QUALITY },	{ "parse", SENSE_QUALITY },
	{ "retrieve", SENSE_QUALITY },	{ "verify", SENSE_QUALITY },	{ "fetch", SENSE_QUALITY },

	/* good as a state that one gets to */
	{ "ready*", SENSE_STATE },	{ "avail*", SENSE_STATE },	{ "complete*", SENSE_STATE },
	{ "completion", SENSE_STATE },	{ "done", SENSE_STATE },	{ "finish*", SENSE_STATE },
	{ "running", SENSE_STATE },	{ "active", SENSE_STATE },	{ "up", SENSE_STATE },
	{ "online", SENSE_STATE },	{ "succe*", SENSE_STATE },	{ "sync", SENSE_STATE },
	{ "insync", SENSE_STATE },	{ "current", SENSE_STATE },	{ "latest", SENSE_STATE },
	{ "uptodate", SENSE_STATE },	{ "bound", SENSE_STATE },	{ "idle", SENSE_STATE },
	{ "serving", SENSE_STATE },	{ "listening", SENSE_STATE },
	{ "operational", SENSE_STATE }, { "operating", SENSE_STATE },	{ "streaming", SENSE_STATE },
	{ "open", SENSE_STATE },	{ "steady", SENSE_STATE },	{ "in", SENSE_NONE },
	{ "monitoring", SENSE_STATE },	{ "functioning", SENSE_STATE },	{ "unchanged", SENSE_STATE },
	{ "enabled", SENSE_STATE },	{ "existing", SENSE_STATE },	{ "issued", SENSE_STATE },
	{ "deploy", SENSE_NONE },	{ "leader", SENSE_NONE },
};

/* Two words that together say something else than alone. */
static const struct {
	const char *first, *second;
	enum sense sense;
} pairs[] = {
	{ "timed", "out", SENSE_BAD },	    { "time", "out", SENSE_BAD },     { "back", "off", SENSE_BAD },
	{ "out", "of", SENSE_BAD },	    { "already", "exist*", SENSE_BAD }, { "already", "in", SENSE_BAD },
	{ "rolled", "back", SENSE_BAD },    { "rolling", "back", SENSE_BAD }, { "roll", "back", SENSE_BAD },
	{ "up", "to", SENSE_STATE },	    { "scaled", "down", SENSE_STATE }, { "scale", "down", SENSE_NONE },
	{ "scaling", "down", SENSE_PROGRESS }, { "shut", "down", SENSE_SUSPENDED },
	{ "shutting", "down", SENSE_PROGRESS }, { "on", "hold", SENSE_SUSPENDED },
	{ "in", "use", SENSE_STATE },	    { "set", "up", SENSE_STATE },     { "setting", "up", SENSE_PROGRESS },
	{ "spinning", "down", SENSE_PROGRESS }, { "scaled", "to", SENSE_STATE }, { "down", "to", SENSE_NONE },
	{ "gave", "up", SENSE_BAD },	    { "given", "up", SENSE_BAD },     { "in", "flight", SENSE_PROGRESS },
	{ "cool", "down", SENSE_NONE },	    { "tear", "down", SENSE_PROGRESS }, { "cut", "off", SENSE_BAD },
	{ "cleaning", "up", SENSE_PROGRESS }, { "starting", "up", SENSE_PROGRESS },
	{ "scaling", "up", SENSE_PROGRESS }, { "backing", "up", SENSE_PROGRESS },
	{ "non", "existent", SENSE_BAD },   { "too", "many", SENSE_BAD },     { "too", "few", SENSE_BAD },
	{ "too", "large", SENSE_BAD },	    { "too", "long", SENSE_BAD },     { "powered", "off", SENSE_SUSPENDED },
	{ "power", "off", SENSE_SUSPENDED }, { "switched", "off", SENSE_SUSPENDED },
	{ "limit", "reached", SENSE_BAD },  { "quota", "reached", SENSE_BAD }, { "max*", "reached", SENSE_BAD },
	{ "storage", "full", SENSE_BAD },   { "disk", "full", SENSE_BAD },    { "no", "longer", SENSE_NOT },
	{ "not", "set", SENSE_BAD },	    { "not", "configured", SENSE_BAD },
};

/* Verbs and nouns that are a phase of their own, but say nothing beside other words. */
static const char *const lone[] = { "upgrade",	 "update",    "scale",	   "scaleup",  "scaledown", "scaleout", "scalein",
				    "restart",	 "create",    "install",   "restore",  "bootstrap", "provision",
				    "configure", "migrate",   "configuration", "initialize", "initialization",
				    "new", "reconcile", "build",     "rollout",   "resize" };

static bool fits(const char *pattern, const struct word *w)
{
	struct str p = str_of(pattern);

	if (str_ends(p, "*"))
		return p.len - 1 <= w->len &&
		       str_eq(str_head(p, p.len - 1), (struct str){ w->text, p.len - 1 });
	return str_eq(p, (struct str){ w->text, w->len });
}

static bool ends(const struct word *w, const char *suffix, size_t least)
{
	return w->len >= least && str_ends((struct str){ w->text, w->len }, suffix);
}

static enum sense sense_in_table(const struct word *w)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		enum sense sense = words[i].sense;

		if (!fits(words[i].word, w))
			continue;
		/* "resolved" is good, "resolving" is not there yet */
		if ((sense == SENSE_QUALITY || sense == SENSE_STATE) && ends(w, "ing", 5) &&
		    str_ends(str_of(words[i].word), "*"))
			return SENSE_PROGRESS;
		return sense;
	}
	return SENSE_UNLISTED;
}

/* Words that no table knows: "un-" turns round, "-ing" is under way, "-ed" is done. */
static enum sense sense_of(const struct word *w)
{
	enum sense sense = sense_in_table(w);

	if (sense != SENSE_UNLISTED)
		return sense;
	if (w->len > 4 && w->text[0] == 'u' && w->text[1] == 'n') {
		struct word rest = { .len = w->len - 2 };

		for (size_t i = 0; i < rest.len; i++)
			rest.text[i] = w->text[i + 2];
		sense = sense_in_table(&rest);
		if (sense == SENSE_UNLISTED && (ends(&rest, "ed", 4) || ends(&rest, "able", 6)))
			sense = SENSE_QUALITY;
		if (sense == SENSE_STATE || sense == SENSE_QUALITY)
			return SENSE_BAD;
		if (sense == SENSE_BAD)
			return SENSE_STATE;
	}
	if (ends(w, "ing", 5))
		return SENSE_PROGRESS;
	if (ends(w, "ed", 5))
		return SENSE_STATE;
	return SENSE_NONE;
}

static enum sense sense_of_pair(const struct word *a, const struct word *b)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (fits(pairs[i].first, a) && fits(pairs[i].second, b))
			return pairs[i].sense;
	return SENSE_UNLISTED;
}

static bool is_lone(const struct word *w)
{
	for (size_t i = 0; i < sizeof(lone) / sizeof(lone[0]); i++)
		if (fits(lone[i], w))
			return true;
	return false;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A new word begins at i although no blank stands before: "OSDsAre", "v2Ready". */
static bool begins(struct str s, size_t i)
{
	char before = s.ptr[i - 1], here = s.ptr[i];

	if (is_upper(here) && !is_upper(before))
		return true;
	if (is_digit(here) != is_digit(before))
		return true;
	return is_upper(before) && is_upper(here) && i + 1 < s.len && is_lower(s.ptr[i + 1]);
}

/* Cuts a phrase into lower-case words; returns how many. */
static size_t cut(struct str s, struct word *out)
{
	size_t n = 0;
	bool inside = false;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
			inside = false;
			continue;
		}
		if (!inside || begins(s, i)) {
			if (n == MAX_WORDS)
				return n;
			out[n++].len = 0;
		}
		inside = true;
		if (out[n - 1].len < MAX_WORD)
			out[n - 1].text[out[n - 1].len++] = is_upper(c) ? (char)(c - 'A' + 'a') : c;
	}
	return n;
}

static enum word_class negated(enum sense sense)
{
	switch (sense) {
	case SENSE_STATE: return WORD_PROGRESS;
	case SENSE_QUALITY: return WORD_BAD;
	case SENSE_BAD: return WORD_OK;
	default: return WORD_NONE;
	}
}

static enum word_class plain(enum sense sense)
{
	switch (sense) {
	case SENSE_STATE:
	case SENSE_QUALITY: return WORD_OK;
	case SENSE_PROGRESS: return WORD_PROGRESS;
	case SENSE_BAD: return WORD_BAD;
	case SENSE_SUSPENDED: return WORD_SUSPENDED;
	default: return WORD_NONE;
	}
}

/* How much a class weighs against the others of a phrase. */
static int weight(enum word_class class)
{
	static const int weights[] = { [WORD_NONE] = 0, [WORD_OK] = 1, [WORD_PROGRESS] = 2,
				       [WORD_SUSPENDED] = 3, [WORD_BAD] = 4 };

	return weights[class];
}

enum word_class word_class(struct str phrase)
{
	struct word all[MAX_WORDS];
	size_t n = cut(phrase, all), reach = 0;
	enum word_class best = WORD_NONE;
	bool being = false;

	if (n == 1 && is_lone(&all[0]))
		return WORD_PROGRESS;
	for (size_t i = 0; i < n; i++) {
		enum sense sense = i + 1 < n ? sense_of_pair(&all[i], &all[i + 1]) : SENSE_UNLISTED;
		enum word_class class;

		if (sense != SENSE_UNLISTED)
			i++;
		else
			sense = sense_of(&all[i]);
		if (sense == SENSE_NOT) {
			reach = NEGATION_REACH + 1;
			continue;
		}
		reach -= reach > 0;
		class = reach ? negated(sense) : plain(sense);
		if (being && class == WORD_OK)
			class = WORD_PROGRESS;
		being = sense == SENSE_BEING;
		if (class != WORD_NONE)
			reach = 0;
		if (weight(class) > weight(best))
			best = class;
	}
	return best;
}
