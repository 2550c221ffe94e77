/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/str.h"

#include <string.h>
#include <strings.h>

bool str_eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.ptr, b.ptr, n) : 0;

	if (c)
		return c;
	return a.len < b.len ? -1 : a.len > b.len;
}

bool str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && (n == 0 || memcmp(s.ptr, prefix, n) == 0);
}

bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && (n == 0 || memcmp(s.ptr + s.len - n, suffix, n) == 0);
}

struct str str_quoted_after(struct str s, const char *mark)
{
	struct str rest = str_from(s, str_find_str(s, mark) + strlen(mark));
	size_t end = str_find(rest, '"');

	return end < rest.len ? str_head(rest, end) : STR_NONE;
}

size_t str_find_str(struct str s, const char *needle)
{
	size_t n = strlen(needle);
	const char *hit;

	if (n == 0)
		return 0;
	if (s.len < n)
		return s.len;
	hit = memmem(s.ptr, s.len, needle, n);
	return hit ? (size_t)(hit - s.ptr) : s.len;
}

bool str_is_address(struct str s)
{
	return (str_starts(s, "https://") || str_starts(s, "http://")) && str_find(s, ' ') == s.len;
}

bool str_contains(struct str s, const char *needle)
{
	return *needle == '\0' || str_find_str(s, needle) < s.len;
}

bool str_contains_nocase(struct str s, const char *needle)
{
	size_t n = strlen(needle);

	if (n == 0)
		return true;
	for (size_t i = 0; i + n <= s.len; i++)
		if ((s.ptr[i] | 0x20) == (needle[0] | 0x20) && strncasecmp(s.ptr + i, needle, n) == 0)
			return true;
	return false;
}

static bool ends_nocase(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && str_eq_nocase(str_from(s, s.len - n), str_of(suffix));
}

/* Most words of a list begin with another letter: then no more of them is looked at. */
static bool is_nocase(struct str s, const char *word)
{
	return (!s.len || (s.ptr[0] | 0x20) == (word[0] | 0x20)) && str_eq_nocase(s, str_of(word));
}

static bool matches(struct str s, const char *pattern)
{
	return pattern[0] == '*' ? str_ends(s, pattern + 1) : str_is(s, pattern);
}

static bool any(struct str s, const char *const *list, bool (*holds)(struct str s, const char *word))
{
	for (; *list; list++)
		if (holds(s, *list))
			return true;
	return false;
}

bool str_is_any(struct str s, const char *const *list)
{
	return any(s, list, str_is);
}

bool str_is_any_nocase(struct str s, const char *const *list)
{
	return any(s, list, is_nocase);
}

bool str_starts_any(struct str s, const char *const *list)
{
	return any(s, list, str_starts);
}

bool str_ends_any(struct str s, const char *const *list)
{
	return any(s, list, str_ends);
}

bool str_ends_any_nocase(struct str s, const char *const *list)
{
	return any(s, list, ends_nocase);
}

bool str_contains_any(struct str s, const char *const *list)
{
	return any(s, list, str_contains);
}

bool str_contains_any_nocase(struct str s, const char *const *list)
{
	return any(s, list, str_contains_nocase);
}

bool str_matches_any(struct str s, const char *const *list)
{
	return any(s, list, matches);
}

size_t str_find(struct str s, char c)
{
	const char *hit = s.len ? memchr(s.ptr, c, s.len) : NULL;

	return hit ? (size_t)(hit - s.ptr) : s.len;
}

size_t str_rfind(struct str s, char c)
{
	size_t i = s.len;

	while (i > 0 && s.ptr[i - 1] != c)
		i--;
	return i > 0 ? i - 1 : s.len;
}

struct str str_trim(struct str s)
{
	while (s.len && is_space(s.ptr[0]))
		s = (struct str){ s.ptr + 1, s.len - 1 };
	while (s.len && is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

bool str_split(struct str *rest, char sep, struct str *out)
{
	size_t n;

	if (rest->len == 0)
		return false;
	n = str_find(*rest, sep);
	*out = str_head(*rest, n);
	*rest = str_from(*rest, n + 1);
	return true;
}

bool str_is_listed(struct str word, struct str list)
{
	struct str one;

	while (str_split(&list, ',', &one))
		if (str_eq(one, word))
			return true;
	return false;
}

bool str_in_scope(struct str ns, struct str scope)
{
	return scope.len == 0 || str_is_listed(ns, scope);
}

bool str_to_int(struct str s, int64_t *out)
{
	int64_t value = 0;

	if (s.len == 0 || s.len > 18)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		value = value * 10 + (s.ptr[i] - '0');
	}
	*out = value;
	return true;
}

uint64_t str_hash(struct str s)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 1099511628211u;
	return h;
}
