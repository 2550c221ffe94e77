/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of other objects in the message of an object that is not at its goal: 'secrets "tls" not found', "LocalQueue
 * nowhere doesn't exist", "references missing ResourceFlavor(s): a, b".  The object waits for them only where the
 * message itself says that they are not there or not ready, and where a kind stands beside the name.
 */
#include "kube/evidence/evidence.h"
#include "kube/evidence/word_lists.h"

#include "kube/base/limits.h"

enum {
	MAX_WORDS = 1024,
	MAX_LOOKUPS = 32, /* words of one message that are looked up among the kinds */
	LIST_NAMES = 16,  /* names in one list */
	NEAR_WORDS = 4,   /* words between a kind and the name of its object */
	LONGEST_NAME = 253
};

struct word {
	struct str text; /* without quotes and brackets, and without what ends a clause */
	bool quoted, opens, closes;
	bool several; /* "(s)" stands behind it */
	char end;     /* ',', ';', ':', '.' or a new line behind it; 0: the clause goes on */
};

struct reading {
	struct verdict *v;
	struct str message, via;
	const struct word *words;
	size_t n, lookups;
	bool gone;   /* what is read now was there once: "has been deleted" */
	bool failed; /* what is read now has failed, so that only what a field names is meant */
	bool local;  /* "shop/tls" stands behind the kind that is read now: an object of a cluster */
	bool blames;
};

/* An object as the message calls it. */
struct mention {
	struct str kind, group, ns, name;
	bool any_group; /* a kind that is not known here */
	bool missing;	/* the message says that it does not exist, and not only that it is not ready */
	bool common;	/* the kind is written as a common noun is: "bucket" */
};

/* ---- words --------------------------------------------------------------- */

static void strip(struct word *w)
{
	while (w->text.len && strchr("\"'`\\([{<*", w->text.ptr[0])) {
		w->quoted |= strchr("\"'`", w->text.ptr[0]) != NULL;
		w->opens |= w->text.ptr[0] == '[';
		w->text = str_from(w->text, 1);
	}
	while (w->text.len) {
		char last = w->text.ptr[w->text.len - 1];

		if (str_ends(w->text, "(s)")) {
			w->several = true;
			w->text.len -= 3;
			return;
		}
		if (strchr(",;:.", last))
			w->end = last;
		else if (last == ']')
			w->closes = true;
		else if (!strchr("\"'`\\)}>", last))
			return;
		w->text.len--;
	}
}

static bool next_word(struct str *rest, struct word *out)
{
	size_t n = 0;

	while (rest->len && is_space(rest->ptr[0]))
		*rest = str_from(*rest, 1);
	while (n < rest->len && !is_space(rest->ptr[n]))
		n++;
	*out = (struct word){ .text = str_head(*rest, n) };
	*rest = str_from(*rest, n);
	strip(out);
	if (!out->end && rest->len && rest->ptr[0] == '\n')
		out->end = '\n';
	return n > 0;
}

static void read_words(struct reading *r)
{
	struct str rest = str_head(r->message, LIMIT_MESSAGE);
	size_t most = rest.len / 2 + 1 < MAX_WORDS ? rest.len / 2 + 1 : MAX_WORDS;
	struct word *words = arena_array(verdict_arena(r->v), most, sizeof(*words));

	while (r->n < most && next_word(&rest, &words[r->n]))
		r->n++;
	r->words = words;
}

/* Returns how many words of the text from at on are that phrase; 0: they are another text. */
static size_t phrase_at(const struct reading *r, size_t at, const char *phrase)
{
	struct str rest = str_of(phrase), one;
	size_t n = 0;

	for (; str_split(&rest, ' ', &one); n++) {
		const struct word *w = &r->words[at + n];

		if (at + n >= r->n || w->quoted || !str_eq_nocase(w->text, one) || (rest.len && w->end))
			return 0;
	}
	return n;
}

static bool is_word(const struct word *w, const char *const *list)
{
	return !w->quoted && str_is_any_nocase(w->text, list);
}

/* ---- names and kinds ------------------------------------------------------ */

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!is_lower(s.ptr[i]) && !is_digit(s.ptr[i]) && (i == 0 || i + 1 == s.len || (s.ptr[i] != '-' && s.ptr[i] != '.')))
			return false;
	}
	return s.len > 0 && s.len <= LONGEST_NAME;
}

/* Hardly an English word: "db-0", "web2". */
static bool is_only_a_name(struct str s)
{
	bool special = false;

	for (size_t i = 0; i < s.len; i++)
		special |= s.ptr[i] == '-' || is_digit(s.ptr[i]);
	return special && is_name(s);
}

/* Words that stand behind a kind and are no names. */
static bool is_common(struct str s)
{
	return str_is_any(s, list_common);
}

/* Returns true for a word that is made like the name of a kind: "FakeMachineTemplate", but not "Referenced" or "HTTP". */
static bool is_made_like_a_kind(struct str s)
{
	size_t upper = 0, lower = 0;

	for (size_t i = 0; i < s.len; i++) {
		upper += is_upper(s.ptr[i]);
		lower += is_lower(s.ptr[i]);
		if (!is_alnum(s.ptr[i]))
			return false;
	}
	return upper >= 2 && lower >= 2 && is_upper(s.ptr[0]) && s.len < 64;
}

struct str mentions_kind_before(struct str message, size_t at)
{
	struct str head = str_head(message, at), word;

	if (head.len < 2 || !strchr("\"'`", head.ptr[head.len - 1]) || head.ptr[head.len - 2] != ' ')
		return STR_NONE;
	head = str_head(head, head.len - 2);
	word = str_from(head, str_rfind(head, ' ') < head.len ? str_rfind(head, ' ') + 1 : 0);
	if (word.len < 4 || !is_upper(word.ptr[0]) || str_is_any(word, list_mentions_kind_before) || str_ends(word, "ing"))
		return STR_NONE;
	for (size_t i = 1; i < word.len; i++)
		if (!is_lower(word.ptr[i]) && !is_upper(word.ptr[i]))
			return STR_NONE;
	return word;
}

/*
 * "cluster" may be any cluster, and a role one of a database: in lower case and without its group a kind of an operator is meant
 * only when it is of the object's own group.
 */
static bool is_meant(const struct reading *r, const struct kind *kind, struct str word)
{
	if (str_eq(word, kind->kind) || str_eq(kind->group, verdict_kind(r->v)->group))
		return true;
	if (r->local)
		return true;
	/* one of anything else may be meant: a role of a database, a node of a graph */
	return !(kind->flags & KIND_CUSTOM) && (!str_is_any(word, list_meant) || str_eq(word, kind->plural));
}

/* "flavors" of ResourceFlavor, where no other kind of the object's group ends so; "volume vol-1" of a pod is one of its cloud. */
static bool kind_by_end(const struct reading *r, struct str word, struct mention *out)
{
	enum { SHORTEST = 5, LONGEST = 63 };
	const struct kind *own = verdict_kind(r->v), *kind;
	char end[LONGEST];

	if (word.len > SHORTEST && str_ends(word, "s"))
		word.len--;
	if (word.len < SHORTEST || word.len > LONGEST || !is_lower(word.ptr[0]) || !(own->flags & KIND_CUSTOM))
		return false;
	memcpy(end, word.ptr, word.len);
	end[0] = (char)(end[0] - 'a' + 'A');
	kind = kinds_ending(verdict_kinds(r->v), (struct str){ end, word.len }, own->group);
	if (!kind || kind == own || !str_eq(kind->group, own->group))
		return false;
	out->kind = kind->kind;
	out->group = kind->group;
	out->any_group = false;
	return true;
}

/* "Store", after which the field storeRef is named. */
static bool kind_of_reference(const struct reading *r, struct str word, struct mention *out)
{
	const struct ref *ref;

	for (size_t i = 0; is_upper(word.ptr[0]) && (ref = verdict_ref_at(r->v, i)); i++) {
		if (ref->relation != RELATION_NEEDS || !str_eq(ref->kind, word))
			continue;
		out->kind = ref->kind;
		out->group = ref->group;
		out->any_group = ref->flags & REF_ANY_GROUP;
		return true;
	}
	return false;
}

static bool kind_of(struct reading *r, struct str word, struct mention *out)
{
	const struct kind *kind;
	struct str group;
	size_t dot;

	if (str_starts(word, "Kind="))
		word = str_from(word, 5);
	dot = str_find(word, '.');
	group = str_from(word, dot + 1);
	word = str_head(word, dot);
	if (word.len < 3 || r->lookups == MAX_LOOKUPS)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] == '-' || word.ptr[i] == '/')
			return false;
	r->lookups++;
	kind = kinds_called(verdict_kinds(r->v), word, group, verdict_kind(r->v)->group);
	if (kind && (group.len || is_meant(r, kind, word))) {
		out->kind = kind->kind;
		out->group = kind->group;
		out->any_group = false;
		out->common = !group.len && !is_upper(word.ptr[0]) && !str_eq(word, kind->plural);
		return true;
	}
	if (kind_by_end(r, word, out) || kind_of_reference(r, word, out))
		return true;
	if (!is_made_like_a_kind(word))
		return false;
	out->kind = word;
	out->group = group;
	out->any_group = group.len == 0;
	return true;
}

/* ---- what is said of it ---------------------------------------------------- */

static bool is_referred_to(const struct reading *r, const struct mention *m)
{
	const struct ref *ref;

	for (size_t i = 0; (ref = verdict_ref_at(r->v, i)); i++)
		if (ref->relation == RELATION_NEEDS && str_eq(ref->name, m->name) &&
		    (str_eq_nocase(ref->kind, m->kind) || (ref->flags & REF_ANY_KIND)))
			return true;
	return false;
}

/* A workload to which no field refers is what the object has made: its own work. */
static bool is_own_part(const struct reading *r, const struct mention *m)
{
	struct str own = verdict_name(r->v), end = str_from(m->name, m->name.len - own.len);
	/* "main-0", and "prometheus-main" */
	bool named_after = str_eq(str_head(m->name, own.len), own) ||
			   (m->name.len > own.len && str_eq(end, own) && m->name.ptr[m->name.len - own.len - 1] == '-');

	return str_is_any(m->kind, list_own_part) && !str_contains(m->group, ".") && (!m->missing || named_after) &&
	       !is_referred_to(r, m);
}

/* A webhook's Service is in another namespace, which the URL tells: verdict_read_messages() reads that. */
static bool is_of_webhook(const struct reading *r, const struct mention *m)
{
	return str_is(m->kind, "Service") && (str_contains(r->message, "failed calling webhook") ||
					      str_contains(r->message, "conversion webhook for "));
}

/* "bucket 'invoices' not found" in an object Bucket: what the object stands for outside of the cluster. */
static bool is_its_subject(const struct reading *r, const struct mention *m)
{
	return m->common && str_eq(m->kind, verdict_kind(r->v)->kind) && str_eq(m->group, verdict_kind(r->v)->group);
}

static void wait_for(struct reading *r, const struct mention *m)
{
	const struct kind *own = verdict_kind(r->v);

	if ((str_eq(m->name, verdict_name(r->v)) && str_eq(m->kind, own->kind)) || is_of_webhook(r, m) || is_its_subject(r, m) ||
	    (r->failed && !is_referred_to(r, m)))
		return;
	if (is_own_part(r, m)) {
		verdict_ref(r->v, (struct ref){ .relation = RELATION_MANAGES, .flags = REF_BLOCKS, .group = m->group,
						.kind = m->kind, .ns = m->ns, .name = m->name, .via = r->via,
						.message = r->message });
		return;
	}
	r->blames = true;
	verdict_waits_for(r->v, (struct ref){ .flags = REF_BLOCKS | (m->missing ? REF_REPORTED_MISSING : 0) |
						       (m->any_group ? REF_ANY_GROUP : 0) |
						       (str_is(m->kind, "?") ? REF_ANY_KIND : 0),
					      .group = m->group,
					      .kind = m->kind,
					      .ns = m->ns,
					      .name = m->name,
					      .via = r->via,
					      .message = r->message });
}

/* Returns true when a kind ends with that word, as ResourceFlavor ends with Flavor. */
static bool ends_with_word(struct str kind, struct str word)
{
	if (str_eq_nocase(kind, word))
		return true;
	return word.len >= 4 && kind.len > word.len && is_upper(word.ptr[0]) &&
	       str_eq(str_from(kind, kind.len - word.len), word);
}

/* What the object makes itself is its own work, unless it needs it before it can go on, and says that it does not exist. */
static bool is_own_work(const struct ref *ref, bool missing)
{
	return ref->relation == RELATION_MANAGES && !(missing && (ref->flags & REF_BLOCKS));
}

/* A kind without a name: the only object of that kind to which a field refers, and which is not its own work. */
static bool wait_for_kind(struct reading *r, struct str kind, bool missing)
{
	const struct ref *ref, *found = NULL;

	for (size_t i = 0; (ref = verdict_ref_at(r->v, i)); i++) {
		if (ref->relation == RELATION_OWNS || !ends_with_word(ref->kind, kind))
			continue;
		if (is_own_work(ref, missing) || (found && !str_eq(found->name, ref->name)))
			return true;
		found = ref;
	}
	if (!found)
		return false;
	/* what it stood on will not come back: it waits for nothing */
	if (r->gone && found->relation == RELATION_MANAGES) {
		verdict_own_failure(r->v);
		return true;
	}
	wait_for(r, &(struct mention){ .kind = found->kind, .group = found->group, .ns = found->ns,
				       .name = found->name, .missing = missing,
				       .any_group = found->flags & REF_ANY_GROUP });
	return true;
}

/* "sourceRef", or "source" with an object of any kind in it, for the word "source". */
static bool is_field_called(struct str via, struct str word)
{
	struct str field = str_from(via, str_rfind(via, '.') + 1);

	if (!str_starts(via, "spec.") || field.len < word.len || !str_eq_nocase(str_head(field, word.len), word))
		return false;
	return field.len == word.len || str_is(str_from(field, word.len), "Ref");
}

/* The only object to which such a field refers. */
static const struct ref *in_field(const struct reading *r, bool (*is_it)(struct str via, struct str field), struct str field)
{
	const struct ref *ref, *found = NULL;

	for (size_t i = 0; (ref = verdict_ref_at(r->v, i)); i++) {
		if (ref->relation != RELATION_NEEDS || !is_it(ref->via, field))
			continue;
		if (found && !str_eq(found->name, ref->name))
			return NULL;
		found = ref;
	}
	return found;
}

/* Returns false when there is none. */
static bool wait_for_ref(struct reading *r, const struct ref *ref, bool missing)
{
	if (ref)
		wait_for(r, &(struct mention){ .kind = ref->kind, .group = ref->group, .ns = ref->ns, .name = ref->name,
					       .missing = missing, .any_group = ref->flags & REF_ANY_GROUP });
	return ref != NULL;
}

/*
 * "Source not found": the object to which the field "sourceRef" refers; of "Source artifact not found" it is there, but
 * not ready.  "Secret key not found" speaks of a kind, whose object is what it has to be when it exists.
 */
static bool wait_for_field(struct reading *r, size_t end, bool missing)
{
	const struct ref *ref = in_field(r, is_field_called, r->words[end - 1].text);

	if (!ref && end > 1 && !r->words[end - 2].quoted && !r->words[end - 2].end) {
		ref = in_field(r, is_field_called, r->words[end - 2].text);
		/* "target web was not found" names it as well */
		missing = missing && ref && str_eq(ref->name, r->words[end - 1].text);
		if (ref && !missing && (ref->flags & (REF_EXISTS | REF_GUESSED)) == REF_EXISTS)
			return false;
	}
	return wait_for_ref(r, ref, missing);
}

/* "Issuing certificate as Secret does not exist": what the object makes itself is no wait. */
static bool is_at_work(const struct reading *r, size_t at)
{
	while (at > 0 && !r->words[at - 1].end)
		if (is_word(&r->words[--at], list_at_work))
			return true;
	return false;
}

/* Returns true for a field itself, an entry of that list ("spec.storeRefs[0]"), and a part of that reference ("spec.storeRef.name"). */
static bool is_path_in(struct str via, struct str path)
{
	size_t n = via.len < path.len ? via.len : path.len;
	char next = via.len == path.len ? 0 : via.len > n ? via.ptr[n] : path.ptr[n];

	return n > 0 && str_eq(str_head(via, n), str_head(path, n)) && (next == 0 || next == '[' || (next == '.' && path.len > n));
}

/* "spec.storeRef: referenced Store resource not found": the field is named in place of the object. */
static bool wait_for_path(struct reading *r, size_t end, bool missing)
{
	enum { NEAR = 8 };	/* words between the field and what is said */
	const struct ref *ref = NULL;
	struct mention m = { .missing = missing };
	size_t at = end;

	while (at > 0 && end - at < NEAR && !str_starts(r->words[at - 1].text, "spec.")) {
		at--;
		if (r->words[at].end)
			return false;
	}
	if (at > 0 && str_starts(r->words[at - 1].text, "spec."))
		ref = in_field(r, is_path_in, r->words[at - 1].text);
	if (!ref)
		return false;
	m.kind = ref->kind;
	m.group = ref->group;
	m.any_group = ref->flags & REF_ANY_GROUP;
	/* the message knows the kind better than the name of the field */
	for (; m.any_group && at < end; at++)
		if (is_upper(r->words[at].text.len ? r->words[at].text.ptr[0] : 'a') && ends_with_word(ref->kind, r->words[at].text))
			m.kind = r->words[at].text;
	m.ns = ref->ns;
	m.name = ref->name;
	wait_for(r, &m);
	return true;
}

static bool is_filler(const struct word *w)
{
	return is_word(w, list_filler);
}

/* A name with the object's own namespace before it, "shop/tls": hardly something outside of the cluster. */
static bool is_local_at(const struct reading *r, size_t at)
{
	struct str text = at < r->n ? r->words[at].text : STR_NONE, ns = verdict_namespace(r->v);
	size_t slash = str_find(text, '/');

	return ns.len && slash < text.len && str_eq(str_head(text, slash), ns) && is_name(str_from(text, slash + 1));
}

/* Returns true for the fields "service", "serviceName" and "backendServiceName" of the kind "service". */
static bool is_field_for(struct str key, struct str kind)
{
	struct str stem = str_ends(key, "Name") ? str_head(key, key.len - 4) : key;

	return stem.len >= kind.len && str_eq_nocase(str_from(stem, stem.len - kind.len), kind);
}

/* A field of the spec for that kind holds the name: 'service "web" not found' with serviceName: web. */
static bool is_named_in(struct json at, struct str kind, struct str name, int *left)
{
	json_foreach(field, at)
	{
		if (--*left < 0)
			return false;
		if (is_field_for(json_key(field), kind) && str_eq(json_str(field, ""), name))
			return true;
		if ((json_is_object(field) || json_is_array(field)) && is_named_in(field, kind, name, left))
			return true;
	}
	return false;
}

static bool spec_names(const struct reading *r, struct str kind, const struct word *name)
{
	int left = 2000; /* fields of a spec that are searched */

	return name->quoted && str_is_any(kind, list_meant) && is_named_in(json_member(verdict_object(r->v), STR("spec")), kind, name->text, &left);
}

/* Returns true for "Certificate" right before a name, in the middle of a sentence: a kind that is not known here. */
static bool is_kind_by_place(const struct reading *r, size_t at, struct mention *m)
{
	struct str word = r->words[at].text;

	if (at == 0 || r->words[at].end || word.len < 4 || !is_upper(word.ptr[0]) || str_is_any_nocase(word, list_kind_by_place) ||
	    str_ends(word, "ing") || str_ends(word, "ed"))
		return false;
	for (size_t i = 1; i < word.len; i++)
		if (!is_lower(word.ptr[i]))
			return false;
	m->kind = word;
	m->group = STR_NONE;
	m->any_group = true;
	return true;
}

/*
 * 'virtualmachineclasses.vm.example.com "large" not found' and 'VPC.ec2.example.com "a" not found': the words of the API server and
 * of its clients, with the group of a kind that is not known here.
 */
static bool is_resource_of_group(const struct reading *r, size_t at, struct mention *m)
{
	struct str word = r->words[at].text;
	size_t dot = str_find(word, '.');
	struct str kind = str_head(word, dot), group = str_from(word, dot + 1);

	if (!r->words[at + 1].quoted || !kind.len || !(is_upper(kind.ptr[0]) || (str_ends(kind, "s") && is_name(kind))) || !is_name(group) ||
	    !str_contains(group, "."))
		return false;
	m->kind = kind;
	m->group = group;
	return true;
}

/* Reads the kind of the name at that position. */
static bool kind_before(struct reading *r, size_t at, struct mention *m, bool *out_exact)
{
	bool known;

	for (size_t i = 0; i < NEAR_WORDS && at > 0; i++) {
		const struct word *w = &r->words[--at];

		if (w->quoted || (w->end && w->end != ':'))
			return false;
		if (is_filler(w))
			continue;
		if (at > 0 && str_is(r->words[at - 1].text, "in"))	/* 'key in secret "a" is not found' */
			return false;
		*out_exact = is_upper(w->text.len ? w->text.ptr[0] : 'a') && i == 0;
		r->local = i == 0 && (is_local_at(r, at + 1) || (at + 1 < r->n && spec_names(r, w->text, &r->words[at + 1])));
		known = kind_of(r, w->text, m) || (r->local && is_kind_by_place(r, at, m)) || (i == 0 && is_resource_of_group(r, at, m));
		r->local = false;
		return known;
	}
	return false;
}

/* Reads "kind/name", "namespace/name" or "kind/namespace/name"; without a kind m->kind is "". */
static bool read_path(struct reading *r, struct str text, struct mention *m)
{
	size_t slash = str_rfind(text, '/');
	struct str head = str_head(text, slash), last;

	if (slash >= text.len || !is_name(str_from(text, slash + 1)))
		return false;
	m->kind = STR_NONE;
	m->name = str_from(text, slash + 1);
	slash = str_rfind(head, '/');
	last = slash < head.len ? str_from(head, slash + 1) : head;
	if (kind_of(r, last, m))
		return true;
	if (!is_name(last))
		return false;
	m->ns = last;
	if (slash < head.len)
		return kind_of(r, str_head(head, slash), m);
	return true;
}

/* ---- "... is not ready" ------------------------------------------------------ */

/* Takes 'in namespace "shop"' off the end; returns the new end. */
static size_t without_namespace(const struct reading *r, size_t end, struct str *out_ns)
{
	const struct word *w = r->words;

	if (end < 4)
		return end;
	if (is_word(&w[end - 3], list_without_namespace) && str_is(w[end - 2].text, "namespace") && is_name(w[end - 1].text)) {
		*out_ns = w[end - 1].text;
		return end - 3;
	}
	if (is_word(&w[end - 3], list_without_namespace) && str_is(w[end - 1].text, "namespace") && w[end - 2].quoted) {
		*out_ns = w[end - 2].text;
		return end - (is_word(&w[end - 4], list_without_namespace) ? 4 : 3);
	}
	return end;
}

/* Reads the names that end there, as 'secrets "a", "b" and "c"'; returns the position of the first. */
static size_t list_before(const struct reading *r, size_t end, struct str *names, size_t *out_n)
{
	size_t at = end, n = 0;

	while (at > 0 && n < LIST_NAMES) {
		const struct word *w = &r->words[at - 1];

		if (!is_name(w->text) || (n > 0 && !w->quoted && !is_only_a_name(w->text)))
			break;
		names[n++] = w->text;
		at--;
		if (at > 1 && (str_is(r->words[at - 1].text, "and") || str_is(r->words[at - 1].text, "or")) &&
		    (r->words[at - 2].quoted || is_only_a_name(r->words[at - 2].text)))
			at--;
		else if (at == 0 || r->words[at - 1].end != ',')
			break;
	}
	*out_n = n;
	return at;
}

/*
 * "dependency 'shop/db' is not ready", as controllers of Flux and those built like them say it of what spec.dependsOn
 * names (fluxcd/pkg runtime/dependency): another object of the same kind.
 */
static bool is_dependency(const struct reading *r, size_t at)
{
	return at > 0 && r->words[at].quoted && str_eq_nocase(r->words[at - 1].text, STR("dependency")) &&
	       json_has(verdict_object(r->v), "spec.dependsOn");
}

/* 'reference "settings" not found', without a kind. */
static bool is_of_any_kind(const struct reading *r, size_t at)
{
	return at > 0 && r->words[at].quoted && !r->words[at - 1].end && is_word(&r->words[at - 1], list_any_kind);
}

/* The only object of that name to which a field refers, whatever its kind. */
static const struct ref *of_name(const struct reading *r, struct str name)
{
	const struct ref *ref, *found = NULL;

	for (size_t i = 0; (ref = verdict_ref_at(r->v, i)); i++) {
		if (ref->relation != RELATION_NEEDS || !str_eq(ref->name, name))
			continue;
		if (found)
			return NULL;
		found = ref;
	}
	return found;
}

static void one_name_before(struct reading *r, size_t end, struct mention m)
{
	const struct word *w = &r->words[end - 1];
	struct str names[LIST_NAMES];
	size_t n, at;
	bool exact = false;

	at = list_before(r, end, names, &n);
	if (n == 0)
		return;
	if (!kind_before(r, at, &m, &exact)) {
		m.kind = STR("?");
		m.name = names[0];
		if (n == 1 && m.missing && is_of_any_kind(r, at) && !wait_for_ref(r, of_name(r, m.name), true))
			wait_for(r, &m);
		return;
	}
	/* "Folder with name main": whatever word it is */
	if (at > 0 && is_word(&r->words[at - 1], list_naming))
		exact = true;
	else if (is_common(w->text))
		exact = false;
	if (!w->quoted && !is_only_a_name(w->text) && (!exact || n > 1))
		return;
	while (n-- > 0) {
		m.name = names[n];
		wait_for(r, &m);
	}
}

static bool is_field(const struct word *w)
{
	return !w->quoted && (str_starts(w->text, "status.") || str_starts(w->text, "spec."));
}

/* Something before that position is said to be missing or not ready. */
static void read_before(struct reading *r, size_t end, bool missing)
{
	struct mention m = { .missing = missing };
	const struct word *w;
	bool exact;

	end = without_namespace(r, end, &m.ns);
	if (end > 1 && is_field(&r->words[end - 1]))
		end--;	/* "Gizmo status.made is false" */
	if (end == 0)
		return;
	w = &r->words[end - 1];
	if (w->end && w->end != ':')
		return;
	if (read_path(r, w->text, &m)) {
		if (is_dependency(r, end - 1)) {
			m.kind = verdict_kind(r->v)->kind;
			m.group = verdict_kind(r->v)->group;
			wait_for(r, &m);
		} else if (m.kind.len || kind_before(r, end - 1, &m, &exact)) {
			wait_for(r, &m);
		}
		return;
	}
	/* the "tls" Secret, or without a name */
	if (!w->quoted && kind_of(r, w->text, &m)) {
		if (end > 1 && r->words[end - 2].quoted && is_name(r->words[end - 2].text)) {
			m.name = r->words[end - 2].text;
			wait_for(r, &m);
		} else if (!r->failed && !is_at_work(r, end)) {
			wait_for_kind(r, m.kind, missing);
		}
		return;
	}
	if (r->failed || (!wait_for_path(r, end, missing) && (w->quoted || !wait_for_field(r, end, missing))))
		one_name_before(r, end, m);
}

/* ---- "missing ..." ----------------------------------------------------------- */

/* A plain word right behind the exact kind, at the end of the clause or before "in namespace": "Gizmo large". */
static bool is_named_plainly(const struct reading *r, size_t at, const struct mention *m)
{
	const struct word *w = &r->words[at];
	bool ends = w->end || at + 1 == r->n || phrase_at(r, at + 1, "in namespace") || phrase_at(r, at + 1, "in the namespace");

	return ends && is_name(w->text) && !is_common(w->text) && at > 0 && !r->words[at - 1].end &&
	       str_eq(r->words[at - 1].text, m->kind);
}

/* Reads the name of one object of the kind of m at that position.  list: names without quotes are expected there. */
static bool name_at(struct reading *r, size_t at, bool list, const struct mention *m, struct mention *out)
{
	const struct word *w = &r->words[at];

	*out = *m;
	if (w->quoted || list ? is_name(w->text) : is_only_a_name(w->text) || is_named_plainly(r, at, m)) {
		out->name = w->text;
		return true;
	}
	if (!read_path(r, w->text, out))
		return false;
	out->kind = m->kind;
	out->group = m->group;
	out->any_group = m->any_group;
	out->common = false;
	return true;
}

static void names_after(struct reading *r, size_t at, bool list, const struct mention *m)
{
	struct mention one;
	bool bracket = false;

	for (size_t n = 0; at < r->n && n < LIST_NAMES; n++, at++) {
		const struct word *w = &r->words[at];

		if (!name_at(r, at, list, m, &one))
			return;
		wait_for(r, &one);
		bracket |= w->opens;
		if (at + 1 < r->n && !w->end && is_word(&r->words[at + 1], list_after))
			at++;
		else if (w->closes || (w->end && w->end != ',') || (!w->end && !bracket))
			return;
	}
}

/* "waiting for Gizmo to report its size", "waiting for Gizmo status.made to be true": no name follows. */
static bool stands_alone(const struct reading *r, size_t at)
{
	return is_upper(r->words[at - 1].text.ptr[0]) && !r->words[at].quoted &&
	       (str_is(r->words[at].text, "to") || is_field(&r->words[at]));
}

/* Something behind that position is said to be missing or not ready. */
static void read_after(struct reading *r, size_t at, bool missing)
{
	struct mention m = { .missing = missing };
	const struct word *w;
	bool list;

	while (at < r->n && is_filler(&r->words[at]))
		at++;
	if (at >= r->n)
		return;
	w = &r->words[at];
	if (str_starts(w->text, "spec.")) {
		wait_for_path(r, at + 1, missing);
		return;
	}
	if (read_path(r, w->text, &m)) {
		if (m.kind.len)
			wait_for(r, &m);
		return;
	}
	if (w->quoted)
		return;
	if (!kind_of(r, w->text, &m))
		return;
	at++;
	list = w->several || w->end == ':' || (at < r->n && r->words[at].opens);
	if (!list && (w->end || at == r->n || stands_alone(r, at))) {
		wait_for_kind(r, m.kind, missing);
		return;
	}
	while (at < r->n && !list && is_filler(&r->words[at]))
		at++;
	names_after(r, at, list, &m);
}

/* ---- the message ------------------------------------------------------------- */

/* Phrases that say one thing of an object. */
struct saying {
	const char *const *phrases;
	bool missing;
	bool gone; /* it was there */
	bool failed;
	bool ends; /* only at the end of a clause: "is missing a key" is said of something that is there */
};

static const struct saying behind_it[] = {
	{ list_missing_behind, .missing = true },
	{ list_lacking_behind, .missing = true, .ends = true },
	{ list_gone_behind, .missing = true, .gone = true },
	{ list_not_ready_behind, .missing = false },
	{ list_false_behind, .ends = true },
	{ list_failed_behind, .failed = true, .ends = true },
	{ NULL, .missing = false }
};

static const struct saying before_it[] = {
	{ list_missing_before, .missing = true },
	{ list_not_ready_before, .missing = false },
	{ NULL, .missing = false }
};

/* Returns how many words of the text from at on are that phrase; 0: they are another text, or go on where the clause should end. */
static size_t said_at(const struct reading *r, size_t at, const char *phrase, bool ends)
{
	size_t n = phrase_at(r, at, phrase);

	return n && ends && at + n < r->n && !r->words[at + n - 1].end ? 0 : n;
}

/* Returns the saying of the table with the longest phrase that begins there, or NULL. */
static const struct saying *saying_at(const struct reading *r, size_t at, const struct saying *table, size_t *out_n)
{
	const struct saying *found = NULL;
	char first = r->words[at].text.len ? (char)(r->words[at].text.ptr[0] | 32) : 0;	/* in lower case, as in the table */

	*out_n = 0;
	for (const struct saying *s = table; s->phrases; s++)
		for (const char *const *phrase = s->phrases; *phrase; phrase++) {
			size_t n = (*phrase)[0] == first ? said_at(r, at, *phrase, s->ends) : 0;

			if (n <= *out_n)
				continue;
			found = s;
			*out_n = n;
		}
	return found;
}

static void read_message(struct reading *r)
{
	const struct saying *s;
	size_t n;

	read_words(r);
	for (size_t at = 0; at < r->n; at++) {
		if ((s = saying_at(r, at, behind_it, &n))) {
			r->gone = s->gone;
			r->failed = s->failed;
			read_before(r, at, s->missing);
			r->gone = r->failed = false;
			at += n - 1;
		} else if ((s = saying_at(r, at, before_it, &n))) {
			read_after(r, at + n, s->missing);
			at += n - 1;
		}
	}
}

/* ---- the reason -------------------------------------------------------------- */

/* "ClusterQueueDoesNotExist", where a field names a ClusterQueue, and "ServiceNotFound", where the field "service" names anything. */
static void read_reason(struct reading *r, struct str reason)
{
	static const struct {
		const char *end;
		bool missing;
	} ends[] = {
		{ "DoesNotExist", true }, { "NotExist", true },	 { "IsNotFound", true },	{ "NotFound", true },
		{ "IsMissing", true },	  { "Missing", true },	 { "IsInactive", false },	{ "Inactive", false },
		{ "IsNotReady", false },  { "NotReady", false }, { "IsNotAvailable", false }, { "NotAvailable", false },
		{ "Unavailable", false }, { "Stopped", false },
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct str stem = str_head(reason, reason.len - strlen(ends[i].end));

		if (!str_ends(reason, ends[i].end) || stem.len == 0)
			continue;
		if (str_ends(stem, "Ref"))
			stem.len -= 3;
		else if (str_ends(stem, "Reference"))
			stem.len -= 9;
		if (!wait_for_kind(r, stem, ends[i].missing))
			wait_for_ref(r, in_field(r, is_field_called, stem), ends[i].missing);
		return;
	}
}

static struct str place_of(struct verdict *v, struct str message)
{
	for (size_t i = 0; i < verdict_condition_count(v); i++)
		if (str_eq(verdict_condition_at(v, i)->message, message))
			return STR("status.conditions");
	return STR("status");
}

bool evidence_mentions(struct verdict *v, struct str reason, struct str message)
{
	struct reading r = { .v = v, .message = message, .via = STR("status.conditions") };

	if (message.len) {
		r.via = place_of(v, message);
		read_message(&r);
	}
	if (!r.blames)
		read_reason(&r, reason);
	return r.blames;
}
