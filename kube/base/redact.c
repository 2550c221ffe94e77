/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/redact.h"

#include <string.h>

#define LEFT_OUT STR("(left out: it holds a Secret)")

enum { KEY_MAX = 64 };	/* a parameter with a longer name is not taken for a credential */

/* What may begin in a text, as the marks in it tell. */
enum begins { CREDENTIAL = 1 << 0, MANIFEST = 1 << 1 };

/* Hides the bytes from..end.  Returns true when that changes the text. */
static bool put_stars(char *text, size_t len)
{
	bool changed = false;

	for (size_t i = 0; i < len; i++) {
		changed |= text[i] != '*';
		text[i] = '*';
	}
	return changed;
}

/* ---- parameters ------------------------------------------------------------ */

/* Returns the length of the separator that the text begins with: "&", "%26", "\u0026"; 0: it begins with none. */
static size_t separator_length(struct str s)
{
	static const char *const codes[] = { "23", "26", "3b", "3B", "3f", "3F", NULL };	/* # & ; ? */

	if (!s.len)
		return 0;
	switch (s.ptr[0]) {
	case '#':
	case '&':
	case ';':
	case '?':
		return 1;
	case '%':
		return s.len > 2 && (s.ptr[1] == '2' || s.ptr[1] == '3') && str_starts_any(str_from(s, 1), codes) ? 3 : 0;
	case '\\':
		return str_starts(s, "\\u00") && str_starts_any(str_from(s, 4), codes) ? 6 : 0;
	default:
		return 0;
	}
}

static size_t equals_length(struct str s)
{
	static const char *const equals[] = { "%3D", "%3d", "\\u003D", "\\u003d", NULL };

	if (!s.len || (s.ptr[0] != '=' && s.ptr[0] != '%' && s.ptr[0] != '\\'))
		return 0;
	if (s.ptr[0] == '=')
		return 1;
	return str_starts_any(s, equals) ? s.ptr[0] == '%' ? 3 : 6 : 0;
}

static bool ends_as_credential(struct str name)
{
	static const char *const endings[] = {
		"signature", "token", "password", "passwd", "passphrase", "secret", "credential", "credentials", "_sig", "-sig",
		"apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "secretkey", "secret_key", "secret-key",
		"privatekey", "private_key", "private-key", NULL
	};

	return str_ends_any_nocase(name, endings);
}

static bool is_credential_key(struct str key)
{
	static const char *const names[] = { "sig", "key", "auth", "pass", "pwd", "jwt", "sas", NULL };

	while (str_ends(key, "]"))
		key.len--;
	/* this test is quicker than the comparisons below, and each of their words ends with one of these letters */
	if (!key.len || !memchr("deghlnsty", key.ptr[key.len - 1] | 0x20, 9))
		return false;
	return str_is_any_nocase(key, names) || ends_as_credential(key);
}

/* Returns the last word of a name such as DB_PASS, dbPass, db.pass and --pass. */
static struct str last_word(struct str name)
{
	size_t at = name.len;

	while (at > 0 && is_alnum(name.ptr[at - 1]))
		if (--at > 0 && is_upper(name.ptr[at]) && !is_upper(name.ptr[at - 1]))
			break;
	return str_from(name, at);
}

/* True for "pullSecret" and its like, whose value is the name of a Secret that holds such a thing. */
static bool names_a_secret(struct str name)
{
	static const char *const refer[] = {
		"existing", "pull", "password", "token", "credential", "credentials", "tls", "ssl", "ssh", "cert", "certs", "certificate",
		"ca", "key", "keys", NULL
	};

	return str_ends(name, "Secret") && str_is_any_nocase(last_word(str_head(name, name.len - strlen("Secret"))), refer);
}

bool redact_names_credential(struct str name)
{
	static const char *const words[] = { "pass", "pwd", "psk", "jwt", "dsn", NULL };
	static const char *const endings[] = {
		"passcode", "authorization", "connectionstring", "connection_string", "connection-string",
		"accountkey", "account_key", "account-key", "signingkey", "signing_key", "signing-key", "encryptionkey", "encryption_key",
		"encryption-key", "masterkey", "master_key", "master-key", "secret_key_base", "dockerconfigjson", NULL
	};

	if (str_is_any_nocase(last_word(name), words) || str_ends_any_nocase(name, endings))
		return true;
	return ends_as_credential(name) && !names_a_secret(name);
}

static bool is_key_char(char c)
{
	return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '[' || c == ']';
}

/* s stands behind a separator.  Returns where the value of a credential begins in it; 0: no credential is there. */
static size_t credential_value(struct str s)
{
	size_t n = 0, equals;

	while (n < s.len && n <= KEY_MAX && is_key_char(s.ptr[n]))
		n++;
	if (n == 0 || n > KEY_MAX)
		return 0;
	equals = equals_length(str_from(s, n));
	return equals && is_credential_key(str_head(s, n)) ? n + equals : 0;
}

/*
 * Returns where the value ends that begins at that position of the word.  Behind "%3D" a separator is percent-encoded,
 * too.
 */
static size_t value_end(struct str word, size_t at, bool percent)
{
	for (; at < word.len; at++) {
		if (strchr("#&;\\", word.ptr[at]))
			break;
		if (percent && word.ptr[at] == '%' && separator_length(str_from(word, at)))
			break;
	}
	return at;
}

static bool hide_parameters(char *word, size_t len)
{
	struct str all = { word, len };
	bool changed = false;

	for (size_t i = 0; i < len;) {
		size_t separator = separator_length(str_from(all, i));
		size_t value = separator ? credential_value(str_from(all, i + separator)) : 0;
		size_t end;

		i += separator ? separator + value : 1;
		if (!value)
			continue;
		end = value_end(all, i, word[i - 1] != '=' && word[i - 3] == '%');
		changed |= put_stars(word + i, end - i);
		i = end;
	}
	return changed;
}

/* ---- user and password ----------------------------------------------------- */

static bool is_number(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	return true;
}

static bool is_digest(struct str s)
{
	return str_starts(s, "@sha256:") || str_starts(s, "@sha512:");
}

/*
 * Returns the position behind the next "://", or the length of the word when there is none.  JSON may write it as
 * ":\/\/".
 */
static size_t behind_scheme(struct str word, size_t at)
{
	while (at < word.len) {
		size_t slashes = 0;

		at += str_find(str_from(word, at), ':') + 1;
		while (slashes < 2 && at < word.len) {
			while (at < word.len && word.ptr[at] == '\\')
				at++;
			if (at >= word.len || word.ptr[at] != '/')
				break;
			slashes++;
			at++;
		}
		if (slashes == 2)
			return at;
	}
	return word.len;
}

/* Returns where the scheme ends that stands before that position. */
static struct str before_scheme(struct str word, size_t at)
{
	while (at > 0 && strchr(":/\\", word.ptr[at - 1]))
		at--;
	return str_head(word, at);
}

/*
 * s stands behind "://".  Returns how many bytes at its beginning are user and password.  A password may hold
 * characters that a URL must encode, for example a slash: then the absence of a port tells the password from a host.
 * last: where s has its last '@'.
 */
static size_t userinfo_length(struct str s, size_t last)
{
	size_t authority = 0, at;

	while (authority < s.len && !strchr("/?#", s.ptr[authority]))
		authority++;
	at = str_rfind(str_head(s, authority), '@');
	if (at < authority)
		return at;
	at = str_find(str_head(s, authority), ':');
	if (at == authority || s.ptr[0] == '[' || is_number(str_head(str_from(s, at + 1), authority - at - 1)))
		return 0;
	return last;
}

/* the user git of ssh is no secret; the digest of an image is no host */
static bool is_credential(struct str before, struct str userinfo, struct str after)
{
	static const char *const http[] = { "http", "https", NULL };

	return !is_digest(after) && (str_find(userinfo, ':') < userinfo.len || str_ends_any_nocase(before, http));
}

/* The "//" of a scheme ends the authority before it, so that no byte is examined for two authorities. */
static bool hide_userinfo(char *word, size_t len)
{
	struct str all = { word, len };
	bool changed = false;
	size_t last = str_rfind(all, '@');

	for (size_t at = behind_scheme(all, 0); at < last; at = behind_scheme(all, at)) {
		struct str rest = str_from(all, at);
		size_t n = userinfo_length(rest, last - at);

		if (n && is_credential(before_scheme(all, at), str_head(rest, n), str_from(rest, n)))
			changed |= put_stars(word + at, n);
		at += n;
	}
	return changed;
}

/* Words that stand where "user" stands in "user:password@host" and are no users: members of Google's IAM, and mail. */
static bool is_principal(struct str word)
{
	static const char *const words[] = { "serviceAccount", "serviceaccount", "group", "domain", "mailto", "email", NULL };

	return str_ends_any(word, words);
}

/* s stands before an '@'.  Returns where "user:password" begins in it, or its length when there is none. */
static size_t bare_userinfo(struct str s)
{
	size_t start = 0, colon = str_find(s, ':');

	for (size_t i = 0; i < colon; i++)
		if (strchr("=,;([{", s.ptr[i]))
			start = i + 1;
	if (colon + 1 >= s.len || is_number(str_head(str_from(s, start), colon - start)) ||
	    is_principal(str_head(s, str_rfind(s, ':'))))
		return s.len;
	return start;
}

/* Hides the password of "user:password@host" without a scheme. */
static bool hide_bare(char *word, size_t len)
{
	struct str all = { word, len };
	bool changed = false;
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		struct str before = str_head(str_from(all, from), i - from), after = str_from(all, i);

		if (word[i] != '/' && word[i] != '@')
			continue;
		if (word[i] == '@' && before.len > 2 && i + 1 < len && (is_alnum(word[i + 1]) || strchr("-._~[", word[i + 1])) && !is_digest(after)) {
			size_t start = bare_userinfo(before);

			changed |= put_stars(word + from + start, before.len - start);
		}
		from = i + 1;
	}
	return changed;
}

/* ---- words ------------------------------------------------------------------ */

/* Characters that end a URL; NUL is one of them. */
static bool ends_word(char c)
{
	return (unsigned char)c <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`';
}

static bool hide_in_word(char *word, size_t len)
{
	bool changed = false;

	if (memchr(word, '@', len)) {
		changed |= hide_userinfo(word, len);
		changed |= hide_bare(word, len);
	}
	return hide_parameters(word, len) || changed;
}

/*
 * A character that was hidden may have been a separator, so the word is read again, a few times, until nothing changes;
 * a word that still changes then is hidden whole.
 */
static void hide_word(char *word, size_t len)
{
	enum { TIMES = 4 };

	for (unsigned i = 0; i < TIMES; i++)
		if (!hide_in_word(word, len))
			return;
	put_stars(word, len);
}

static void hide_credentials(char *text, size_t len)
{
	for (size_t at = 0, end; at < len; at = end + 1) {
		for (end = at; end < len && !ends_word(text[end]); end++)
			;
		hide_word(text + at, end - at);
	}
}

/* ---- manifests -------------------------------------------------------------- */

static struct str without_any(struct str s, const char *set)
{
	while (s.len && s.ptr[0] && strchr(set, s.ptr[0]))
		s = str_from(s, 1);
	return s;
}

/*
 * Returns true when a word of its own begins there.  In an escaped line end within a quoted text
 * the n behind the backslash is no part of the word.
 */
static bool begins_word(struct str text, size_t at)
{
	if (at == 0 || !(is_alnum(text.ptr[at - 1]) || text.ptr[at - 1] == '_'))
		return true;
	return at > 1 && text.ptr[at - 2] == '\\' && strchr("nrt", text.ptr[at - 1]);
}

static bool begins_line(struct str text, size_t at)
{
	while (at > 0 && strchr(" \t\"'-{\\", text.ptr[at - 1]))
		at--;
	return at == 0 || text.ptr[at - 1] == '\n';
}

/*
 * Returns what stands behind the next "key:" from *at on, and moves *at behind it; *at becomes the length of the text
 * when there is none.
 */
static struct str next_value(struct str text, const char *key, bool lines, size_t *at)
{
	size_t len = strlen(key);

	while (*at < text.len) {
		size_t found = *at + str_find_str(str_from(text, *at), key);
		struct str value = without_any(str_from(text, found + len), " \t\r\n\"'\\");

		*at = found + len < text.len ? found + len : text.len;
		if (found < text.len && str_starts(value, ":") && (lines ? begins_line(text, found) : begins_word(text, found)))
			return str_from(value, 1);
	}
	return STR_NONE;
}

static bool names_secret(struct str value)
{
	value = without_any(value, " \t\r\n\"'\\");
	if (!str_starts(value, "Secret"))
		return false;
	value = str_from(value, str_starts(value, "SecretList") ? 10 : 6);
	return !value.len || !is_alnum(value.ptr[0]);
}

static bool has_kind_secret(struct str text, bool lines)
{
	for (size_t at = 0; at < text.len;)
		if (names_secret(next_value(text, "kind", lines, &at)))
			return true;
	return false;
}

/* lines: only keys at the beginning of a line count. */
static bool holds_secret(struct str text, bool lines)
{
	static const char *const hidden[] = { "data", "stringData", "annotations" };

	if (!has_kind_secret(text, lines))
		return false;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		size_t at = 0;

		if (next_value(text, hidden[i], lines, &at).len)
			return true;
	}
	return false;
}

/* ---- the quick look ---------------------------------------------------------- */

enum { BLOCK = 128, VECTOR = 16 };

typedef unsigned char vector __attribute__((vector_size(VECTOR)));

/*
 * The bytes of a vector with which something to hide may begin: '@', "#$%&", ';', '?', a backslash, or the S of Secret.
 */
#define MARKS(type, c) ((c == '@') | ((c | 4) == '?') | ((type)(c - '#') <= '&' - '#') | (c == '\\') | (c == 'S'))

/*
 * Returns where the first block with such a mark begins, or where less than a block is left.  There is one function for
 * each size of vectors.
 */
#define DEFINE_FIND_BLOCK(name, type, size)                                                 \
	static size_t name(const char *text, size_t len)                                    \
	{                                                                                   \
		size_t at = 0;                                                              \
                                                                                            \
		for (uint64_t found = 0; at + BLOCK <= len; at += BLOCK) {                  \
			uint64_t words[(size) / 8];                                         \
			type any = { 0 };                                                   \
                                                                                            \
			for (size_t i = 0; i < BLOCK; i += (size)) {                        \
				type c;                                                     \
                                                                                            \
				memcpy(&c, text + at + i, sizeof(c));                       \
				any |= (type)MARKS(type, c);                                \
			}                                                                   \
			memcpy(words, &any, sizeof(any));                                   \
			for (size_t i = 0; i < (size) / 8; i++)                             \
				found |= words[i];                                          \
			if (found)                                                          \
				break;                                                      \
		}                                                                           \
		return at;                                                                  \
	}

DEFINE_FIND_BLOCK(find_block, vector, VECTOR)

/* Chooses the vectors that the processor has, as memchr() does. */
#if defined(__x86_64__) && defined(__GLIBC__)
typedef unsigned char vector32 __attribute__((vector_size(32)));
__attribute__((target("avx2"))) DEFINE_FIND_BLOCK(find_block_avx2, vector32, 32)

static size_t next_block(const char *text, size_t len)
{
	return len >= BLOCK && __builtin_cpu_supports("avx2") ? find_block_avx2(text, len) : find_block(text, len);
}
#else
static size_t next_block(const char *text, size_t len)
{
	return find_block(text, len);
}
#endif

static unsigned mark_at(struct str text, size_t i)
{
	struct str rest = str_from(text, i);
	size_t separator;

	switch (text.ptr[i]) {
	case 'S':
		return str_starts(rest, "Secret") ? MANIFEST : 0;
	case '@':
		return is_digest(rest) ? 0 : CREDENTIAL;
	default:
		separator = separator_length(rest);
		return separator && credential_value(str_from(rest, separator)) ? CREDENTIAL : 0;
	}
}

/* Removes the marks that the next byte rules out: no parameter begins with a blank. */
static vector likely_marks(vector c, vector next)
{
	vector letter = (vector)((c == 'S') & (next == 'e')), escape = (vector)((c == '\\') & (next == 'u'));

	return (vector)(MARKS(vector, c) & (c != 'S') & (c != '\\') & ((c == '@') | (next > ' '))) | letter | escape;
}

/* Reports what really begins at the marks of the VECTOR bytes there, or of the bytes that are left. */
static unsigned look_closer(struct str text, size_t at)
{
	size_t n = text.len - at < VECTOR ? text.len - at : VECTOR;
	size_t after = text.len - at - 1 < VECTOR ? text.len - at - 1 : VECTOR;
	unsigned char hits[VECTOR];
	unsigned begins = 0;
	uint64_t words[2];
	vector c = { 0 }, next = { 0 };

	memcpy(&c, text.ptr + at, n);
	memcpy(&next, text.ptr + at + 1, after);
	c = likely_marks(c, next);
	memcpy(words, &c, sizeof(c));
	if (!(words[0] | words[1]))
		return 0;
	memcpy(hits, &c, sizeof(c));
	for (size_t i = 0; i < n; i++)
		if (hits[i])
			begins |= mark_at(text, at + i);
	return begins;
}

static unsigned begins_in(struct str text)
{
	unsigned begins = 0;

	for (size_t at = 0; at < text.len && begins != (CREDENTIAL | MANIFEST);) {
		size_t end;

		at += next_block(text.ptr + at, text.len - at);
		end = text.len - at < BLOCK ? text.len : at + BLOCK;
		for (; at < end; at += VECTOR)
			begins |= look_closer(text, at);
	}
	return begins;
}

bool redact_may_hide(struct str text)
{
	return begins_in(text) != 0;
}

/* ---- texts --------------------------------------------------------------------- */

static struct str hide(char *text, size_t len, bool lines)
{
	struct str all = { text, len };
	unsigned begins = begins_in(all);

	if ((begins & MANIFEST) && holds_secret(all, lines))
		return LEFT_OUT;
	if (begins & CREDENTIAL)
		hide_credentials(text, len);
	return all;
}

struct str redact_text(char *text, size_t len)
{
	return hide(text, len, false);
}

struct str redact_copy(struct arena *arena, struct str text)
{
	char *copy = arena_alloc(arena, text.len + 1);

	if (text.len)
		memcpy(copy, text.ptr, text.len);
	return redact_text(copy, text.len);
}

static void replace(struct buf *b, size_t from, struct str text)
{
	if (b->len == from || text.ptr == b->ptr + from)
		return;
	b->len = from;
	buf_add(b, text);
}

void redact_buf(struct buf *b, size_t from)
{
	if (b->len > from)
		replace(b, from, redact_text(b->ptr + from, b->len - from));
}

void redact_log(struct buf *b, size_t from)
{
	struct buf whole = { 0 };
	struct str rest, line;

	if (b->len <= from || !redact_may_hide(str_from(buf_str(b), from)))
		return;
	buf_add(&whole, str_from(buf_str(b), from));
	rest = buf_str(&whole);
	b->len = from;
	while (rest.len) {
		size_t start = (size_t)(rest.ptr - whole.ptr);

		line = str_head(rest, str_find(rest, '\n'));
		rest = str_from(rest, line.len + 1);
		buf_add(b, redact_text(whole.ptr + start, line.len));
		if (start + line.len < whole.len)
			buf_add_char(b, '\n');
	}
	replace(b, from, hide(b->ptr + from, b->len - from, true));
	buf_release(&whole);
}

/* ---- what is assigned ----------------------------------------------------------- */

#define HIDDEN STR("(hidden)")

/*
 * A name ends at that position of the text, and may be in quotes.  Returns where the value begins that is given to it:
 * "name=value", 'name: value', and "--name value" when it is a flag; 0: none is.
 */
static size_t assigned_at(struct str text, size_t end, bool flag)
{
	struct str rest = without_any(str_from(text, end), "\\\"'"), value = without_any(rest, " \t");
	bool apart = value.len < rest.len;

	if (value.len && (value.ptr[0] == '=' || value.ptr[0] == ':'))
		value = without_any(str_from(value, 1), " \t");
	else if (!flag || !apart || str_starts(value, "-"))
		return 0;
	/* that is where a variable's value is put in */
	return !value.len || str_starts(value, "$(") || str_starts(value, "${") ? 0 : text.len - value.len;
}

/* A value ends with the word; what is in quotes, or stands behind a colon, with the line; and a block of YAML with the text. */
static size_t assigned_length(struct str value, bool colon)
{
	bool line = colon || memchr("\"'\\", value.ptr[0], 3);
	size_t n = 0;

	if (colon && (value.ptr[0] == '|' || value.ptr[0] == '>'))
		return value.len;
	while (n < value.len && !strchr("\r\n", value.ptr[n]) && (line || !strchr(" \t", value.ptr[n])))
		n++;
	return n;
}

void redact_assigned(struct str text, struct buf *out)
{
	size_t copied = 0;

	for (size_t i = 0, n; i < text.len; i += n ? n : 1) {
		struct str name, value;
		size_t at;

		for (n = 0; i + n < text.len && is_key_char(text.ptr[i + n]); n++)
			;
		name = str_head(str_from(text, i), n);
		at = redact_names_credential(name) ? assigned_at(text, i + n, str_starts(name, "-")) : 0;
		if (!at)
			continue;
		value = str_from(text, at);
		buf_add(out, str_head(str_from(text, copied), at - copied));
		buf_add(out, HIDDEN);
		n = at - i + assigned_length(value, memchr(text.ptr + i, ':', at - i) != NULL);
		copied = i + n;
	}
	buf_add(out, str_from(text, copied));
}

/* ---- places --------------------------------------------------------------------- */

bool redact_identifies(struct str key)
{
	static const char *const keys[] = {
		"apiGroup", "apiVersion", "cluster", "context", "contexts", "finalizers", "generateName", "group", "groups", "identities",
		"kind", "name", "names", "namespace", "namespaces", "recent", "ref", "refs", "reference", "references", "uid", "users", NULL
	};
	static const char *const endings[] = {
		"Kind", "Name", "Names", "Namespace", "Namespaces", "Ref", "Refs", "Reference", "References", "UID", "Uid", NULL
	};

	return str_is_any(key, keys) || str_ends_any(key, endings);
}

bool redact_is_free_map(struct str key)
{
	static const char *const keys[] = { "annotations", "data", "stringData", NULL };

	return str_is_any(key, keys);
}
