/* SPDX-License-Identifier: Apache-2.0 */
/* The one file that knows cJSON. */
#include "kube/model/json.h"

#include "kube/base/arena.h"
#include "kube/base/time.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define MAX_WHOLE 9007199254740992.0	/* 2^53: beyond it doubles skip numbers */

/* Of the document that is being parsed: cJSON's hooks know no context. */
static struct arena *json_heap;

static void *take(size_t size)
{
	return arena_alloc(json_heap, size);
}

/* A document goes as a whole. */
static void leave(void *ptr)
{
	(void)ptr;
}

static cJSON *parse(struct str bytes, struct arena *arena, const char **end)
{
	cJSON_Hooks hooks = { take, leave };
	cJSON *node;

	json_heap = arena;
	cJSON_InitHooks(&hooks);
	node = cJSON_ParseWithLengthOpts(bytes.ptr, bytes.len, end, 0);
	json_heap = NULL;
	return node;
}

int json_parse(struct str bytes, struct json *out, struct err *err)
{
	struct arena arena = { 0 }, *keep;
	const char *end = NULL;
	cJSON *node = parse(bytes, &arena, &end);

	if (!node || str_trim(str_from(bytes, (size_t)(end - bytes.ptr))).len > 0) {
		arena_release(&arena);
		return err_set(err, ERR_PROTO, "not JSON at byte %zu", end ? (size_t)(end - bytes.ptr) : (size_t)0);
	}
	/* the root has no neighbours: where they would stand is the way to the arena that it lies in */
	keep = arena_alloc(&arena, sizeof(*keep));
	*keep = arena;
	node->prev = (void *)keep;
	out->node = node;
	return 0;
}

void json_free(struct json doc)
{
	struct arena arena;

	if (!doc.node)
		return;
	arena = *(struct arena *)(void *)doc.node->prev;
	arena_release(&arena);
}

static struct str string_of(const cJSON *node)
{
	return cJSON_IsString(node) && node->valuestring ? str_of(node->valuestring) : STR_NONE;
}

struct json json_member(struct json from, struct str name)
{
	const char first = name.len ? name.ptr[0] : '\0';

	if (!cJSON_IsObject(from.node))
		return JSON_NONE;
	for (const cJSON *it = from.node->child; it; it = it->next)
		if (it->string && it->string[0] == first && strncmp(it->string, name.ptr, name.len) == 0 && it->string[name.len] == '\0')
			return (struct json){ it };
	return JSON_NONE;
}

/* The element of an array whose member key has that text; the first one wins. */
static struct json element_where(struct json array, struct str key, struct str value)
{
	json_foreach(it, array)
		if (str_eq(string_of(json_member(it, key).node), value))
			return it;
	return JSON_NONE;
}

/* What stands between brackets: 0, 'a.b/c', type=Ready. */
static struct json step_bracket(struct json at, struct str inside)
{
	size_t eq = str_find(inside, '=');
	int64_t index;

	if (inside.len >= 2 && inside.ptr[0] == '\'')
		return json_member(at, str_head(str_from(inside, 1), inside.len - 2));
	if (!cJSON_IsArray(at.node))
		return JSON_NONE;
	if (str_to_int(inside, &index)) {
		struct json it = json_first(at);

		while (it.node && index-- > 0)
			it = json_next(it);
		return it;
	}
	if (eq < inside.len)
		return element_where(at, str_head(inside, eq), str_from(inside, eq + 1));
	return JSON_NONE;
}

static size_t name_length(struct str rest)
{
	size_t n = 0;

	while (n < rest.len && rest.ptr[n] != '.' && rest.ptr[n] != '[')
		n++;
	return n;
}

struct json json_at(struct json from, const char *path)
{
	struct str rest = str_of(path);

	while (rest.len && from.node) {
		size_t n;

		if (rest.ptr[0] == '.') {
			rest = str_from(rest, 1);
		} else if (rest.ptr[0] == '[') {
			n = str_find(rest, ']');
			from = step_bracket(from, str_head(str_from(rest, 1), n - 1));
			rest = str_from(rest, n + 1);
		} else {
			n = name_length(rest);
			from = json_member(from, str_head(rest, n));
			rest = str_from(rest, n);
		}
	}
	return from;
}

enum json_type json_type(struct json value)
{
	const cJSON *n = value.node;

	if (!n)
		return JSON_ABSENT;
	if (cJSON_IsNull(n))
		return JSON_NULL;
	if (cJSON_IsBool(n))
		return JSON_BOOL;
	if (cJSON_IsNumber(n))
		return JSON_NUMBER;
	if (cJSON_IsString(n))
		return JSON_STRING;
	if (cJSON_IsArray(n))
		return JSON_ARRAY;
	return cJSON_IsObject(n) ? JSON_OBJECT : JSON_ABSENT;
}

bool json_is_object(struct json value)
{
	return json_type(value) == JSON_OBJECT;
}

bool json_is_array(struct json value)
{
	return json_type(value) == JSON_ARRAY;
}

struct str json_str(struct json from, const char *path)
{
	return string_of(json_at(from, path).node);
}

double json_number(struct json from, const char *path, double absent)
{
	const cJSON *n = json_at(from, path).node;

	return cJSON_IsNumber(n) && isfinite(n->valuedouble) ? n->valuedouble : absent;
}

int64_t json_int(struct json from, const char *path, int64_t absent)
{
	double value = json_number(from, path, NAN);

	if (isnan(value) || fabs(value) > MAX_WHOLE || value != floor(value))
		return absent;
	return (int64_t)value;
}

bool json_bool(struct json from, const char *path, bool absent)
{
	const cJSON *n = json_at(from, path).node;

	return cJSON_IsBool(n) ? cJSON_IsTrue(n) : absent;
}

int64_t json_time(struct json from, const char *path)
{
	return time_parse(json_str(from, path));
}

bool json_has(struct json from, const char *path)
{
	enum json_type type = json_type(json_at(from, path));

	return type != JSON_ABSENT && type != JSON_NULL;
}

struct json json_first(struct json array)
{
	if (!cJSON_IsArray(array.node) && !cJSON_IsObject(array.node))
		return JSON_NONE;
	return (struct json){ array.node->child };
}

struct json json_next(struct json element)
{
	return element.node ? (struct json){ element.node->next } : JSON_NONE;
}

size_t json_count(struct json array)
{
	size_t n = 0;

	json_foreach(it, array)
		n++;
	return n;
}

struct str json_key(struct json member)
{
	return member.node ? str_of(member.node->string) : STR_NONE;
}
