/* SPDX-License-Identifier: Apache-2.0 */
/* A world of toys in which anything may happen, and the same from the same number. */
#ifndef TESTS_UNIT_RANDOM_WORLD_H
#define TESTS_UNIT_RANDOM_WORLD_H

#include "tests/unit/toy.h"

#define NAMES 60
#define KINDS 4
#define SPACES 3
#define GONE 500

enum feature {
	SERVING = 1 << 0,  /* phases that are neither ready nor in anybody's way */
	COVERAGE = 1 << 1, /* lists that begin and end, what may be read changes */
	TIME = 1 << 2,	   /* patience ends */
	ALIASES = 1 << 3,  /* names of another kind, kinds nobody told */
	COPIES = 1 << 4,   /* copies, namespace-wide conditions */
	FAR = 1 << 5,	   /* families that look two steps away */
	FORGET = 1 << 6,   /* what is gone is forgotten, slots are used again */
	EVERYTHING = (1 << 7) - 1
};

static const char *const kind_names[KINDS] = { "Net", "Sub", "Port", "Set" };
static const char *const spaces[SPACES] = { "a", "b", "c" };

struct model {
	struct toy_world w;
	uint64_t random;
	unsigned features;
	char *objects[NAMES]; /* what was put, NULL: not there */
	char *told[NAMES];    /* what was last told of it */
	enum coverage coverage[KINDS][SPACES + 1], named[NAMES];
	struct handle gone[GONE]; /* some of those that were removed */
	unsigned ngone, reused;	  /* how often a slot had another name again */
	unsigned event;
};

static inline unsigned below(struct model *m, unsigned n)
{
	m->random = m->random * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((m->random >> 33) % n);
}

static inline bool chance(struct model *m, unsigned percent)
{
	return below(m, 100) < percent;
}

static inline bool has(const struct model *m, enum feature f)
{
	return m->features & f;
}

static inline struct object_id id_of(struct toy_world *w, unsigned i, char *name)
{
	snprintf(name, 8, "n%u", i);
	return (struct object_id){
		0, kinds_put(&w->kinds, STR("toy.example"), str_of(kind_names[i % KINDS])),
		str_of(spaces[i % SPACES]), str_of(name)
	};
}

static inline struct handle find(struct toy_world *w, unsigned i)
{
	char name[8];
	struct object_id id = id_of(w, i, name);

	return store_find(w->store, &id);
}

/* ---- random objects -------------------------------------------------------- */

static inline void add_time(struct model *m, struct buf *b, const char *member, unsigned minutes)
{
	char text[TIME_TEXT];

	buf_printf(
		b, "'%s':'%s',", member,
		time_format(m->w.now - MINUTES(below(m, minutes)) - SECONDS(below(m, 60)), text));
}

static inline void add_ref(struct model *m, struct buf *b, unsigned self)
{
	static const char *const flags[] = { "blocks",
					     "blocks",
					     "blocks",
					     "blocks exists",
					     "blocks named",
					     "blocks named missing",
					     "blocks always",
					     "",
					     "named",
					     "blocks exists named",
					     "blocks exists always" };
	static const char *const relations[] = { "needs",   "needs",  "needs",	 "needs",
						 "manages", "guards", "replaces" };
	static const char *const guards[] = { "", "", "toy.example/net", "toy.example/sub",
					      "other.example/x" };
	unsigned to = below(m, NAMES + 3), kind = below(m, KINDS);
	bool alias = has(m, ALIASES) && chance(m, 15),
	     untold = has(m, ALIASES) && !alias && chance(m, 15);

	if (to < NAMES)
		kind = to % KINDS;
	buf_printf(b,
		   "{'kind':'%s','name':'%sn%u','ns':'%s','flags':'%s%s','relation':'%s','guard':'%"
		   "s','via':'spec.r%u'",
		   alias ? "Ocid" : kind_names[kind], alias ? "ocid1." : "", to,
		   spaces[untold ? self % SPACES : to % SPACES], flags[below(m, COUNT(flags))],
		   untold ? " any-kind" : "",
		   alias ? "needs" : relations[below(m, COUNT(relations))],
		   guards[below(m, COUNT(guards))], below(m, 3));
	if (alias)
		buf_add_cstr(b, ",'group':''");
	buf_printf(b, ",'message':'%s'},", chance(m, 30) ? "it says so" : "");
}

static inline void add_spec(struct model *m, struct buf *b, unsigned self)
{
	buf_add_cstr(b, "'spec':{'refs':[");
	for (unsigned n = below(m, 5); n > 0; n--)
		add_ref(m, b, self);
	if (has(m, ALIASES) && chance(m, 50))
		buf_printf(b, "{'kind':'Ocid','group':'','name':'ocid1.n%u','relation':'manages'},",
			   self);
	if (has(m, COPIES) && chance(m, 10)) {
		unsigned of = below(m, NAMES);

		buf_printf(b, "{'kind':'%s','name':'n%u','ns':'%s','flags':'copy'},",
			   kind_names[of % KINDS], of, spaces[of % SPACES]);
	}
	if (has(m, FAR) && chance(m, 20))
		buf_printf(b, "{'kind':'Namespace','group':'','name':'%s','flags':'contents'},",
			   spaces[below(m, SPACES)]);
	if (buf_cstr(b)[b->len - 1] == ',')
		b->len--;
	buf_add_cstr(b, "]}");
}

static inline void add_status(struct model *m, struct buf *b)
{
	static const char *const phases[] = { "Ready",	      "Failed",	  "Provisioning",
					      "Provisioning", "Degraded", "Suspended",
					      "Updating",     "Scaling",  "Unknown",
					      "Waiting" };
	bool with = chance(m, 10);

	buf_add_cstr(b, "'status':{");
	if (!has(m, TIME) || chance(m, 80))
		add_time(m, b, "since", 50);
	buf_printf(b, "'phase':'%s','reason':'%s','flags':[%s%s%s],'external':[%s]},",
		   phases[below(m, has(m, SERVING) ? COUNT(phases) : 6)],
		   chance(m, 30) ? "Why" : "", has(m, FAR) && chance(m, 30) ? "'looks'," : "",
		   has(m, COPIES) && chance(m, 10) ? "'namespace-wide'," : "",
		   chance(m, 30) ? "'echo'" : "'plain'",
		   with ? "{'state':'external','kind':'Job','name':'j'},{'state':'approval','kind':"
			  "'Plan','name':'p'}"
			: "");
}

static inline void add_meta(struct model *m, struct buf *b, unsigned self)
{
	static const char *const finalizers[] = { "toy.example/net", "toy.example/sub",
						  "toy.example/own", "foregroundDeletion",
						  "who.example/knows" };

	buf_printf(b, "'apiVersion':'toy.example/v1','kind':'%s','metadata':{",
		   kind_names[self % KINDS]);
	add_time(m, b, "creationTimestamp", 100);
	if (chance(m, 15))
		add_time(m, b, "deletionTimestamp", 40);
	buf_printf(b, "'name':'n%u','namespace':'%s','finalizers':[", self, spaces[self % SPACES]);
	for (unsigned n = below(m, 3); n > 0; n--)
		buf_printf(b, "'%s'%s", finalizers[below(m, COUNT(finalizers))], n > 1 ? "," : "");
	buf_add_cstr(b, "],'ownerReferences':[");
	for (unsigned n = below(m, 8) / 6; n > 0; n--) {
		unsigned owner = below(m, NAMES);

		buf_printf(b,
			   "{'apiVersion':'toy.example/"
			   "v1','kind':'%s','name':'n%u','controller':true}%s",
			   kind_names[owner % KINDS], owner, n > 1 ? "," : "");
	}
	buf_add_cstr(b, "]},");
}

static inline void put_again(struct model *m, unsigned i)
{
	toy_put_json(&m->w, m->objects[i]);
}

static inline void put_random(struct model *m, unsigned i)
{
	struct buf b = { 0 };

	buf_add_char(&b, '{');
	add_meta(m, &b, i);
	add_status(m, &b);
	add_spec(m, &b, i);
	buf_add_char(&b, '}');
	xfree(m->objects[i]);
	m->objects[i] = xstrdup(buf_cstr(&b));
	buf_release(&b);
	put_again(m, i);
}

/* ---- random events ---------------------------------------------------------- */

static inline void remove_one(struct model *m, unsigned i)
{
	m->gone[m->ngone++ % GONE] = find(&m->w, i);
	store_remove(m->w.store, find(&m->w, i));
	xfree(m->objects[i]);
	m->objects[i] = NULL;
}

/* A list that does not name everybody. */
static inline void list_random(struct model *m)
{
	unsigned kind = below(m, KINDS), space = below(m, SPACES + 1);
	struct str ns = space < SPACES ? str_of(spaces[space]) : STR_NONE;
	const struct kind *k = kinds_put(&m->w.kinds, STR("toy.example"), str_of(kind_names[kind]));

	for (unsigned i = 0; i < NAMES; i++) {
		char name[8];

		if (i % KINDS != kind || !m->objects[i])
			continue;
		if (!chance(m, 85)) {
			if (ns.len == 0 || str_eq(id_of(&m->w, i, name).ns, ns))
				remove_one(m, i);
		} else if (chance(m, 20)) {
			put_random(m, i);
		} else {
			put_again(m, i);
		}
	}
	m->coverage[kind][space] = COVERAGE_COMPLETE;
	store_set_coverage(m->w.store, 0, k, ns, COVERAGE_COMPLETE);
}

static inline void cover_random(struct model *m)
{
	unsigned kind = below(m, KINDS), space = below(m, SPACES + 1), i = below(m, NAMES);
	enum coverage coverage = (enum coverage)below(m, COVERAGE_FORBIDDEN + 1);
	char name[8];
	struct object_id id = id_of(&m->w, i, name);

	if (chance(m, 50)) {
		m->named[i] = coverage;
		store_set_name_coverage(m->w.store, &id, coverage);
	} else {
		m->coverage[kind][space] = coverage;
		store_set_coverage(
			m->w.store, 0,
			kinds_put(&m->w.kinds, STR("toy.example"), str_of(kind_names[kind])),
			space < SPACES ? str_of(spaces[space]) : STR_NONE, coverage);
	}
}

/* Whoever is gone stays gone, whoever has its slot now. */
static inline void check_gone(struct model *m)
{
	for (unsigned i = 0; i < m->ngone && i < GONE; i++)
		assert_false(store_alive(m->w.store, m->gone[i]));
}

/* What is known of a name goes with it. */
static inline void forget(struct model *m)
{
	char name[8];

	m->reused += (unsigned)graph_forget(m->w.graph);
	for (unsigned i = 0; i < NAMES; i++) {
		struct object_id id = id_of(&m->w, i, name);

		m->named[i] = store_name_coverage(m->w.store, &id);
	}
	check_gone(m);
}

/* One of these; time may pass. */
static inline void change_random(struct model *m)
{
	unsigned i = below(m, NAMES);

	if (has(m, COVERAGE) && chance(m, 3))
		list_random(m);
	else if (has(m, COVERAGE) && chance(m, 3))
		cover_random(m);
	else if (m->objects[i] && chance(m, 30))
		remove_one(m, i);
	else
		put_random(m, i);
	if (has(m, TIME) && chance(m, 20))
		m->w.now += SECONDS(below(m, 120));
}

/* What the model holds, in a new world that got it at once. */
static inline void rebuild(const struct model *m, struct toy_world *w)
{
	char name[8];

	toy_open(w);
	w->now = m->w.now;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned s = 0; s <= SPACES; s++)
			store_set_coverage(
				w->store, 0,
				kinds_put(&w->kinds, STR("toy.example"), str_of(kind_names[k])),
				s < SPACES ? str_of(spaces[s]) : STR_NONE, m->coverage[k][s]);
	for (unsigned i = 0; i < NAMES; i++) {
		struct object_id id = id_of(w, i, name);

		if (m->named[i] != COVERAGE_NONE) /* else the name was never met */
			store_set_name_coverage(w->store, &id, m->named[i]);
	}
	for (unsigned i = 0; i < NAMES; i++)
		if (m->objects[i])
			toy_put_json(w, m->objects[i]);
	for (unsigned s = 0; s < SPACES; s++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'%s'}}",
			 spaces[s]);
		toy_put_json(w, text);
	}
}

static inline void model_close(struct model *m)
{
	for (unsigned i = 0; i < NAMES; i++) {
		xfree(m->objects[i]);
		xfree(m->told[i]);
	}
	toy_close(&m->w);
}

#endif
