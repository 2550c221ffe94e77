/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_BASE_STR_H
#define KUBE_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A borrowed run of bytes.  It never owns them, and no NUL need follow them. */
struct str {
	const char *ptr;
	size_t len;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_NONE ((struct str){ "", 0 })
/* The two arguments of printf() for "%.*s": STR_ARG(s) */
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).ptr

/* s may be NULL, which gives the empty string. */
static inline struct str str_of(const char *s)
{
	return s ? (struct str){ s, strlen(s) } : STR_NONE;
}

/* ASCII, whatever the locale is. */
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool is_alnum(char c)
{
	return is_digit(c) || is_upper(c) || is_lower(c);
}

/* Returns the value of a hexadecimal digit; -1 for any other character. */
static inline int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool str_empty(struct str s)
{
	return s.len == 0;
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Compares with a C string. */
static inline bool str_is(struct str a, const char *b)
{
	return str_eq(a, str_of(b));
}

/* Returns the bytes from..end; from beyond the end gives the empty string. */
static inline struct str str_from(struct str s, size_t from)
{
	return from >= s.len ? STR_NONE : (struct str){ s.ptr + from, s.len - from };
}

static inline struct str str_head(struct str s, size_t len)
{
	return (struct str){ s.ptr, len < s.len ? len : s.len };
}

/* Only ASCII letters are compared without case. */
bool str_eq_nocase(struct str a, struct str b);
/* Compares bytes as strcmp() does; of two texts with the same beginning the shorter is first. */
int str_cmp(struct str a, struct str b);
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
bool str_contains(struct str s, const char *needle);
/* Returns true for an address that a browser opens: https://..., without blanks. */
bool str_is_address(struct str s);
/* The case of ASCII letters is ignored. */
bool str_contains_nocase(struct str s, const char *needle);
/* Compares so with each text of a list that ends with NULL. */
bool str_is_any(struct str s, const char *const *list);
bool str_is_any_nocase(struct str s, const char *const *list);
bool str_starts_any(struct str s, const char *const *list);
bool str_ends_any(struct str s, const char *const *list);
bool str_ends_any_nocase(struct str s, const char *const *list);
bool str_contains_any(struct str s, const char *const *list);
bool str_contains_any_nocase(struct str s, const char *const *list);
/* Returns true when s is the pattern, or ends with what stands behind the "*" of the pattern: "*.azure.com". */
bool str_matches_any(struct str s, const char *const *list);
/* The position of the first or last c, or s.len when there is none. */
size_t str_find(struct str s, char c);
size_t str_rfind(struct str s, char c);
/* The position of needle, or s.len when there is none. */
size_t str_find_str(struct str s, const char *needle);
/* Returns what stands between mark, which ends with the first double quote, and the next one; "" where there is none. */
struct str str_quoted_after(struct str s, const char *mark);
/* Returns s without white space at both ends. */
struct str str_trim(struct str s);
/*
 * Takes the part up to the next sep off *rest and returns it in *out.  Returns false when nothing of *rest is left:
 * "a,,b," gives "a", "", "b".
 */
bool str_split(struct str *rest, char sep, struct str *out);
/* Returns true when word is one of a list with commas between its words. */
bool str_is_listed(struct str word, struct str list);
/*
 * Returns true when a namespace is in a scope: "" is all namespaces, else names with commas between them.  What has no
 * namespace is in the scope of all only.
 */
bool str_in_scope(struct str ns, struct str scope);
/* Reads decimal digits, which must be the whole string.  On false *out stays as it was. */
bool str_to_int(struct str s, int64_t *out);
/* FNV-1a */
uint64_t str_hash(struct str s);

#endif
