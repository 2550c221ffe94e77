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

/* In every table the first matching row wins, NULL matches anything, {0} ends it. */

/* A condition decides.  severity is the condition's own field (ASO, Cluster API). */
struct cond_rule {
	const char *type, *status, *reason, *severity;
	enum phase phase;
	enum severity level;
};

/* A word decides, e.g. status.phase. */
struct word_rule {
	const char *word, *reason;
	enum phase phase;
	enum severity level;
};

/*
 * A field that names other objects.  path may iterate: "spec.ports[].portRef",
 * "spec.secrets[*].name" ([*] goes over the members of a map).  Its value is a
 * name, or a map with name and perhaps namespace, kind, group or apiVersion,
 * which then win over the row.  An empty name is no reference.
 */
struct ref_rule {
	const char *kind;	/* of the object that has the field */
	const char *path;
	const char *group;	/* of the target; NULL: the same group as the object */
	const char *target;	/* kind of the target */
	enum relation relation;
	unsigned flags;		/* enum ref_flags */
	const char *guard;	/* finalizer put on the target, or NULL */
};

/*
 * Where an operator usually runs.  It says something only when it is seen there:
 * people install things elsewhere, too.
 */
struct controller_rule {
	const char *group;	/* of the objects: "flux.example", "*.azure.com"; NULL: any of the family */
	const char *kind;	/* of the objects; NULL: any */
	/* "*" in these two stands for the first label of the group: one operator for each */
	const char *ns;
	const char *deployment;	/* or StatefulSet; NULL: only the lease is known */
	const char *lease;	/* of its leader; NULL: the one that a pod of it holds */
};

bool controller_rule_matches(const struct controller_rule *r, const struct kind *kind);
/* One of its names, for that kind; "" for NULL. */
struct str controller_rule_name(const char *name, const struct kind *kind, struct arena *arena);

/*
 * A kind, without a group, whose names are no objects: labels that pods carry, identifiers of a cloud.  One
 * object manages such a name (RELATION_MANAGES); a reference to the name is one to that object.
 */
struct alias_rule {
	const char *kind;
	bool namespaced;
};

/* A time of the family's own: a user may change value by its name, as those of thresholds.def. */
struct threshold {
	const char *name;	/* "appcatFailedUnsynced" */
	const char *what;	/* the sentence behind it in the manual */
	int64_t value;		/* ms */
};

struct verdict;
struct assessment;

struct family {
	const char *name;		/* in the output: "orc"; operators that the general rules judge are all "generic" */
	const char *id;			/* unlike for all families, where several have one name: "flux"; NULL: the name is */
	const char *title;		/* "OpenStack resource controller" */
	const char *const *groups;	/* "openstack.k-orc.cloud", "*.azure.com"; NULL-terminated, may be NULL */
	/*
	 * By shape: true when the object is of this family.  With groups, both
	 * must hold (several operators share "*.oracle.com").  NULL: groups alone.
	 * Without groups it is asked for objects that no group claimed.
	 */
	bool (*claims)(const struct kind *kind, struct json object);
	/* Stands for many: the one that is meant for a kind whose group no family claims, or NULL. */
	const struct family *(*stands_for)(const struct kind *kind);
	/* Where the conditions are; NULL: "status.conditions". */
	const char *conditions_path;
	const struct ref_rule *refs;
	/* Phase 1, one object alone: reads v's object and calls verdict_*(). */
	void (*inspect)(struct verdict *v);
	/*
	 * Phase 2, with the neighbours: may change the verdict by assess_set().
	 * NULL: the common rules alone (waits for what blocks).  Runs after them.
	 */
	void (*assess)(struct assessment *d);
	/*
	 * For whom a finalizer is held: the kind's name ("Port") to out and true
	 * when the finalizer belongs to this family.  NULL: none.
	 */
	bool (*finalizer)(struct str finalizer, struct str *out_kind);
	/* The finalizer that this family's own controller keeps on its objects. */
	bool (*own_finalizer)(const struct kind *kind, struct str finalizer);
	const struct controller_rule *controllers;	/* NULL: nobody knows */
	/* Field selector of Events that explain a deletion which no status explains, or NULL. */
	const char *deletion_events;
	const struct alias_rule *aliases;	/* ends with {0}; NULL: none */
	struct threshold *thresholds;		/* ends with {0}; NULL: none */
	/* Its vocabulary has no Waiting: the common rules of phase 2 leave the phase alone. */
	bool never_waits;
	/* What a part that waits or fails means for the whole is said by assess(), not by the common rules. */
	bool judges_parts;
	/* Phase 2 needs the neighbours of its objects also when phase 1 says Ready. */
	bool judged_by_neighbours;
	/*
	 * Kinds that a condition of a whole namespace may be about.  An object flagged "namespace-wide" repeats
	 * such a condition: its cause is the one of these that its message names, else the namespace.
	 */
	const char *const *shared_condition_kinds;
};

/* One family in several files, or two names of one. */
bool family_same(const struct family *a, const struct family *b);
/* Is the kind in a NULL-terminated list?  NULL is an empty one. */
bool family_lists(const char *const *kinds, struct str kind);

/* ---- phase 1 ----------------------------------------------------------- */

/* What inspect() may look at. */
struct json verdict_object(const struct verdict *v);
const struct kind *verdict_kind(const struct verdict *v);
int64_t verdict_now(const struct verdict *v);
struct arena *verdict_arena(struct verdict *v);
struct str verdict_name(const struct verdict *v);
struct str verdict_namespace(const struct verdict *v);
int64_t verdict_created(const struct verdict *v);
int64_t verdict_deleting(const struct verdict *v);	/* 0: not */
int64_t verdict_generation(const struct verdict *v);	/* 0: none */
/* Of a kind without generations, where every write is an edit: mark is another text after each. */
void verdict_edited_by(struct verdict *v, struct str mark);

/* The conditions that were read from conditions_path, in their order. */
size_t verdict_condition_count(const struct verdict *v);
const struct condition *verdict_condition_at(const struct verdict *v, size_t i);
/* The first of that type, NULL when absent. */
const struct condition *verdict_condition(const struct verdict *v, const char *type);
bool condition_is(const struct condition *c, const char *status);	/* NULL is allowed */
/* c was written for an older generation of the object than the present one; false for NULL. */
bool verdict_condition_outdated(const struct verdict *v, const struct condition *c);
/* Replaces what was read (for shapes that the common reader does not know). */
void verdict_add_condition(struct verdict *v, struct condition c);
void verdict_clear_conditions(struct verdict *v);
void verdict_polarity(struct verdict *v, const char *type, enum polarity polarity);

/*
 * The verdict.  Strings may borrow from the object or the arena.  The last
 * call wins.  Before inspect() it is Unknown, severity none.
 */
void verdict_set(struct verdict *v, enum phase phase, enum severity severity, struct str reason, struct str message);
/* Reason and message stay. */
void verdict_set_phase(struct verdict *v, enum phase phase, enum severity severity);
enum phase verdict_phase(const struct verdict *v);
enum severity verdict_severity(const struct verdict *v);
void verdict_set_severity(struct verdict *v, enum severity severity);
/* Applies the first matching row; the condition's reason, message and time become the verdict's. */
bool verdict_by_conditions(struct verdict *v, const struct cond_rule *rules);
bool verdict_by_word(struct verdict *v, struct str word, struct str reason, const struct word_rule *rules);
void verdict_word(struct verdict *v, struct str operator_phase);
/* What decided, in words for people: "status.async.current class failed". */
void verdict_rule(struct verdict *v, struct str rule);
/*
 * Adds to the rule that the family knows no such word and the general rules decide: what is the word's place
 * ("reason", "status.phase").  Call it after verdict_rule(); an empty word is none.
 */
void verdict_unknown_word(struct verdict *v, const char *what, struct str word);
void verdict_since(struct verdict *v, int64_t since);
/* The phase was entered by time alone: since stays that of the state that led to it. */
void verdict_by_time(struct verdict *v);
/* Look again at that time; the earliest call counts; times in the past are ignored. */
void verdict_revisit(struct verdict *v, int64_t when);
void verdict_stale(struct verdict *v);
/* It failed by itself: it waits for nothing that it refers to, and is a root cause. */
void verdict_own_failure(struct verdict *v);
void verdict_ever_ready(struct verdict *v);
void verdict_complete(struct verdict *v);
void verdict_replicas(struct verdict *v, struct replicas replicas);
void verdict_version(struct verdict *v, struct str from, struct str to);
void verdict_flag(struct verdict *v, const char *flag);
void verdict_history(struct verdict *v, struct transition t);
/* Made on first use, with percent -1. */
struct async *verdict_async(struct verdict *v);

/* ns "" in a namespaced target kind means the object's own namespace. */
void verdict_ref(struct verdict *v, struct ref ref);
/* Is there a reference from that field already? */
bool verdict_has_ref_via(const struct verdict *v, struct str via);
/* LIMIT_REFS references are known: further ones are dropped. */
bool verdict_is_full(const struct verdict *v);
/* A row's work for one value, see struct ref_rule. */
void verdict_ref_value(struct verdict *v, const struct ref_rule *rule, struct json value, struct str via);
/* Calls back for each value that a path with [] or [*] reaches, with its exact field name. */
void verdict_each(struct verdict *v, const char *path,
		  void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg);
/* The same of every value, however many there are, and without the path to it: via is empty. */
void verdict_each_value(struct verdict *v, const char *path,
			void (*value)(struct verdict *v, struct json value, struct str via, const void *arg), const void *arg);
/*
 * "I wait for this": marks an existing reference to it as named, or adds one
 * that needs it.  Severity and phase are untouched: the common rules of phase 2
 * make it Waiting while that is true.
 */
void verdict_waits_for(struct verdict *v, struct ref on);
void verdict_waits_external(struct verdict *v, struct external_wait wait);
/* Holds the object as those in its metadata do. */
void verdict_finalizer(struct verdict *v, struct str name);

/* ---- phase 2 ----------------------------------------------------------- */

enum presence {
	PRESENCE_FOUND,
	PRESENCE_MISSING,	/* known not to exist */
	PRESENCE_UNKNOWN	/* not here, but nobody can say */
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
	struct status status;	/* of phase 2, with conditions, flags, refs; only when found */
};

/* The object under assessment: as phase 1 left it, but for phase and severity, which are those concluded by now. */
const struct status *assess_status(struct assessment *d);
const struct kind *assess_kind(const struct assessment *d);
struct str assess_name(const struct assessment *d);
struct str assess_namespace(const struct assessment *d);
/* What a kubectl command in a text names to reach this cluster: " --context x", or "". */
struct str assess_target_flags(struct assessment *d);
int64_t assess_created(const struct assessment *d);
int64_t assess_deleting(const struct assessment *d);
int64_t assess_now(const struct assessment *d);
struct arena *assess_arena(struct assessment *d);

/* What it refers to; i from 0; false past the end. */
bool assess_target(struct assessment *d, size_t i, struct neighbour *out);
/* Who refers to it. */
bool assess_referrer(struct assessment *d, size_t i, struct neighbour *out);
/* What lives in the namespaces that it has REF_CONTENTS references to. */
bool assess_content(struct assessment *d, size_t i, struct neighbour *out);
/* Its status does not say why it is as it is: an Event may, should somebody fetch those. */
void assess_wants_events(struct assessment *d);
/* May objects of that kind be read there?  For "unreadable is not missing".  The case of kind is ignored. */
bool assess_readable(const struct assessment *d, const char *group, const char *kind, struct str ns);
/*
 * Any name that was met, in O(1).  It is no neighbour: only a reference to it, or
 * to another name that changes with it, causes a new look.  False: never met.
 */
bool assess_find(struct assessment *d, const char *group, const char *kind, struct str ns, struct str name,
		 struct neighbour *out);
/* The references of a neighbour (to walk on: claim, composite, managed resource). */
bool assess_target_of(struct assessment *d, const struct neighbour *of, size_t i, struct neighbour *out);
bool assess_referrer_of(struct assessment *d, const struct neighbour *of, size_t i, struct neighbour *out);

/* Changes the verdict.  Strings may borrow from neighbours or the arena. */
void assess_set(struct assessment *d, enum phase phase, enum severity severity, struct str reason, struct str message);
void assess_word(struct assessment *d, struct str operator_phase);
void assess_rule(struct assessment *d, struct str rule);
/* 0: not known.  Who saw the phase begin knows better than a time of the phase before. */
void assess_since(struct assessment *d, int64_t since);
/* As verdict_by_time(); call it after assess_set(). */
void assess_by_time(struct assessment *d);
void assess_version(struct assessment *d, struct str from, struct str to);
void assess_flag(struct assessment *d, const char *flag);
void assess_revisit(struct assessment *d, int64_t when);
/* Is that part on its way with nothing in it, so that whoever makes it is at work and does not wait? */
bool assess_own_work(const struct assessment *d, const struct neighbour *part);
/* It waits for this one (also when no field names it). */
void assess_wait(struct assessment *d, const struct neighbour *on, enum wait_state state, struct str message);
/* The common rules took it for a wait, and it is none.  Call it before assess_set(). */
void assess_drop_wait(struct assessment *d, const struct neighbour *on);
void assess_wait_external(struct assessment *d, struct external_wait wait);

/* ---- helpers that families share --------------------------------------- */

enum word_class { WORD_NONE, WORD_OK, WORD_PROGRESS, WORD_BAD, WORD_SUSPENDED };

/* The class of an operator's phrase by its words: "CreateFailed", "pending-upgrade". */
enum word_class word_class(struct str phrase);

#endif
