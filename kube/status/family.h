/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a family of operators is: tables first, code for what no row can say.
 * A family is one file in kube/family; its existence registers it.
 */
#ifndef KUBE_STATUS_FAMILY_H
#define KUBE_STATUS_FAMILY_H

#include "kube/base/arena.h"
#include "kube/model/json.h"
#include "kube/model/kind.h"
#include "kube/model/status.h"

/* In every table the first row that matches decides; NULL matches anything; a row {0} ends the table. */

/*
 * A field that names other objects.  path may iterate: "spec.ports[].portRef",
 * "spec.secrets[*].name" ([*] goes over the members of a map).  Its value is a
 * name, or a map with name and perhaps namespace, kind, group or apiVersion,
 * which then win over the row.  An empty name is no reference.
 */
struct ref_rule {
	const char *kind;	/* the kind of the object that has the field */
	const char *path;
	const char *group;	/* the group of the target; NULL: the group of the object */
	const char *target;	/* the kind of the target */
	enum relation relation;
	unsigned flags;		/* enum ref_flags */
	const char *guard;	/* the finalizer that the object puts on the target, or NULL */
};

/*
 * Where an operator usually runs.  It says something only when it is seen there:
 * people install things elsewhere, too.
 */
struct controller_rule {
	/* the group of the objects: "flux.example", "*.azure.com"; NULL: every group of the family */
	const char *group;
	const char *kind;	/* the kind of the objects; NULL: every kind */
	/* "*" in these two stands for the first label of the group, where each group has an operator of its own */
	const char *ns;
	const char *deployment;	/* the name of a Deployment or StatefulSet; NULL: only the lease is known */
	/* the Lease of the controller's leader; NULL: the Lease that a pod of the controller holds */
	const char *lease;
};

bool controller_rule_matches(const struct controller_rule *r, const struct kind *kind);
/* Writes one of these names for that kind; "" for NULL. */
struct str controller_rule_name(const char *name, const struct kind *kind, struct arena *arena);

/*
 * A kind, without a group, whose names are not objects: labels that pods carry, or identifiers of a cloud.  One object
 * manages each such name (RELATION_MANAGES), and a reference to the name counts as a reference to that object.
 */
struct alias_rule {
	const char *kind;
	bool namespaced;
	/*
	 * An object in trouble that has such a name looks for the objects of this kind that have it, too: all of them are listed.
	 * NULL: none are.
	 */
	const char *group, *listed;
};

/* When objects of another kind are looked up for an object. */
enum companion_when {
	COMPANION_ALWAYS,
	COMPANION_EXPLAINED,	/* while it is explained: it is not well, or one of a few that are selected */
	COMPANION_UNWELL	/* while it is not at its goal */
};

/*
 * A kind whose objects decide about an object that does not name them: they name it, or it selects them.  They are looked up in
 * its namespace, so that what is concluded does not depend on what else is selected.
 */
struct companion_rule {
	const char *kind;	/* of the object that is looked at */
	const char *group, *companion;
	enum companion_when when;
};

/* A threshold of the family's own.  A user may change its value by its name, as the thresholds of thresholds.def. */
struct threshold {
	const char *name;	/* "appcatFailedUnsynced" */
	const char *what;	/* the sentence that describes it in the manual */
	int64_t value;		/* ms */
};

struct verdict;
struct assessment;

struct family {
	/* the name in the output: "orc"; all operators that the general rules judge are "generic" */
	const char *name;
	/* a name that no other family has, where several families share one name: "flux"; NULL: name is unique */
	const char *id;
	const char *title;		/* "OpenStack resource controller" */
	const char *const *groups;	/* "openstack.k-orc.cloud", "*.azure.com"; ends with NULL; may be NULL */
	/*
	 * Returns true when the object belongs to this family by its shape.  A family with groups must match both the
	 * group and the shape (several operators share "*.oracle.com").  NULL: the groups alone decide.  A family
	 * without groups is asked for the objects whose group no family has.
	 */
	bool (*claims)(const struct kind *kind, struct json object);
	/*
	 * A family that stands for many: returns the one of them that is meant for a kind whose group no family has, or
	 * NULL.
	 */
	const struct family *(*stands_for)(const struct kind *kind);
	/* The path of the conditions; NULL: "status.conditions". */
	const char *conditions_path;
	const struct ref_rule *refs;
	/* Phase 1, for one object alone: reads the object of v and decides by the rows of tables (kube/evidence/decision_table.h). */
	void (*inspect)(struct verdict *v);
	/*
	 * Phase 2, with the neighbours: rows may decide anew (table_assess()).  It runs after the common rules (an
	 * object waits for what blocks it).  NULL: only the common rules run.
	 */
	void (*assess)(struct assessment *d);
	/*
	 * Returns true when the finalizer belongs to this family, and writes the name of the kind ("Port") for which it
	 * is held to out.  NULL: the family has no such finalizers.
	 */
	bool (*finalizer)(struct str finalizer, struct str *out_kind);
	/* The finalizer that this family's own controller puts on its objects. */
	bool (*own_finalizer)(const struct kind *kind, struct str finalizer);
	const struct controller_rule *controllers;	/* NULL: the controllers are not known */
	/* A field selector of the Events that explain a deletion which no status explains, or NULL. */
	const char *deletion_events;
	const struct alias_rule *aliases;	/* ends with {0}; NULL: the family has none */
	const struct companion_rule *companions;	/* ends with {0}; NULL: the family has none */
	struct threshold *thresholds;		/* ends with {0}; NULL: the family has none */
	/* The vocabulary of the operator has no Waiting, so the common rules of phase 2 leave the phase as it is. */
	bool never_waits;
	/* assess(), and not the common rules, decides what it means for the whole that a part waits or has failed. */
	bool judges_parts;
	/* A workload that an object made and that has failed speaks against the object, also where its operator calls it well. */
	bool workloads_speak;
	/* An object is Provisioning only until it was Ready for the first time: from then on it is Updating. */
	bool provisions_once;
	/* What an attempt after a failure means is told by its own words, however often it fails. */
	bool knows_retries;
	/* Phase 2 needs the neighbours of an object also when phase 1 says Ready. */
	bool judged_by_neighbours;
	/*
	 * The kinds that a condition of a whole namespace may be about.  An object with the flag "namespace-wide"
	 * repeats such a condition: the cause is the object of one of these kinds that the message names, else the
	 * namespace.  NULL: no object of the family has that flag.
	 */
	const char *const *shared_condition_kinds;
};

/* Returns true for one family that stands in several files, or under two names. */
bool family_same(const struct family *a, const struct family *b);
/* Returns true when kind is in a list that ends with NULL.  NULL is the empty list. */
bool family_lists(const char *const *kinds, struct str kind);

/* ---- phase 1 ----------------------------------------------------------- */

/* What inspect() may read of the object. */
struct json verdict_object(const struct verdict *v);
const struct kind *verdict_kind(const struct verdict *v);
/* All kinds that are known so far. */
const struct kinds *verdict_kinds(const struct verdict *v);
int64_t verdict_now(const struct verdict *v);
struct arena *verdict_arena(struct verdict *v);
struct str verdict_name(const struct verdict *v);
struct str verdict_namespace(const struct verdict *v);
int64_t verdict_created(const struct verdict *v);
int64_t verdict_deleting(const struct verdict *v);	/* 0: it is not being deleted */
int64_t verdict_generation(const struct verdict *v);	/* 0: it has no generation */
/* For a kind without generations, where every write counts as an edit: mark is another text after each edit. */
void verdict_edited_by(struct verdict *v, struct str mark);

/* Returns true when another object of the kind in its namespace has a status: its controller handles that namespace. */
bool verdict_sibling_reports(const struct verdict *v);

/* Returns the conditions that were read from conditions_path, in their order. */
size_t verdict_condition_count(const struct verdict *v);
const struct condition *verdict_condition_at(const struct verdict *v, size_t i);
/* Returns the first condition of that type, or NULL. */
const struct condition *verdict_condition(const struct verdict *v, const char *type);
bool condition_is(const struct condition *c, const char *status);	/* c may be NULL */
/* Returns true when c was written for an older generation of the object than its present one; false when c is NULL. */
bool verdict_condition_outdated(const struct verdict *v, const struct condition *c);
/*
 * Replaces the conditions that were read, for objects whose conditions have a form that the common reader does not
 * know.
 */
void verdict_add_condition(struct verdict *v, struct condition c);
void verdict_clear_conditions(struct verdict *v);
void verdict_polarity(struct verdict *v, const char *type, enum polarity polarity);

/*
 * Sets the verdict; the last call counts.  Families do not call it: a row of a table decides (kube/evidence/decision_table.h).  The strings may be borrowed from the object or the arena.  Before inspect()
 * the verdict is Unknown with severity none.
 */
void verdict_set(struct verdict *v, enum phase phase, enum severity severity, struct str reason, struct str message);
/*
 * Returns the text of the field of the status to which a message points instead of telling: "Error (see .status.lastError for
 * details)".  Returns the message when it does not, or the field has no text.
 */
struct str verdict_pointed_at(const struct verdict *v, struct str message);
struct told {
	struct str reason, message;
};
struct told verdict_told(const struct verdict *v);
/* Sets the reason and message; the phase and severity stay. */
void verdict_tell(struct verdict *v, struct str reason, struct str message);
/* Sets the phase and severity; the reason and message stay. */
void verdict_set_phase(struct verdict *v, enum phase phase, enum severity severity);
enum phase verdict_phase(const struct verdict *v);
enum severity verdict_severity(const struct verdict *v);
/* Returns the condition as a rule tells it: "Ready=False NotThere". */
struct str condition_text(struct arena *arena, const struct condition *c);
void verdict_word(struct verdict *v, struct str operator_phase);
/* Names the row of a table that has decided; the text is never freed. */
void verdict_row(struct verdict *v, const char *name);
/* Adds a fact that the verdict rests on, or that it overrules: that which decides first, then the most telling. */
void verdict_because(struct verdict *v, struct because because);
/* Sets what decided, in words for people: "status.async.current class failed". */
void verdict_rule(struct verdict *v, struct str rule);
struct str verdict_decided_by(const struct verdict *v);
/*
 * Adds to the rule that the family does not know such a word and that the general rules decide.  what tells where the
 * word stands ("reason", "status.phase").  Call it after verdict_rule(); nothing is added for an empty word.
 */
void verdict_unknown_word(struct verdict *v, const char *what, struct str word);
void verdict_since(struct verdict *v, int64_t since);
/* The phase began by time alone: since stays the time of the state that led to it. */
void verdict_by_time(struct verdict *v);
/* Returns true when that time has come; else it asks for another look then. */
bool verdict_past(struct verdict *v, int64_t time);
/* Asks for another look at that time.  Of several calls the earliest time counts; a time in the past is ignored. */
void verdict_revisit(struct verdict *v, int64_t when);
void verdict_stale(struct verdict *v);
/* The object failed by itself: it waits for nothing that it refers to, and is a root cause. */
void verdict_own_failure(struct verdict *v);
/* It has failed, and tries again, and its own words name what it waits for (verdict_waits_for()). */
void verdict_blames(struct verdict *v, enum blame blames);
void verdict_ever_ready(struct verdict *v);
/* The object's words call it ready, its numbers or parts do not, and nothing tells of a change. */
void verdict_contradicted(struct verdict *v);
void verdict_complete(struct verdict *v);
void verdict_replicas(struct verdict *v, struct replicas replicas);
void verdict_version(struct verdict *v, struct str from, struct str to);
void verdict_flag(struct verdict *v, const char *flag);
/*
 * Keeps what the object says that matters only beside another object, which reads it in phase 2 (status_particular()):
 * the ports of a Service, the labels of a workload's pods.  what is one word; what many objects say alike is kept once.
 */
void verdict_particular(struct verdict *v, const char *what, struct str value);
/*
 * Notes that the object ends at a time, such as a certificate: where known also since when it holds, and when something is to renew it (all
 * in ms; 0: not known).  Of a CronJob it is the time that the run that is active leaves until the next one.  Particular "expires AT FROM
 * RENEWAL".
 */
void verdict_expires(struct verdict *v, int64_t at, int64_t from, int64_t renewal);
/* Notes that it runs out of room when enough of it is used, which graph_used() may tell. */
void verdict_may_fill(struct verdict *v);
/* Notes that nearly all of something is used, and of what: "19 of 20 pods".  Particular "nearly-used". */
void verdict_nearly_used(struct verdict *v, struct str what);
void verdict_history(struct verdict *v, struct transition t);
/* Returns the async operation, which is made on first use, with percent -1. */
struct async *verdict_async(struct verdict *v);

/* ns "" for a namespaced target kind means the object's own namespace. */
void verdict_ref(struct verdict *v, struct ref ref);
/* Returns reference i of those that were added so far; NULL behind the last. */
const struct ref *verdict_ref_at(const struct verdict *v, size_t i);
/* Returns true when there is a reference from that field already. */
bool verdict_has_ref_via(const struct verdict *v, struct str via);
/* Returns true when LIMIT_REFS references are known: further references are dropped. */
bool verdict_is_full(const struct verdict *v);
/* Returns "apps" for "apps/v1", "" for "v1". */
struct str verdict_group_of(struct str api_version);
/* Adds the references that a row makes of one value; rule: a struct ref_rule.  verdict_each() calls it for each of several. */
void verdict_ref_value(struct verdict *v, struct json value, struct str via, const void *rule);
/* Calls back with each value that a path with [] or [*] reaches, and with the exact path of its field. */
void verdict_each(struct verdict *v, const char *path,
		  void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg);
/* Does the same with every value, however many there are, but without the path of its field: via is empty. */
void verdict_each_value(struct verdict *v, const char *path,
			void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg);
/*
 * The object waits for this one: marks an existing reference to it as the one that the wait names, or adds a reference
 * that needs it.  Severity and phase stay: the common rules of phase 2 make the object Waiting while the wait lasts.
 */
void verdict_waits_for(struct verdict *v, struct ref on);
void verdict_waits_external(struct verdict *v, struct external_wait wait);
/* Adds a finalizer that holds the object as those in its metadata do. */
void verdict_finalizer(struct verdict *v, struct str name);

/* ---- phase 2 ----------------------------------------------------------- */

enum presence {
	PRESENCE_FOUND,
	PRESENCE_MISSING,	/* it is known that the object does not exist */
	PRESENCE_UNKNOWN	/* the object is not here, but nobody can say whether it exists */
};

struct neighbour {
	uint32_t slot;
	enum relation relation;
	unsigned flags;
	struct str via, guard, message;
	enum presence presence;
	const struct kind *kind;
	struct str ns, name;
	int64_t created, deleting;
	/* its status after phase 2, with conditions, flags and refs; valid only when it was found */
	struct status status;
};

/* The object that is assessed, as phase 1 left it; but phase and severity are those that were concluded so far. */
const struct status *assess_status(struct assessment *d);
/* The reason and the message that were concluded so far; assess_status() has those of phase 1. */
struct str assess_reason(const struct assessment *d);
struct str assess_message(const struct assessment *d);
const struct kind *assess_kind(const struct assessment *d);
struct str assess_name(const struct assessment *d);
struct str assess_namespace(const struct assessment *d);
/* What a kubectl command in a text needs to reach this cluster: " --context x", or "". */
struct str assess_target_flags(struct assessment *d);
int64_t assess_created(const struct assessment *d);
int64_t assess_deleting(const struct assessment *d);
int64_t assess_now(const struct assessment *d);
struct arena *assess_arena(struct assessment *d);

/* Returns what the object refers to, for i from 0; false after the last. */
bool assess_target(struct assessment *d, size_t i, struct neighbour *out);
/*
 * Returns the next target of a kind of that name, in any group, from *at on, which is 0 at first and counts on: the others are not
 * read.
 */
bool assess_next_target(struct assessment *d, const char *kind, size_t *at, struct neighbour *out);
/* Returns who refers to the object. */
bool assess_referrer(struct assessment *d, size_t i, struct neighbour *out);
/* Returns what lives in the namespaces to which the object has references with REF_CONTENTS. */
bool assess_content(struct assessment *d, size_t i, struct neighbour *out);
/* Returns true while nobody has been asked for that neighbour, or has not answered yet. */
bool assess_is_unasked(const struct assessment *d, const struct neighbour *n);
/* The same for all objects of a kind there, which a server has: false where there is no such kind, or only files. */
bool assess_is_unread(const struct assessment *d, const char *group, const char *kind, struct str ns);
/* The status of the object does not say why it is as it is; an Event may say it, if somebody fetches the Events. */
void assess_wants_events(struct assessment *d);

/* How much an Event tells: nothing about trouble, that something does not work, or what it is.  Its particular "tells". */
enum event_tells { EVENT_TELLS_A_REMARK, EVENT_TELLS_TROUBLE, EVENT_TELLS_WHAT };
#define EVENTS_KEPT HOURS(1)	/* for so long the API server keeps Events by default */

/* What an Event tells.  Texts are borrowed from the neighbours of the assessment. */
struct event_told {
	struct neighbour found;		/* the Event itself */
	struct str reason, message;
	struct str container;		/* the container that it is about; "": not told */
	int64_t first, last, count;	/* when it was first and last seen, ms, and how often */
	enum event_tells tells;
};
/* Which Events are meant: a member without a value matches any. */
struct events_asked {
	const char *const *reasons;	/* ends with NULL */
	const char *const *words;	/* one of them is in the message; ends with NULL */
	struct str container;		/* of this container, or of none that is told */
	int64_t from;			/* last seen at that time, ms, or later */
};
/*
 * Finds, of the warnings of the last hour about the object (and Killing), the one that tells most, and of these the latest.  Events
 * are looked up for an object for which this was asked.
 */
bool assess_find_event(struct assessment *d, const struct events_asked *asked, struct event_told *out);
/* The same among those that are known already: nobody is asked. */
bool assess_known_event(struct assessment *d, const struct events_asked *asked, struct event_told *out);
/* Returns true where Events are known already: nobody asks for those of an object that looks well. */
bool assess_events_are_read(const struct assessment *d);
/* Notes that the verdict rests on that Event. */
void assess_rests_on_event(struct assessment *d, const struct event_told *e);
/*
 * Returns whether objects of that kind may be read there, because an object that may not be read is not missing.  The
 * case of kind is ignored.
 */
bool assess_readable(const struct assessment *d, const char *group, const char *kind, struct str ns);
/*
 * Looks up any name that was met, in O(1).  The name does not become a neighbour: only a reference to it, or to another
 * name that changes together with it, leads to another assessment.  Returns false when the name was never met.
 */
bool assess_find(struct assessment *d, const char *group, const char *kind, struct str ns, struct str name,
		 struct neighbour *out);
/* Returns the references of a neighbour, to walk on: claim, composite, managed resource. */
bool assess_target_of(struct assessment *d, const struct neighbour *of, size_t i, struct neighbour *out);
bool assess_referrer_of(struct assessment *d, const struct neighbour *of, size_t i, struct neighbour *out);
/* Returns how many references there are to that neighbour, or to that name. */
size_t assess_referrers(const struct assessment *d, const struct neighbour *of);

/* Returns the next object of that kind that refers to the neighbour and is Failed or Degraded, from *at on, which begins at 0. */
bool assess_next_bad_referrer_of(struct assessment *d, const struct neighbour *of, const char *kind, size_t *at, struct neighbour *out);

/*
 * What many objects would find out alike is found out once: returns size bytes that are the same for each object of the cluster until
 * all are judged, and all 0 at first.  Only what no verdict of phase 2 changes may be kept.  assess_keep() returns a text for it.
 */
void *assess_kept(struct assessment *d, struct str key, size_t size);
struct str assess_keep(struct assessment *d, struct str text);

/*
 * Counts the Nodes that are there, and those of them that have the label "key=value"; all is 0 when there are none, or too many to look
 * at.  A change of one of them leads to no other assessment, but the end of a list of them does.
 */
struct labelled {
	bool known;
	size_t all, with;
};
struct labelled assess_count_labelled(struct assessment *d, struct str label);

/* Changes the verdict, for outcome.c.  The strings may be borrowed from neighbours or the arena. */
void assess_set(struct assessment *d, enum phase phase, enum severity severity, struct str reason, struct str message);
/* Sets the reason and message; the phase and severity stay. */
void assess_tell(struct assessment *d, struct str reason, struct str message);
void assess_word(struct assessment *d, struct str operator_phase);
void assess_rule(struct assessment *d, struct str rule);
/* Does what verdict_row() does. */
void assess_row(struct assessment *d, const char *name);
/*
 * Sets since when; 0: it is not known.  Where this program saw the phase begin, that time is used instead of a time
 * that lies in the phase before.
 */
void assess_since(struct assessment *d, int64_t since);
/* Does what verdict_by_time() does; call it after assess_set(). */
void assess_by_time(struct assessment *d);
void assess_version(struct assessment *d, struct str from, struct str to);
void assess_flag(struct assessment *d, const char *flag);
/*
 * Adds what a neighbour says that the verdict rests on, beside the rule and the message: "the selector asks app=serach".
 * from is "Kind/name", or "Event Reason".  The strings may be borrowed from neighbours or the arena.
 */
void assess_because(struct assessment *d, struct str what, struct str message, struct str from);
void assess_revisit(struct assessment *d, int64_t when);
/*
 * Returns true when that part is in progress and nothing is wrong with it, so that its maker is at work and does not
 * wait.
 */
bool assess_own_work(struct assessment *d, const struct neighbour *part);
/* Returns true when something that the object waits for is known so far. */
bool assess_waits(const struct assessment *d);
/* The object waits for this one, even when no field names it. */
void assess_wait(struct assessment *d, const struct neighbour *on, enum wait_state state, struct str message);
/* The same for one that is there: it has failed or is not ready, as its phase says, and has its own message. */
void assess_wait_for(struct assessment *d, const struct neighbour *on);
/* The common rules took it for a wait, and it is none.  Call it before assess_set(). */
void assess_drop_wait(struct assessment *d, const struct neighbour *on);
void assess_wait_external(struct assessment *d, struct external_wait wait);

/* ---- helpers that families share --------------------------------------- */

enum word_class { WORD_NONE, WORD_OK, WORD_PROGRESS, WORD_BAD, WORD_SUSPENDED };

/* Classifies an operator's phrase by its words: "CreateFailed", "pending-upgrade". */
enum word_class word_class(struct str phrase);
/*
 * Does the same for the name of a condition or a field, where "Error" may be the name of a feature: of "ErrorReportingReady" the last
 * word tells how the feature is, while a phase "ErrorApplied" is an error.
 */
enum word_class word_class_of_name(struct str name);
/*
 * Returns true when the phrase has one of these words, which are separated by blanks, and does not negate it.  A * at
 * the end of a word stands for any ending.
 */
bool phrase_has(struct str phrase, const char *words);
/* Returns true when all trouble that the phrase tells of is that something does not exist: "Secret tls not found". */
bool phrase_lacks(struct str phrase);
/*
 * Returns true for a sentence that says why something is as it is; false for a bare word, and for one that only counts, or denies,
 * what is ready: "1 of 3 pods are ready", "Deployment does not have minimum availability."
 */
bool phrase_says_why(struct str text);
/* Returns the quota that a message calls exceeded: "compute" of "exceeded quota: compute, requested: ..."; or "". */
struct str phrase_quota(struct str message);
/*
 * Returns the webhook that a message says cannot be called, "x" of 'failed calling webhook "x": ...'; or "".  Who is refused and the
 * configurations that have the webhook meet at its name, as one of these pseudo kinds (NULL ends them).
 */
struct str phrase_webhook(struct str message);
extern const char *const webhook_names[];
/* Returns true for a message that says that the limits of the namespace (LimitRange) refuse something. */
bool phrase_breaks_limits(struct str message);
/* Returns true when a word of it tells of movement: of "PodsStarting", and not of "PodsNotReady". */
bool phrase_moves(struct str phrase);

#endif
