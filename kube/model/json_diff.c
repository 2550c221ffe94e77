/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/model/json_diff.h"

#include "kube/base/map.h"
#include "kube/base/redact.h"

#include <string.h>

struct diff {
	struct arena *arena;
	struct buf path;
	struct json_difference *found;
	size_t n, cap;
	enum json_naming naming;
	struct conceal_place places[2];	/* where the values stand that are compared */
};

/* ---- what is no change -------------------------------------------------------- */

/* Fields that controllers write anew each time they look at an object, wherever they stand in a status. */
static const char *const heartbeats[] = {
	"observedGeneration", "lastHeartbeatTime", "lastProbeTime", "lastUpdateTime",	"lastUpdated",	 "lastSyncTime",
	"lastReconcileTime",  "lastReconciledTime", "lastCheckTime", "lastCheckedTime", "refreshTime",	 "reconciledAt",
	"observedAt",	      "lastReconcileAt",    "lastHandledReconcileAt",		NULL
};

enum { HEARTBEAT_LEAST = 10 };	/* bytes of the shortest name among them */

static const char *const in_metadata[] = { "resourceVersion", "managedFields", "generation", "selfLink", NULL };

/* A Lease, and the kinds that held the lock of a leader before there were Leases. */
static const char *const in_spec[] = { "renewTime", NULL };
/*
 * Locks, times, and requests that a controller looks again: of Flux (https://fluxcd.io/flux/components/kustomize/kustomizations/),
 * Argo CD (https://argo-cd.readthedocs.io/en/stable/user-guide/annotations-and-labels/) and the External Secrets Operator
 * (https://external-secrets.io/latest/introduction/faq/).
 */
static const char *const in_annotations[] = { "control-plane.alpha.kubernetes.io/leader",
					      "endpoints.kubernetes.io/last-change-trigger-time",
					      "reconcile.fluxcd.io/requestedAt", "argocd.argoproj.io/refresh", "force-sync", NULL };

bool json_annotation_is_noise(struct str key)
{
	return str_is_any(key, in_annotations);
}

/* Where a member stands in the object. */
enum place { AT_ROOT, IN_METADATA, IN_ANNOTATIONS, IN_SPEC, IN_STATUS, ELSEWHERE };

static bool is_heartbeat_in(enum place place, struct str key)
{
	static const char *const *const lists[] = {
		[IN_METADATA] = in_metadata, [IN_ANNOTATIONS] = in_annotations, [IN_SPEC] = in_spec, [IN_STATUS] = heartbeats, [ELSEWHERE] = NULL
	};

	if (!lists[place] || (place == IN_STATUS && key.len < HEARTBEAT_LEAST))
		return false;
	return str_is_any(key, lists[place]);
}

static bool is_heartbeat(const struct diff *d, struct str key)
{
	struct str path = buf_str(&d->path);
	enum place place = str_is(path, "metadata")		? IN_METADATA :
			   str_is(path, "metadata.annotations") ? IN_ANNOTATIONS :
			   str_is(path, "spec")			? IN_SPEC :
			   str_starts(path, "status")		? IN_STATUS :
								  ELSEWHERE;

	return is_heartbeat_in(place, key);
}

/* ---- values -------------------------------------------------------------------- */

static bool holds_others(struct json v)
{
	return json_is_object(v) || json_is_array(v);
}

/* Compares values that hold no other values. */
static bool same_scalar(struct json a, struct json b)
{
	if (json_type(a) != json_type(b))
		return false;
	switch (json_type(a)) {
	case JSON_STRING:
		return str_eq(json_str(a, ""), json_str(b, ""));
	case JSON_NUMBER:
		return str_eq(json_digits(a), json_digits(b));
	case JSON_BOOL:
		return json_bool(a, "", false) == json_bool(b, "", false);
	case JSON_ABSENT:
	case JSON_NULL:
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	return true;
}

/* Compares member by member in the order of both: this finds most of two versions equal, which is then passed over. */
static bool same_value(struct json a, struct json b)
{
	struct json x, y;

	if (!holds_others(a) || json_type(a) != json_type(b))
		return !holds_others(a) && same_scalar(a, b);
	for (x = json_first(a), y = json_first(b); x.node && y.node; x = json_next(x), y = json_next(y))
		if (!str_eq(json_key(x), json_key(y)) || !same_value(x, y))
			return false;
	return !x.node && !y.node;
}

/* ---- paths --------------------------------------------------------------------- */

void json_path_member(struct buf *path, struct str member)
{
	if (str_find(member, '.') < member.len || str_find(member, '[') < member.len) {
		buf_printf(path, "['" STR_FMT "']", STR_ARG(member));
		return;
	}
	if (path->len)
		buf_add_char(path, '.');
	buf_add(path, member);
}

void json_path_key(struct buf *path, struct str key, struct str value)
{
	buf_printf(path, "[" STR_FMT "=" STR_FMT "]", STR_ARG(key), STR_ARG(value));
}

/* Cuts the path to the length that it had before. */
static void path_back(struct diff *d, size_t len)
{
	d->path.len = len;
	if (d->path.ptr)
		d->path.ptr[len] = '\0';
}

static void add(struct diff *d, struct json before, struct json after)
{
	if (d->n == JSON_DIFFERENCES)
		return;
	d->found = arena_grow(d->arena, d->found, d->n, &d->cap, sizeof(*d->found));
	d->found[d->n++] = (struct json_difference){ arena_str(d->arena, buf_str(&d->path)), before, after,
						     { d->places[0], d->places[1] } };
}

/* ---- maps and lists -------------------------------------------------------------- */

static void compare(struct diff *d, struct json before, struct json after);

/* Compares the members of that name of both objects; one of them may be absent. */
static void compare_member(struct diff *d, struct json objects[2], struct str key, struct json before, struct json after)
{
	struct conceal_place was[2] = { d->places[0], d->places[1] };
	size_t len = d->path.len;

	if (same_value(before, after) || is_heartbeat(d, key))
		return;
	for (size_t i = 0; i < 2; i++)
		d->places[i] = (struct conceal_place){ .key = key, .owner = objects[i], .owner_key = was[i].key };
	json_path_member(&d->path, key);
	compare(d, before, after);
	path_back(d, len);
	memcpy(d->places, was, sizeof(was));
}

/* Whoever sets the status of a condition writes its time, too, so the time says nothing more. */
static void compare_objects(struct diff *d, struct json before, struct json after)
{
	struct json both[2] = { before, after };
	struct json times[2] = { json_member(before, STR("lastTransitionTime")),
				 json_member(after, STR("lastTransitionTime")) };
	size_t n = d->n;

	json_foreach(it, before)
		if (!str_is(json_key(it), "lastTransitionTime"))
			compare_member(d, both, json_key(it), it, json_member(after, json_key(it)));
	json_foreach(it, after)
		if (!str_is(json_key(it), "lastTransitionTime") && !json_member(before, json_key(it)).node)
			compare_member(d, both, json_key(it), JSON_NONE, it);
	if (d->n == n && (times[0].node || times[1].node))
		compare_member(d, both, STR("lastTransitionTime"), times[0], times[1]);
}

/*
 * Maps that member of each element to the element's position + 1.  Returns false when an element has no such member, or
 * two have the same.
 */
static bool by_key(struct json array, const char *key, struct map *out)
{
	uintptr_t at = 0;

	json_foreach(it, array) {
		struct str value = json_str(json_member(it, str_of(key)), "");

		if (!json_is_object(it) || value.len == 0 || map_set(out, value, (void *)++at))
			return false;
	}
	return true;
}

static struct json element(struct json array, size_t at)
{
	struct json it = json_first(array);

	while (at-- > 0 && it.node)
		it = json_next(it);
	return it;
}

/* A type says more than a position; a name does when the element has another position than before. */
static void path_element(struct diff *d, const char *key, struct str value, size_t before, size_t after)
{
	bool moved = before && after && before != after;

	if (moved || d->naming == JSON_BY_KEY || strcmp(key, "name") != 0)
		json_path_key(&d->path, str_of(key), value);
	else
		buf_printf(&d->path, "[%zu]", (after ? after : before) - 1);
}

static void compare_matched(struct diff *d, struct json before, struct json after, const char *key,
			    struct map *places[2])
{
	size_t at = 0, len = d->path.len;

	json_foreach(it, before) {
		struct str value = json_str(json_member(it, str_of(key)), "");
		size_t other = (uintptr_t)map_get(places[1], value);
		struct json now = other ? element(after, other - 1) : JSON_NONE;

		at++;
		if (same_value(it, now))
			continue;
		path_element(d, key, value, at, other);
		compare(d, it, now);
		path_back(d, len);
	}
	at = 0;
	json_foreach(it, after) {
		struct str value = json_str(json_member(it, str_of(key)), "");

		path_element(d, key, value, 0, ++at);
		if (!map_get(places[0], value))
			compare(d, JSON_NONE, it);
		path_back(d, len);
	}
}

static bool compare_by(struct diff *d, struct json before, struct json after, const char *key)
{
	struct map a = { 0 }, b = { 0 };
	bool can = by_key(before, key, &a) && by_key(after, key, &b);

	if (can)
		compare_matched(d, before, after, key, (struct map *[2]){ &a, &b });
	map_release(&a);
	map_release(&b);
	return can;
}

/* The keys by which Kubernetes merges its own lists, the most usual first. */
static const char *const element_keys[] = { "name", "type", "uid", "mountPath", "ip", "key", "id", NULL };

static bool has_objects(struct json array)
{
	json_foreach(it, array)
		if (json_is_object(it))
			return true;
	return false;
}

/* Compares lists of words and numbers as a whole: finalizers, args. */
static void compare_scalars(struct diff *d, struct json before, struct json after)
{
	struct buf a = { 0 }, b = { 0 };

	json_write(before, &a);
	json_write(after, &b);
	if (!str_eq(buf_str(&a), buf_str(&b)))
		add(d, before, after);
	buf_release(&a);
	buf_release(&b);
}

static void compare_arrays(struct diff *d, struct json before, struct json after)
{
	struct json a = json_first(before), b = json_first(after);
	size_t len = d->path.len;

	if (!has_objects(before) && !has_objects(after)) {
		compare_scalars(d, before, after);
		return;
	}
	for (size_t i = 0; element_keys[i]; i++)
		if (compare_by(d, before, after, element_keys[i]))
			return;
	for (size_t i = 0; a.node || b.node; i++) {
		buf_printf(&d->path, "[%zu]", i);
		compare(d, a, b);
		path_back(d, len);
		a = a.node ? json_next(a) : a;
		b = b.node ? json_next(b) : b;
	}
}

static void compare(struct diff *d, struct json before, struct json after)
{
	if (json_is_object(before) && json_is_object(after))
		compare_objects(d, before, after);
	else if (json_is_array(before) && json_is_array(after))
		compare_arrays(d, before, after);
	else if (holds_others(before) || holds_others(after) || !same_scalar(before, after))
		add(d, before, after);
}

size_t json_diff(struct json before, struct json after, struct arena *arena, const struct json_difference **out)
{
	struct diff d = { .arena = arena };

	compare(&d, before, after);
	buf_release(&d.path);
	*out = d.found;
	return d.n;
}

/* ---- texts -------------------------------------------------------------------------- */

static struct str value_text(struct json value, const struct conceal_place *place, bool hidden, struct arena *arena)
{
	struct buf text = { 0 };

	if (hidden)
		return value.node ? CONCEALED : STR_NONE;
	if (json_type(value) == JSON_STRING)
		redact_assigned(json_str(value, ""), &text);
	else
		conceal_write(place, value, &text);
	return arena_take(arena, &text);
}

static struct changed_field field_of(const struct json_difference *d, struct arena *arena)
{
	bool hidden = conceal_hides(&d->places[0], d->before) || conceal_hides(&d->places[1], d->after);

	return (struct changed_field){
		.path = d->path,
		.before = value_text(d->before, &d->places[0], hidden, arena),
		.after = value_text(d->after, &d->places[1], hidden, arena),
		.added = !d->before.node,
		.removed = !d->after.node,
		.hidden = hidden,
	};
}

/* Orders the fields: those of the spec first, those of the status, which a controller wrote, last. */
static int rank_of(struct str path)
{
	return str_starts(path, "status") ? 2 : str_starts(path, "metadata") ? 1 : 0;
}

static size_t changed_fields(struct json before, struct json after, enum json_naming naming, struct arena *arena,
			     const struct changed_field **out)
{
	struct diff d = { .arena = arena, .naming = naming };
	struct changed_field *fields;
	size_t n = 0;

	compare(&d, before, after);
	buf_release(&d.path);
	fields = arena_array(arena, d.n, sizeof(*fields));
	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < d.n; i++)
			if (rank_of(d.found[i].path) == rank)
				fields[n++] = field_of(&d.found[i], arena);
	*out = fields;
	return n;
}

size_t json_changed_fields(struct str before, struct str after, enum json_naming naming, struct arena *arena,
			   const struct changed_field **out)
{
	struct json was, is;
	size_t n = 0;

	if (!before.len || !after.len || json_parse_verbatim(before, &was, &(struct err){ 0 }) < 0)
		return 0;
	if (json_parse_verbatim(after, &is, &(struct err){ 0 }) == 0) {
		n = changed_fields(was, is, naming, arena, out);
		json_free(is);
	}
	json_free(was);
	return n;
}

/* ---- digest ------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9E3779B97F4A7C15u;
	a = (a ^ (a >> 32)) * 0xD6E8FEB86659FD93u;
	return a ^ (a >> 32);
}

static uint64_t digest_text(uint64_t seed, struct str s)
{
	uint64_t h = seed ^ s.len, bytes;

	for (; s.len >= sizeof(bytes); s = str_from(s, sizeof(bytes))) {
		memcpy(&bytes, s.ptr, sizeof(bytes));
		h = (h ^ bytes) * 0x9E3779B97F4A7C15u;
		h ^= h >> 29;
	}
	bytes = 0;
	if (s.len)
		memcpy(&bytes, s.ptr, s.len);
	return mix(h, bytes);
}

/* Adds the members of the object to the hash. */
static enum place place_below(enum place place, struct str key)
{
	if (place == IN_STATUS)
		return IN_STATUS;
	if (place == IN_METADATA && str_is(key, "annotations"))
		return IN_ANNOTATIONS;
	if (place != AT_ROOT)
		return ELSEWHERE;
	return str_is(key, "metadata")	  ? IN_METADATA :
	       str_is(key, "spec")	  ? IN_SPEC :
	       str_starts(key, "status") ? IN_STATUS :
					   ELSEWHERE;
}

static uint64_t digest(struct json value, enum place place);

/* The order of the members must not matter. */
static uint64_t digest_members(struct json object, enum place place)
{
	uint64_t sum = 0;

	json_foreach(it, object) {
		struct str key = json_key(it);

		if (!is_heartbeat_in(place, key) && !(place == AT_ROOT && (str_is(key, "apiVersion") || str_is(key, "kind"))))
			sum += mix(digest_text(JSON_OBJECT, key), digest(it, place_below(place, key)));
	}
	return sum;
}

/* Each element has another text in that member, by which json_diff() matches the elements. */
static bool has_own_keys(struct json array, const char *key)
{
	enum { FEW = 32 };
	struct str seen[FEW];
	struct map all = { 0 };
	size_t n = 0;
	bool own;

	json_foreach(it, array) {
		struct str value = json_str(json_member(it, str_of(key)), "");

		if (!json_is_object(it) || value.len == 0)
			return false;
		for (size_t i = 0; n < FEW && i < n; i++)
			if (str_eq(seen[i], value))
				return false;
		if (n < FEW)
			seen[n] = value;
		n++;
	}
	if (n <= FEW)
		return n > 0;
	own = by_key(array, key, &all);
	map_release(&all);
	return own;
}

static uint64_t digest_elements(struct json array, enum place place)
{
	uint64_t sum = 0;
	bool matched = false;

	for (size_t i = 0; !matched && json_is_object(json_first(array)) && element_keys[i]; i++)
		matched = has_own_keys(array, element_keys[i]);
	json_foreach(it, array)
		sum = matched ? sum + mix(JSON_ARRAY, digest(it, place)) : mix(sum, digest(it, place));
	return sum;
}

static uint64_t digest(struct json value, enum place place)
{
	enum json_type type = json_type(value);

	switch (type) {
	case JSON_OBJECT:
		return mix(digest_members(value, place), type);
	case JSON_ARRAY:
		return mix(digest_elements(value, place == IN_STATUS ? IN_STATUS : ELSEWHERE), type);
	case JSON_STRING:
		return digest_text(type, json_str(value, ""));
	case JSON_NUMBER:
		return digest_text(type, json_digits(value));
	case JSON_BOOL:
		return mix(type, json_bool(value, "", false));
	case JSON_ABSENT:
	case JSON_NULL:
		break;
	}
	return mix(type, 0);
}

uint64_t json_digest(struct json object)
{
	return digest(object, AT_ROOT);
}
