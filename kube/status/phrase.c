/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classifies an operator's phrase by its words.  Operators invent phrases ("FailedCreateOrUpdate", "pending-upgrade",
 * "not all pods are ready"), but hardly ever words: so the words are classified, and the class of the phrase follows
 * from them.
 */
#include "kube/status/family.h"

#include <string.h>

enum {
	MAX_WORDS = 40,	   /* words that are read of one phrase; the rest of a long message adds nothing */
	MAX_WORD = 24,	   /* bytes of a word; what is longer is a name or a digest */
	PHRASE = 6,	   /* most words of a phrase that is not a sentence */
	NEGATION_REACH = 3, /* words behind a "not" that it can negate */
	TOTAL_REACH = 8,   /* and behind "not all": "NotAllDesiredWorkersAreAvailable" */
	RECOVERY_REACH = 5 /* and behind "recovered from" */
};

/*
 * What a word says.  A negated state is not reached yet ("NotReady"), a negated quality is lacking ("NotAllowed"),
 * negated trouble is absent ("NoErrors").
 */
enum sense {
	SENSE_NONE,
	SENSE_STATE,
	SENSE_QUALITY,
	SENSE_PROGRESS,
	SENSE_BAD,
	SENSE_SUSPENDED,
	SENSE_NOT,     /* negates the words behind it */
	SENSE_BEING,   /* "being": what is "being restarted" is not restarted yet */
	SENSE_DONE,    /* a verb that is no word of a phase, but whose form in -ed is good news */
	SENSE_UNLISTED /* the word is in no table */
};

struct word {
	char text[MAX_WORD];
	size_t len;
	bool first; /* a sentence begins with it, or what stands behind a colon */
};

struct entry {
	const char *text;	/* without the '*' at its end */
	uint8_t len;
	bool stem;		/* the row fits every word that begins with text */
	enum sense sense;
};

/* Two words that mean something else together than alone. */
struct pair {
	const char *first, *second;
	enum sense sense;
};

/*
 * words.txt as tables: vocabulary[] and pairs[].  In vocabulary[] the words with the same first letter stand together, in the order of the file;
 * vocabulary_from[] says where each letter begins, at 26 where the words without a first letter begin.  Every word of
 * every status is looked up here.
 */
#include "words.def"

/* Verbs and nouns that are a phase when they stand alone, but say nothing beside other words. */
static const char lone[] = "upgrade update scale scaleup scaledown scaleout scalein restart create "
			   "install restore bootstrap provision configure migrate configuration "
			   "initialize initialization new reconcile build rollout resize maintenance planned staging";

/* "Please check the controller's logs for errors": the words with which a sentence begins that sends the reader elsewhere. */
static const char advice[] = "check see refer consult inspect review";
static const char elsewhere[] = "log logs event* detail* information docs documentation condition* describe";

/*
 * Nouns for trouble that also begin the names of features: of "ErrorReportingReady" the last word tells how the feature is.  Behind
 * them stand nouns for what is done about trouble, as in "FaultTolerance".
 */
static const char of_features[] =
	"error errors failure failures fault faults crash crashes conflict conflicts alert alerts warning "
	"warnings problem problems exception exceptions drift timeout timeouts outage fallback rollback "
	"violation violations eviction preemption interruption throttling deadlock terminal issues backoff loss lag pressure panic "
	"duplicate duplicates disruption";
static const char dealing[] =
	"handling handler reporting reporter detection detector tolerance tolerant injection policy "
	"policies budget domain domains tracking logging notification notifications page pages prevention "
	"protection resolution correction monitoring management remediation manager rule rules receiver "
	"receivers free";
static const char goals[] =
	"ready available healthy enabled configured accepted valid synced reconciled deployed installed "
	"applied programmed operational provisioned registered initialized supported synchronized synchronised updated published loaded";

/* What trouble was there is over: "RecoveredFromFailure", "ErrorResolved". */
static const char recovery[] = "recovered healed resolved cleared";

/* What is missing now may be made by what goes on: "Issuing certificate as Secret does not exist". */
static const char absent[] = "exist* found missing* unavailab*";

/* An end that is waited for is no trouble: "WaitForPodEvicted". */
static const char waiting[] = "wait waiting waits await awaiting";
static const char until[] = "for until";
static const char waited_for[] = "evicted preempted terminated disconnected";

static bool fits(struct str p, const struct word *w)
{
	if (str_ends(p, "*"))
		return p.len - 1 <= w->len &&
		       str_eq(str_head(p, p.len - 1), (struct str){ w->text, p.len - 1 });
	return str_eq(p, (struct str){ w->text, w->len });
}

static bool ends(const struct word *w, const char *suffix, size_t least)
{
	return w->len >= least && str_ends((struct str){ w->text, w->len }, suffix);
}

/* Returns the pattern of a list that fits the word, or "". */
static struct str find_word(const char *list, const struct word *w)
{
	while (*list) {
		size_t n = 0;

		while (list[n] && list[n] != ' ')
			n++;
		if (list[0] == w->text[0] && fits((struct str){ list, n }, w))
			return (struct str){ list, n };
		list += list[n] ? n + 1 : n;
	}
	return STR_NONE;
}

/* Returns the first entry that fits, or NULL.  done: only entries with SENSE_DONE are tried, else only the others. */
static const struct entry *find_entry(const struct word *w, bool done)
{
	size_t letter = is_lower(w->text[0]) ? (size_t)(w->text[0] - 'a') : 26;

	for (size_t i = vocabulary_from[letter]; i < vocabulary_from[letter + 1]; i++) {
		const struct entry *e = &vocabulary[i];

		if ((e->sense == SENSE_DONE) == done && e->text[0] == w->text[0] && (e->stem ? e->len <= w->len : e->len == w->len) &&
		    memcmp(e->text, w->text, e->len) == 0)
			return e;
	}
	return NULL;
}

static enum sense sense_in_table(const struct word *w)
{
	const struct entry *e = find_entry(w, false);

	if (!e)
		return SENSE_UNLISTED;
	/* "resolved" is good; "resolving" is not there yet */
	if ((e->sense == SENSE_QUALITY || e->sense == SENSE_STATE) && ends(w, "ing", 5) && e->stem)
		return SENSE_PROGRESS;
	return e->sense;
}

/* Words that are in no table: "un-" negates, "-ing" is in progress, "-ed" may be done. */
static enum sense sense_of(const struct word *w)
{
	enum sense sense = sense_in_table(w);

	if (sense != SENSE_UNLISTED)
		return sense;
	if (ends(w, "ed", 5) && find_entry(w, true))
		return SENSE_STATE;
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
	return SENSE_NONE;
}

/* Words that tell how something ended. */
static const char outcomes[] = "succe* complet* finish* done passed";

/*
 * Returns the sense of the i-th word.  Before a word that tells the outcome, a word in -ing is a noun
 * ("ProvisioningSucceeded", "LogShippingSuccess"); and before the name of what runs, "Running" is in progress
 * ("RunningWorkflow").
 */
static enum sense sense_in_phrase(const struct word *all, size_t i, size_t n)
{
	enum sense sense = sense_of(&all[i]);
	struct str text = { all[i].text, all[i].len };

	if (i + 1 == n)
		return sense;
	if (sense == SENSE_PROGRESS && ends(&all[i], "ing", 5) &&
	    sense_in_table(&all[i]) == SENSE_UNLISTED && n <= PHRASE &&
	    find_word(outcomes, &all[n - 1]).len)
		return SENSE_NONE;
	if (i == 0 && n == 2 && str_is(text, "running") && all[1].len > 3 &&
	    sense_in_table(&all[1]) == SENSE_UNLISTED && !ends(&all[1], "ly", 3))
		return SENSE_PROGRESS;
	return sense;
}

static enum sense sense_of_pair(const struct word *a, const struct word *b)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].first[0] == a->text[0] && fits(str_of(pairs[i].first), a) && fits(str_of(pairs[i].second), b))
			return pairs[i].sense;
	return SENSE_UNLISTED;
}

/* Returns true when a new word begins at i although no blank stands before it: "OSDsAre", "v2Ready". */
static bool begins(struct str s, size_t i)
{
	char before = s.ptr[i - 1], here = s.ptr[i];

	if (is_upper(here) && !is_upper(before))
		return true;
	if (is_digit(here) != is_digit(before))
		return true;
	return is_upper(before) && is_upper(here) && i + 1 < s.len && is_lower(s.ptr[i + 1]);
}

static bool is_letter(char c)
{
	return is_upper(c) || is_lower(c);
}

/*
 * Returns the end of "spec.rollout.maxUnavailable" at i, or i when there is none: the name of a field or a file is no
 * word.  From no position before *plain such a name begins, so nothing is examined twice.
 */
static size_t dotted_end(struct str s, size_t i, size_t *plain)
{
	size_t end = i;
	bool dotted = false;

	if (i < *plain)
		return i;

	while (end < s.len && (is_letter(s.ptr[end]) || is_digit(s.ptr[end]) || s.ptr[end] == '-' || s.ptr[end] == '_' ||
			       (s.ptr[end] == '.' && end > i && end + 1 < s.len && is_lower(s.ptr[end + 1])))) {
		dotted |= s.ptr[end] == '.';
		end++;
	}
	*plain = end;
	return dotted ? end : i;
}

/* Cuts a phrase into lower-case words; returns how many there are. */
static size_t cut(struct str s, struct word *out)
{
	size_t n = 0, plain = 0;
	bool inside = false, first = true;

	for (size_t i = 0; i < s.len; i++) {
		char c;

		if (!inside)
			i = dotted_end(s, i, &plain);
		if (i >= s.len)
			break;
		c = s.ptr[i];
		if (!is_upper(c) && !is_lower(c) && !is_digit(c)) {
			inside = false;
			first |= c == '.' || c == ';' || c == ':' || c == '\n';
			continue;
		}
		if (!inside || begins(s, i)) {
			if (n == MAX_WORDS)
				return n;
			out[n++] = (struct word){ .first = first };
			first = false;
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

/* How much a class weighs against the other classes of a phrase. */
static int weight(enum word_class class)
{
	static const int weights[] = { [WORD_NONE] = 0,
				       [WORD_OK] = 1,
				       [WORD_PROGRESS] = 2,
				       [WORD_SUSPENDED] = 3,
				       [WORD_BAD] = 4 };

	return weights[class];
}

static struct str text_of(const struct word *w)
{
	return (struct str){ w->text, w->len };
}

/* Returns the word behind a sentence at i that only tells where to read more; i: there is no such sentence. */
static size_t behind_advice(const struct word *all, size_t i, size_t n)
{
	size_t verb = i + (all[i].first && str_is(text_of(&all[i]), "please")), end;
	bool sends = false;

	if (!all[i].first || verb >= n || !find_word(advice, &all[verb]).len)
		return i;
	for (end = verb + 1; end < n && !all[end].first; end++)
		sends |= find_word(elsewhere, &all[end]).len > 0;
	return sends ? end : i;
}

/* How a phrase is read from word to word. */
struct reading {
	const struct word *all;
	size_t n;
	size_t reach; /* so many words can still be negated by a "not" before them */
	bool name;    /* it is the name of a condition or a field */
	bool cannot;  /* the last "not" was one of "could not" */
	bool being;   /* the word before is "being" */
	bool absence; /* all trouble so far is that something does not exist */
	bool moves;   /* a word tells of movement by itself, and not by a "not" before it */
	enum word_class begins; /* the class of the first word */
	enum word_class best;
};

/*
 * Returns true for "could not" and "cannot": what "is not provisioned" will be, what "could not be provisioned" has
 * failed.  "Cannot be installed until the database is ready" is a wait.
 */
static bool is_cannot(const struct reading *r, size_t i)
{
	static const char alone[] = "cannot couldn couldnt cant";

	if (!find_word(alone, &r->all[i]).len && (i == 0 || !find_word("could can", &r->all[i - 1]).len))
		return false;
	for (; i < r->n; i++)
		if (find_word("until before yet", &r->all[i]).len)
			return false;
	return true;
}

/* The i-th word of a name is trouble only as the name of a feature: "ErrorReportingReady", "FaultTolerance". */
static bool begins_feature(const struct reading *r, size_t i)
{
	if (!r->name || i + 1 >= r->n || !find_word(of_features, &r->all[i]).len)
		return false;
	return find_word(dealing, &r->all[i + 1]).len || find_word(goals, &r->all[r->n - 1]).len;
}

/* Takes what the words from i on say, the second of two when both count as one; returns the word behind them. */
static size_t read_word(struct reading *r, size_t i)
{
	enum sense sense = i + 1 < r->n ? sense_of_pair(&r->all[i], &r->all[i + 1]) : SENSE_UNLISTED;
	size_t next = i + (sense != SENSE_UNLISTED ? 2 : 1);
	enum word_class class;

	if (begins_feature(r, i))
		return i + 1 + (find_word(dealing, &r->all[i + 1]).len > 0);
	if (sense == SENSE_UNLISTED)
		sense = sense_in_phrase(r->all, i, r->n);
	if (sense == SENSE_NOT) {
		r->reach = (next < r->n && find_word("all every", &r->all[next]).len ? TOTAL_REACH : NEGATION_REACH) + 1;
		r->cannot = is_cannot(r, i);
		return next;
	}
	r->reach -= r->reach > 0;
	class = r->reach ? negated(sense) : plain(sense);
	if (r->reach && r->cannot && sense == SENSE_STATE)
		class = WORD_BAD;
	if (r->being && class == WORD_OK)
		class = WORD_PROGRESS;
	r->being = sense == SENSE_BEING;
	if (class != WORD_NONE)
		r->reach = 0;
	if (class == WORD_OK && find_word(recovery, &r->all[i]).len) {
		r->reach = RECOVERY_REACH + 1;
		if (r->n <= PHRASE)
			r->best = WORD_NONE;
	}
	if (class == WORD_BAD)
		r->absence &= find_word(absent, &r->all[i]).len > 0;
	if (i == 0)
		r->begins = class;
	r->moves |= class == WORD_PROGRESS && sense == SENSE_PROGRESS && !find_word("un* notready", &r->all[i]).len;
	if (weight(class) > weight(r->best))
		r->best = class;
	return next;
}

static void read_phrase(struct reading *r, struct word *all, struct str phrase, bool name)
{
	*r = (struct reading){ .all = all, .n = cut(phrase, all), .absence = true, .name = name };
	for (size_t i = 0; i < r->n;) {
		size_t behind = behind_advice(all, i, r->n);

		i = behind > i ? behind : read_word(r, i);
	}
}

bool phrase_lacks(struct str phrase)
{
	struct word all[MAX_WORDS];
	struct reading r;

	read_phrase(&r, all, phrase, false);
	return r.best == WORD_BAD && r.absence;
}

bool phrase_moves(struct str phrase)
{
	struct word all[MAX_WORDS];
	struct reading r;

	read_phrase(&r, all, phrase, false);
	return r.moves;
}

static enum word_class class_of(struct str phrase, bool name)
{
	struct word all[MAX_WORDS];
	struct reading r;

	read_phrase(&r, all, phrase, name);
	if (r.n == 1 && find_word(lone, &all[0]).len)
		return WORD_PROGRESS;
	if (r.best != WORD_BAD || r.begins != WORD_PROGRESS || r.n < 3)
		return r.best;
	if (r.absence || (find_word(waiting, &all[0]).len && find_word(until, &all[1]).len && find_word(waited_for, &all[r.n - 1]).len))
		return WORD_PROGRESS;
	return r.best;
}

enum word_class word_class(struct str phrase)
{
	return class_of(phrase, false);
}

enum word_class word_class_of_name(struct str name)
{
	return class_of(name, true);
}

bool phrase_has(struct str phrase, const char *words)
{
	struct word all[MAX_WORDS];
	size_t n = cut(phrase, all), reach = 0;

	for (size_t i = 0; i < n; i++) {
		enum sense sense = sense_of(&all[i]);

		if (sense == SENSE_NOT)
			reach = NEGATION_REACH + 1;
		reach -= reach > 0;
		if (!reach && find_word(words, &all[i]).len)
			return true;
		if (sense != SENSE_NOT && sense != SENSE_NONE)
			reach = 0;
	}
	return false;
}

/* Words of sentences that tell no more than that something is not ready, or how many are. */
static const char counting[] =
	"a an the is are was not no of all some any yet only be been being has have had does do did in at or more one than it its this "
	"ready available healthy unhealthy unavailable unready running up down updated failed failing degraded pending waiting progressing "
	"progress error failure failures unknown minimum availability desired expected required wanted currently least total online offline "
	"with container containers replica replicas pod pods instance instances member members node nodes endpoint endpoints component components resource "
	"resources object objects deployment statefulset daemonset replicaset status state phase";

bool phrase_says_why(struct str text)
{
	text = str_trim(text);
	if (str_find(text, ' ') == text.len)
		return false;
	/* "2 of 3 synchronized" */
	if (is_digit(text.ptr[0]) && str_contains(text, " of ") && str_find(text, ':') == text.len && str_find(text, ',') == text.len)
		return false;
	while (text.len) {
		struct word w = { .len = 0 };
		size_t n = 0;

		for (; n < text.len && (is_letter(text.ptr[n]) || (unsigned char)text.ptr[n] >= 0x80); n++)
			if (w.len < MAX_WORD)
				w.text[w.len++] = (char)((unsigned char)text.ptr[n] < 0x80 ? text.ptr[n] | 32 : text.ptr[n]);
		if (w.len && !find_word(counting, &w).len)
			return true;
		/* "containers with unready status: [web, proxy]": a list says which, and not why */
		if (n == 0)
			n = text.ptr[0] == '[' ? str_find(text, ']') : 1;
		text = str_from(text, n);
	}
	return false;
}
