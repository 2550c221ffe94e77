/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/words/innermost.h"

#include "kube/base/assert.h"
#include "kube/base/redact.h"
#include "kube/base/utf8.h"

#include <string.h>

enum {
	QUOTINGS = 4, /* so many times a JSON text may be quoted in another text */
	LEVELS = 32,  /* JSON that is nested more deeply is read as if it were this deep */
	WRAPPERS = 32 /* so many parts of a chain are left out */
};

/* ---- JSON in a message ---------------------------------------------------------------- */

/* Returns the length of the string at the start of text, with both quotes, or to the end of a text that was cut. */
static size_t string_length(struct str text)
{
	size_t i = 1;

	assert(text.len && text.ptr[0] == '"');
	while (i < text.len && text.ptr[i] != '"')
		i += text.ptr[i] == '\\' ? 2 : 1;
	return i < text.len ? i + 1 : text.len;
}

/* Writes the character of "\u0041"; returns how many bytes of text that was, 0: it is none. */
static size_t unescape_rune(struct str text, struct buf *out)
{
	enum { LENGTH = 6, BASE = 16 };
	uint32_t rune = 0;
	char bytes[4];

	if (text.len < LENGTH || text.ptr[1] != 'u')
		return 0;
	for (size_t i = 2; i < LENGTH; i++) {
		int digit = hex_digit(text.ptr[i]);

		if (digit < 0)
			return 0;
		rune = rune * BASE + (uint32_t)digit;
	}
	if (!rune || (rune >= 0xd800 && rune < 0xe000)) /* half of a character, which cannot be written alone */
		rune = 0xfffd;
	buf_add(out, (struct str){ bytes, utf8_put(rune, bytes) });
	return LENGTH;
}

/* Returns the text that was quoted: without the backslashes before quotes, and with the characters that they stand for. */
static struct str unescape(struct str text, struct arena *a)
{
	static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
	struct buf out = { 0 };

	for (size_t i = 0, n; i < text.len; i += n) {
		const char *at;

		n = 1;
		if (text.ptr[i] != '\\' || i + 1 == text.len) {
			buf_add_char(&out, text.ptr[i]);
			continue;
		}
		n = unescape_rune(str_from(text, i), &out);
		if (n)
			continue;
		n = 2;
		at = text.ptr[i + 1] ? strchr(from, text.ptr[i + 1]) : NULL;
		buf_add_char(&out, at ? to[at - from] : text.ptr[i + 1]);
	}
	return arena_take(a, &out);
}

/* The keys beside a message that hold its code; one that stands earlier here is shown rather than a later one. */
static const char *const code_keys[] = { "type", "code", "reason" };

enum { CODE_KEYS = sizeof(code_keys) / sizeof(code_keys[0]), NO_CODE = 2 * CODE_KEYS };

struct code {
	struct str text;
	size_t rank; /* the place of its key, behind all strings when it is a number; NO_CODE: there is none */
};

/* The deepest message that was found so far. */
struct answer {
	struct str message;
	struct code code;
	size_t level; /* 0: none was found */
	bool closed;  /* the object of the message has ended, so that its code is known */
};

struct scan {
	struct str text;
	size_t at, level;
	struct code codes[LEVELS + 1]; /* of the objects that are open */
	struct answer found;
};

static size_t level_of(const struct scan *s)
{
	return s->level < LEVELS ? s->level : LEVELS;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct scan *s)
{
	while (s->at < s->text.len && is_blank(s->text.ptr[s->at]))
		s->at++;
}

/* Takes a string; returns it without its quotes, as it is written. */
static struct str take_string(struct scan *s)
{
	struct str rest = str_from(s->text, s->at);
	size_t n = string_length(rest);

	s->at += n;
	return str_from(str_head(rest, n > 1 && rest.ptr[n - 1] == '"' ? n - 1 : n), 1);
}

static void note_code(struct scan *s, struct str key, struct str value, bool number)
{
	struct code *code = &s->codes[level_of(s)];

	for (size_t i = 0; i < CODE_KEYS; i++)
		if (value.len && str_eq_nocase(key, str_of(code_keys[i])) && i + (number ? CODE_KEYS : 0) < code->rank)
			*code = (struct code){ value, i + (number ? CODE_KEYS : 0) };
}

static void take_value(struct scan *s, struct str key)
{
	struct str value;
	size_t n = 0;

	skip_blanks(s);
	if (s->at < s->text.len && s->text.ptr[s->at] == '"') {
		value = take_string(s);
		note_code(s, key, value, false);
		if (value.len && str_eq_nocase(key, STR("message")) && s->level > s->found.level)
			s->found = (struct answer){ .message = value, .code = { .rank = NO_CODE }, .level = s->level };
		return;
	}
	while (s->at + n < s->text.len && s->text.ptr[s->at + n] >= '0' && s->text.ptr[s->at + n] <= '9')
		n++;
	note_code(s, key, str_head(str_from(s->text, s->at), n), true);
	s->at += n;
}

static void open_object(struct scan *s)
{
	s->level++;
	s->codes[level_of(s)] = (struct code){ .rank = NO_CODE };
}

static void close_object(struct scan *s)
{
	if (s->level == s->found.level && !s->found.closed) {
		s->found.code = s->codes[level_of(s)];
		s->found.closed = true;
	}
	s->level -= s->level > 0;
}

/* True when the text has an object from here on whose quotes are themselves quoted: {\"error\": ...}. */
static bool is_quoted_object(struct str text)
{
	size_t i = 1;

	while (i < text.len && is_blank(text.ptr[i]))
		i++;
	return i + 1 < text.len && text.ptr[i] == '\\' && text.ptr[i + 1] == '"';
}

/* Finds the deepest message of the JSON objects in a text.  What was cut off at the end is no error. */
static struct answer scan_answer(struct str text)
{
	struct scan s = { .text = text };

	while (s.at < text.len) {
		char c = text.ptr[s.at];

		if (c == '"' && s.level) {
			struct str key = take_string(&s);

			skip_blanks(&s);
			if (s.at < text.len && text.ptr[s.at] == ':') {
				s.at++;
				take_value(&s, key);
			}
			continue;
		}
		if (c == '{')
			open_object(&s);
		else if (c == '}' && s.level)
			close_object(&s);
		s.at++;
	}
	while (s.level)
		close_object(&s);
	return s.found;
}

/* ---- chains of errors -------------------------------------------------------------------- */

/* What stands before the answer of another program, when libraries write it: gRPC's status, the AWS SDK for Go v2. */
static const char *const answers_follow[] = { " desc = ", "api error " };

/* Words of a text that only says that something was tried and did not succeed. */
static const char *const failing_words[] = { "cannot",	"can't",     "couldn't", "could",  "failed",   "failure", "fail",	 "fails",
					     "unable",	"error",     "errors",	 "denied", "rejected", "refused", "forbidden",
					     "invalid", "exception", NULL };

/* Words that end as those for what was being done do ("creating the network"), and are none. */
static const char *const no_doing_words[] = { "missing", "pending",   "existing", "nothing", "something", "anything",
					      "string",	 "remaining", "during",	  "being",   "warning",	  "thing",
					      "waiting", NULL };

/* The methods of HTTP, behind which Go writes the address: Post "https://policy.example.org": ... */
static const char *const methods[] = { "get", "post", "put", "patch", "delete", "head", NULL };

/* Takes the next word off the text: what is between blanks, without a quote, a comma or a bracket at its ends. */
static bool next_word(struct str *rest, struct str *out)
{
	while (str_split(rest, ' ', out)) {
		while (out->len && strchr("\"'([,)].", out->ptr[out->len - 1]))
			out->len--;
		if (out->len)
			return true;
	}
	return false;
}

static bool is_doing_word(struct str word)
{
	return word.len > 4 && str_ends(word, "ing") && !str_is_any_nocase(word, no_doing_words);
}

/* True for a part that says what was tried, and not why it failed: "failed to create the network". */
static bool is_wrapper(struct str part)
{
	struct str rest = part, word;

	for (size_t i = 0; next_word(&rest, &word); i++) {
		if (str_is_any_nocase(word, failing_words) || is_doing_word(word))
			return true;
		if (i == 0 && str_is_any_nocase(word, methods) && str_starts(rest, "\""))
			return true;
	}
	return false;
}

/* True when a part says something: "not found" and "EOF" say nothing without the words before them. */
static bool says_enough(struct str part)
{
	enum { WORDS = 3 };
	struct str word;
	size_t n = 0;

	while (n < WORDS && next_word(&part, &word))
		n++;
	return n == WORDS;
}

/* Returns the position of the ": " or ":" and newline that ends the first part, outside of quotes; text.len: none. */
static size_t part_end(struct str text)
{
	for (size_t i = 0; i + 1 < text.len && text.ptr[i] != '\n'; i++) {
		if (text.ptr[i] == '"') {
			size_t close = str_find(str_from(text, i + 1), '"');

			i += close < str_from(text, i + 1).len ? close + 1 : 0;
		} else if (text.ptr[i] == ':' && is_blank(text.ptr[i + 1])) {
			return i;
		}
	}
	return text.len;
}

/* Leaves out the mark of an item of a list, which stands before each of several errors. */
static struct str without_mark(struct str text)
{
	text = str_trim(text);
	while (str_starts(text, "* ") || str_starts(text, "- "))
		text = str_trim(str_from(text, 2));
	return text;
}

struct str innermost_line(struct str message)
{
	struct str line;

	message = without_mark(message);
	for (int i = 0; i < WRAPPERS; i++) {
		struct str rest = without_mark(str_from(message, str_find(message, '\n')));

		line = str_trim(str_head(message, str_find(message, '\n')));
		if (!str_ends(line, ":") || !rest.len)
			break;
		message = rest;
	}
	return line;
}

static struct str behind_answers(struct str text)
{
	for (size_t i = 0; i < sizeof(answers_follow) / sizeof(answers_follow[0]); i++) {
		struct str behind = text;

		while (says_enough(behind)) {
			text = behind;
			behind = str_from(behind, str_find_str(behind, answers_follow[i]) + strlen(answers_follow[i]));
		}
	}
	return text;
}

static struct str end_of_chain(struct str text)
{
	text = without_mark(behind_answers(text));
	for (int i = 0; i < WRAPPERS; i++) {
		size_t at = part_end(text);
		struct str rest = without_mark(str_from(text, at + 1));

		if (!says_enough(str_head(rest, str_find(rest, '\n'))) || !is_wrapper(str_head(text, at)))
			break;
		text = rest;
	}
	return innermost_line(text);
}

/* Returns the answer with its code before it, unless the message begins with that. */
static struct str with_code(const struct answer *answer, struct str message, struct arena *a)
{
	struct str code = answer->code.text;

	if (!code.len || str_eq(str_head(message, code.len), code))
		return message;
	return ARENA_JOIN(a, code, STR(": "), message);
}

static struct str part_of(struct str text, int quotings, struct arena *a)
{
	size_t brace = str_find(text, '{');
	struct answer answer;

	if (brace == text.len)
		return end_of_chain(text);
	if (quotings && is_quoted_object(str_from(text, brace)))
		return part_of(unescape(text, a), quotings - 1, a);
	answer = scan_answer(text);
	if (!answer.level)
		return end_of_chain(text);
	return with_code(&answer, quotings ? part_of(unescape(answer.message, a), quotings - 1, a) : end_of_chain(answer.message), a);
}

struct str innermost_part(struct str message, struct arena *a)
{
	struct str part = part_of(message, QUOTINGS, a);

	/* What is quoted was hidden as it was written; without its backslashes it is looked at again. */
	return redact_may_hide(part) ? redact_copy(a, part) : part;
}
