/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator's phrase means, by its words.  Operators invent phrases
 * ("FailedCreateOrUpdate", "pending-upgrade", "not all pods are ready"), but
 * hardly words: so words are classed, and the phrase follows from them.
 */
#include "kube/status/family.h"

enum {
	MAX_WORDS = 40,	   /* of one phrase; the rest of a long message adds nothing */
	MAX_WORD = 24,	   /* bytes; longer ones are names or digests */
	PHRASE = 6,	   /* words at most of what is no sentence */
	NEGATION_REACH = 3 /* words that a "not" can turn round */
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
	SENSE_NOT,     /* negates what follows */
	SENSE_BEING,   /* "being restarted" is not restarted */
	SENSE_UNLISTED /* in no table */
};

struct word {
	char text[MAX_WORD];
	size_t len;
};

/*
 * The first match wins: exceptions stand before the stems they are taken from.
 * A '*' at the end of a word: any word that begins so.
 */
static const struct {
	enum sense sense;
	const char *words; /* with blanks between */
} vocabulary[] = {
	/* turn round what follows */
	{ SENSE_NOT, "not no never cannot without non none 0 zero isn doesn didn couldn wasn "
		     "hasn couldnt cant doesnt aren neither nor nothing" },
	{ SENSE_BEING, "being" },
	/* nouns and the like that only look like verbs, and verbs that tell nothing */
	{ SENSE_NONE, "binding* string* ring thing* something anything everything setting* "
		      "routing networking billing pricing ping during staging logging mapping* "
		      "listing using having according including remaining peering spring need "
		      "feed speed seed based named typed embedded advanced dedicated "
		      "distributed shared desired preferred limited unlimited managed unmanaged "
		      "detected closed deleted removed locked united under unit* unless until "
		      "unique* union universal unknown unset unclaimed unused unattached encountered specified used called "
		      "provided skipped configuration* validation* authorization* changed "
		      "modified" },
	/* exceptions of the stems below */
	{ SENSE_PROGRESS, "pausing unpaus* suspending unscheduled" },
	/* outcomes that last, although they end in -ing */
	{ SENSE_STATE, "succeeding accepting passing replicating mirroring polling watching" },
	/* trouble */
	{ SENSE_BAD, "fail* err error* errs exception* fault* crash* broken corrupt* degrad* "
		     "stall* stuck dead deadlock* lost loss losing kill* oom* abort* reject* "
		     "denied denies deny* forbid* unauthor* refus* revok* expired exceed* "
		     "exhaust* violat* conflict* mismatch* missing* invalid* illegal malformed "
		     "bad red critical alert fatal* panic* terminal terminated timeout* timedout "
		     "unable impossible misconfig* incompatib* inconsisten* incorrect* wrong* "
		     "insufficient* unavailab* unhealth* unreach* unsupport* unresolv* "
		     "unschedul* unrecover* unsuccess* unexpected* unrecogni* unprocess* "
		     "backoff evict* preempt* disconnect* orphan* outage warn* firing problem* "
		     "trouble* blocked blocking blocker* duplicat* collision* interrupt* "
		     "cancel* partial* fallback dirty diverged drift* pressure throttl* "
		     "offline down undefined nonexistent different differs unstable "
		     "underreplicated irreconcil* irrecover* irrepar* inaccessible unusable "
		     "unacceptable unsatisf* defunct "
		     "vanished overload* tampered ambiguous rollback unclean poor yanked "
		     "outofsync couldnot crit impaired zombie lag lags lagging crashloop* "
		     "disrupted nok overridden shadowed damage* compromised quarantined "
		     "declined infected breached fenced disallow* prohibit* saturated starved "
		     "stranded dropped abandoned contaminated poisoned hijacked leaked "
		     "disqualified banned blacklisted congested" },
	/* a person or a policy stopped it */
	{ SENSE_SUSPENDED,
	  "paus* suspend* stopped hibernat* disabled halted sleeping asleep dormant "
	  "onhold inactive shelved deactivated frozen ignored held deallocated parked "
	  "cordoned quiesced shutdown poweroff poweredoff" },
	/* under way; any other word in -ing is, too */
	{ SENSE_PROGRESS,
	  "pend* progress* inprogress wait* await* queue* retry* retries rolling* "
	  "yellow requested required needed requires needs submitted deferred "
	  "delayed postponed outdated incomplete init planned unready uninitialized "
	  "inflight transition* ongoing unbound unprovisioned notready stale "
	  "unassigned requeue* initial" },
	/* good as a quality; the verbs are here for "could not get" */
	{ SENSE_QUALITY, "healthy ok okay green normal good fine valid* exist* found allow* "
			 "permit* support* authori* reachable satisf* accept* admitted able enough "
			 "sufficient* matching match* resolv* responding compatible complian* "
			 "expected safe* trusted stable live alive optimal proper* correct* "
			 "controlled pass passed passing successful* consistent* possible clean "
			 "remediated get connect create read parse retrieve verify fetch" },
	/* good as a state that one gets to */
	{ SENSE_STATE, "ready* avail* complete* completion done finish* running active up online "
		       "succe* sync insync current latest uptodate bound idle serving listening "
		       "operational operating streaming open steady monitoring managing functioning "
		       "unchanged enabled existing issued" },
};

/* Two words that together say something else than alone. */
static const struct pair {
	const char *first, *second;
	enum sense sense;
} pairs[] = {
	{ "timed", "out", SENSE_BAD },
	{ "time", "out", SENSE_BAD },
	{ "back", "off", SENSE_BAD },
	{ "out", "of", SENSE_BAD },
	{ "already", "exist*", SENSE_BAD },
	{ "already", "in", SENSE_BAD },
	{ "already", "claimed", SENSE_BAD },
	{ "already", "taken", SENSE_BAD },
	{ "already", "used", SENSE_BAD },
	{ "already", "own*", SENSE_BAD },
	{ "already", "allocated", SENSE_BAD },
	{ "already", "reserved", SENSE_BAD },
	{ "already", "assigned", SENSE_BAD },
	{ "rolled", "back", SENSE_BAD },
	{ "rolling", "back", SENSE_BAD },
	{ "roll", "back", SENSE_BAD },
	{ "no", "quorum", SENSE_BAD },
	{ "quorum", "lost", SENSE_BAD },
	{ "split", "brain", SENSE_BAD },
	{ "need*", "attention", SENSE_BAD },
	{ "require*", "attention", SENSE_BAD },
	{ "manual", "intervention", SENSE_BAD },
	{ "stopped", "posting", SENSE_BAD },
	{ "stopped", "updating", SENSE_BAD },
	{ "stopped", "reporting", SENSE_BAD },
	{ "stopped", "responding", SENSE_BAD },
	{ "gave", "up", SENSE_BAD },
	{ "given", "up", SENSE_BAD },
	{ "cut", "off", SENSE_BAD },
	{ "non", "existent", SENSE_BAD },
	{ "too", "many", SENSE_BAD },
	{ "too", "few", SENSE_BAD },
	{ "too", "large", SENSE_BAD },
	{ "too", "long", SENSE_BAD },
	{ "limit", "reached", SENSE_BAD },
	{ "quota", "reached", SENSE_BAD },
	{ "max*", "reached", SENSE_BAD },
	{ "storage", "full", SENSE_BAD },
	{ "disk", "full", SENSE_BAD },
	{ "not", "set", SENSE_BAD },
	{ "not", "configured", SENSE_BAD },
	{ "up", "to", SENSE_STATE },
	{ "scaled", "down", SENSE_STATE },
	{ "in", "use", SENSE_STATE },
	{ "in", "service", SENSE_STATE },
	{ "set", "up", SENSE_STATE },
	{ "scaled", "to", SENSE_STATE },
	{ "scale", "down", SENSE_NONE },
	{ "down", "to", SENSE_NONE },
	{ "cool", "down", SENSE_NONE },
	/* Deployments and their kin: on the way to NewReplicaSetAvailable */
	{ "set", "updated", SENSE_PROGRESS },
	{ "scaling", "down", SENSE_PROGRESS },
	{ "shutting", "down", SENSE_PROGRESS },
	{ "setting", "up", SENSE_PROGRESS },
	{ "spinning", "down", SENSE_PROGRESS },
	{ "in", "maintenance", SENSE_PROGRESS },
	{ "under", "maintenance", SENSE_PROGRESS },
	{ "maintenance", "mode", SENSE_PROGRESS },
	{ "in", "flight", SENSE_PROGRESS },
	{ "in", "transit", SENSE_PROGRESS },
	{ "tear", "down", SENSE_PROGRESS },
	{ "cleaning", "up", SENSE_PROGRESS },
	{ "starting", "up", SENSE_PROGRESS },
	{ "scaling", "up", SENSE_PROGRESS },
	{ "backing", "up", SENSE_PROGRESS },
	{ "shut", "down", SENSE_SUSPENDED },
	{ "on", "hold", SENSE_SUSPENDED },
	{ "powered", "off", SENSE_SUSPENDED },
	{ "power", "off", SENSE_SUSPENDED },
	{ "switched", "off", SENSE_SUSPENDED },
	{ "no", "longer", SENSE_NOT },
};

/* Verbs and nouns that are a phase of their own, but say nothing beside other words. */
static const char lone[] = "upgrade update scale scaleup scaledown scaleout scalein restart create "
			   "install restore bootstrap provision configure migrate configuration "
			   "initialize initialization new reconcile build rollout resize maintenance";

/*
 * What was done is good to hear only of these, by the stems of what ends in -ed: there
 * are as many for harm, and new ones every day.
 */
static const char done[] =
	"accomplish* achiev* acknowledg* acquir* activat* adapt* add* adjust* adopt* advertis* aggregat* "
	"align* allocat* answer* appl* approv* arriv* assign* associat* attach* attest* audited "
	"authenticat* balanc* booted bootstrap* cach* calculat* calibrat* captur* cataloged certifi* check* "
	"claim* cleaned clon* clustered collect* commission* commit* compil* comput* configur* confirm* "
	"connect* consolidat* converg* convert* coordinat* copied creat* customi* declar* "
	"decod* decrypt* defin* deliver* deploy* deriv* determin* discover* dispatch* download* "
	"elect* encod* encrypt* enforc* enrich* enrol* establish* evaluat* execut* expand* "
	"export* expos* extend* extract* federat* fetch* fill* finali* fix* flush* form* format* "
	"forward* fulfil* gather* generat* grant* handl* hash* heal* host* hydrat* identif* "
	"implement* import* improv* index* ingest* inherit* initiali* initiat* inject* insert* inspect* "
	"instal* instantiat* integrat* introspect* invok* join* label* launch* learned leased "
	"licensed link* load* locat* maintain* mapped materiali* merg* migrat* mirror* mitigat* "
	"mount* moved negotiat* notif* observ* obtain* onboard* opened optimi* orchestrat* "
	"owned packag* paired parsed patch* peered perform* persist* placed populat* powered prepar* "
	"present* preserv* process* produc* programm* promot* propagat* protect* provision* "
	"publish* pull* push* qualif* ratifi* reach* realiz* rebalanc* reboot* receiv* recogni* "
	"reconcil* reconfigur* record* recover* recreat* redeem* redeploy* refresh* regenerat* "
	"register* reinstall* rejoin* releas* reload* render* renew* repair* replicat* reserv* resiz* "
	"reschedul* restart* restor* resum* retain* retriev* review* rolled rotat* routed saved scaled "
	"scann* schedul* secur* seed* selected served settl* ship* sign* snapshotted sort* spawn* stabili* "
	"staged start* stor* stream* subscrib* suppl* switch* sync* tagg* test* train* "
	"tracked transfer* transform* translat* transmit* trigger* tun* unlock* unpack* unsealed updat* upgrad* "
	"upload* upsert* valid* verif* vetted warmed watch* whitelist*";

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

/* The pattern of a list that fits, "" when none does.  Every word of every status comes here. */
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

static enum sense sense_in_table(const struct word *w)
{
	for (size_t i = 0; i < sizeof(vocabulary) / sizeof(vocabulary[0]); i++) {
		enum sense sense = vocabulary[i].sense;
		struct str pattern = find_word(vocabulary[i].words, w);

		if (pattern.len == 0)
			continue;
		/* "resolved" is good, "resolving" is not there yet */
		if ((sense == SENSE_QUALITY || sense == SENSE_STATE) && ends(w, "ing", 5) &&
		    str_ends(pattern, "*"))
			return SENSE_PROGRESS;
		return sense;
	}
	return SENSE_UNLISTED;
}

/* Words that no table knows: "un-" turns round, "-ing" is under way, "-ed" may be done. */
static enum sense sense_of(const struct word *w)
{
	enum sense sense = sense_in_table(w);

	if (sense != SENSE_UNLISTED)
		return sense;
	if (ends(w, "ed", 5) && find_word(done, w).len)
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

/* How it ended. */
static const char outcomes[] = "succe* complet* finish* done passed";

/*
 * The sense of the i-th.  Before its outcome a word in -ing is a noun:
 * "ProvisioningSucceeded", "LogShippingSuccess"; and what runs something is at it:
 * "RunningWorkflow".
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
		if (fits(str_of(pairs[i].first), a) && fits(str_of(pairs[i].second), b))
			return pairs[i].sense;
	return SENSE_UNLISTED;
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

static bool is_letter(char c)
{
	return is_upper(c) || is_lower(c);
}

/* The end of "spec.rollout.maxUnavailable" at i, i itself where there is none: a field or a file is no word. */
static size_t dotted_end(struct str s, size_t i)
{
	size_t end = i;
	bool dotted = false;

	while (end < s.len && (is_letter(s.ptr[end]) || is_digit(s.ptr[end]) || s.ptr[end] == '-' || s.ptr[end] == '_' ||
			       (s.ptr[end] == '.' && end > i && end + 1 < s.len && is_lower(s.ptr[end + 1])))) {
		dotted |= s.ptr[end] == '.';
		end++;
	}
	return dotted ? end : i;
}

/* Cuts a phrase into lower-case words; returns how many. */
static size_t cut(struct str s, struct word *out)
{
	size_t n = 0;
	bool inside = false;

	for (size_t i = 0; i < s.len; i++) {
		char c;

		if (!inside)
			i = dotted_end(s, i);
		if (i >= s.len)
			break;
		c = s.ptr[i];
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
	static const int weights[] = { [WORD_NONE] = 0,
				       [WORD_OK] = 1,
				       [WORD_PROGRESS] = 2,
				       [WORD_SUSPENDED] = 3,
				       [WORD_BAD] = 4 };

	return weights[class];
}

enum word_class word_class(struct str phrase)
{
	struct word all[MAX_WORDS];
	size_t n = cut(phrase, all), reach = 0;
	enum word_class best = WORD_NONE;
	bool being = false;

	if (n == 1 && find_word(lone, &all[0]).len)
		return WORD_PROGRESS;
	for (size_t i = 0; i < n; i++) {
		enum sense sense = i + 1 < n ? sense_of_pair(&all[i], &all[i + 1]) : SENSE_UNLISTED;
		enum word_class class;

		if (sense != SENSE_UNLISTED)
			i++;
		else
			sense = sense_in_phrase(all, i, n);
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
