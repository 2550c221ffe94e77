/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What plain scalars mean.  The rules are those of resolve.go and encode.go of go-yaml v2, with which kubectl reads and
 * prints.
 */
#include "kube/model/yaml_scalar.h"

#include "kube/model/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define LONGEST_WORD 5
/* A longer scalar is a string. */
#define LONGEST_NUMBER 500

/* Returns how many bytes at the start of s are in the set. */
static size_t span(struct str s, const char *set)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] != '\0' && strchr(set, s.ptr[n]))
		n++;
	return n;
}

static bool starts_with_one_of(struct str s, const char *set)
{
	return span(str_head(s, 1), set) == 1;
}

static struct str without_sign(struct str s)
{
	return str_from(s, starts_with_one_of(s, "+-") ? 1 : 0);
}

/* ---- words ---------------------------------------------------------------- */

static const struct {
	const char *words;
	struct scalar value;
} known[] = {
	{ "y Y yes Yes YES true True TRUE on On ON", { .type = SCALAR_BOOL, .whole = 1 } },
	{ "n N no No NO false False FALSE off Off OFF", { .type = SCALAR_BOOL } },
	{ "~ null Null NULL", { .type = SCALAR_NULL } },
	{ ".nan .NaN .NAN", { .type = SCALAR_FLOAT, .real = (double)NAN } },
	{ ".inf .Inf .INF +.inf +.Inf +.INF", { .type = SCALAR_FLOAT, .real = (double)INFINITY } },
	{ "-.inf -.Inf -.INF", { .type = SCALAR_FLOAT, .real = -(double)INFINITY } },
	{ "<<", { .type = SCALAR_MERGE } },
};

static bool resolve_word(struct str text, struct scalar *out)
{
	if (text.len > LONGEST_WORD)
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct str rest = str_of(known[i].words), word;

		while (str_split(&rest, ' ', &word))
			if (str_eq(word, text)) {
				*out = known[i].value;
				return true;
			}
	}
	return false;
}

/* ---- times ---------------------------------------------------------------- */

/*
 * Takes the part of *s that fits the pattern: '9' stands for a digit, '#' for one or two digits, every other character
 * for itself.
 */
static bool take(struct str *s, const char *pattern)
{
	struct str rest = *s;

	for (; *pattern; pattern++) {
		size_t digits = span(str_head(rest, *pattern == '#' ? 2 : 1), DIGITS);
		bool literal = *pattern != '9' && *pattern != '#';

		if (literal ? rest.len == 0 || rest.ptr[0] != *pattern : digits == 0)
			return false;
		rest = str_from(rest, literal ? 1 : digits);
	}
	*s = rest;
	return true;
}

static bool take_all(struct str *s, const char *set)
{
	size_t n = span(*s, set);

	*s = str_from(*s, n);
	return n > 0;
}

static void take_zone(struct str *s)
{
	take_all(s, " \t");
	if (take(s, "+#") || take(s, "-#"))
		take(s, ":99");
	else
		take(s, "Z");
}

/*
 * This accepts more than go-yaml's list of layouts does (the layouts of YAML 1.1, and days that do not exist): the only
 * consequence is quotes.
 */
static bool is_time(struct str s)
{
	if (!take(&s, "9999-#-#"))
		return false;
	if (s.len == 0)
		return true;
	if (!take(&s, "T") && !take(&s, "t") && !take_all(&s, " \t"))
		return false;
	if (!take(&s, "#:#:#"))
		return false;
	if (take(&s, "."))
		take_all(&s, DIGITS);
	take_zone(&s);
	return s.len == 0;
}

/* [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?: numbers in base 60, such as 1:20 */
static bool is_base60(struct str s)
{
	bool parts = false;

	s = without_sign(s);
	if (!starts_with_one_of(s, DIGITS))
		return false;
	take_all(&s, DIGITS "_");
	for (; take(&s, ":"); parts = true) {
		size_t n = span(s, DIGITS);

		if (n == 0 || n > 2 || (n == 2 && s.ptr[0] > '5'))
			return false;
		s = str_from(s, n);
	}
	if (take(&s, "."))
		take_all(&s, DIGITS "_");
	return parts && s.len == 0;
}

/* ---- numbers -------------------------------------------------------------- */

static unsigned take_base(struct str *digits)
{
	unsigned base = 10;

	if (digits->len < 2 || digits->ptr[0] != '0')
		return base;
	if (digits->len > 2)
		base = starts_with_one_of(str_from(*digits, 1), "xX") ? 16 :
		       starts_with_one_of(str_from(*digits, 1), "oO") ? 8 :
		       starts_with_one_of(str_from(*digits, 1), "bB") ? 2 : 10;
	*digits = str_from(*digits, base == 10 ? 1 : 2);
	return base == 10 ? 8 : base;
}

/* Does what ParseInt(s, 0, 64) of Go does, or else ParseUint(), which accepts no sign. */
static bool resolve_int(struct str s, struct scalar *out)
{
	struct str digits = without_sign(s);
	bool sign = digits.len < s.len, minus = starts_with_one_of(s, "-");
	uint64_t most = minus ? (uint64_t)INT64_MAX + 1 : sign ? INT64_MAX : UINT64_MAX;
	uint64_t amount = 0;
	unsigned base = take_base(&digits);

	if (digits.len == 0)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		unsigned digit = (unsigned)hex_digit(digits.ptr[i]);	/* that of another character is too large */

		if (digit >= base || amount > (most - digit) / base)
			return false;
		amount = amount * base + digit;
	}
	minus = minus && amount > 0;
	*out = (struct scalar){ .type = SCALAR_INT, .negative = minus, .whole = amount };
	return true;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_float(struct str s)
{
	bool digits;

	s = without_sign(s);
	digits = take_all(&s, DIGITS);
	if (take(&s, "."))
		digits = take_all(&s, DIGITS) || digits;
	if (digits && (take(&s, "e") || take(&s, "E"))) {
		s = without_sign(s);
		digits = take_all(&s, DIGITS);
	}
	return digits && s.len == 0;
}

/* text ends with a NUL.  A number that overflows is a string. */
static bool resolve_float(struct str text, struct scalar *out)
{
	double real = is_float(text) ? strtod(text.ptr, NULL) : (double)INFINITY;

	if (isinf(real))
		return false;
	*out = (struct scalar){ .type = SCALAR_FLOAT, .real = real };
	return true;
}

/* Go removes '_' anywhere, but accepts it only between digits when the number starts with a dot. */
static bool drop_underscores(struct str text, char *out, size_t *out_len)
{
	bool strict = text.ptr[0] == '.';
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '_')
			out[n++] = text.ptr[i];
		else if (strict && !(isdigit((unsigned char)text.ptr[i - 1]) &&
				     starts_with_one_of(str_from(text, i + 1), DIGITS)))
			return false;
	}
	out[n] = '\0';
	*out_len = n;
	return true;
}

static bool resolve_number(struct str text, struct scalar *out)
{
	char plain[LONGEST_NUMBER + 1];
	struct str number = { plain, 0 };

	if (text.len > LONGEST_NUMBER || !starts_with_one_of(text, DIGITS "+-.") ||
	    !drop_underscores(text, plain, &number.len))
		return false;
	return resolve_int(number, out) || resolve_float(number, out);
}

/* ---- what it means -------------------------------------------------------- */

static struct scalar resolve_plain(struct str text)
{
	struct scalar value = { .type = SCALAR_STRING };

	if (text.len == 0)
		value.type = SCALAR_NULL;
	else if (is_time(text))
		value.type = SCALAR_TIME;
	else if (!resolve_word(text, &value))
		(void)resolve_number(text, &value);
	return value;
}

static const struct {
	const char *tag;
	enum scalar_type type;
} tagged[] = {
	{ "tag:yaml.org,2002:null", SCALAR_NULL },   { "tag:yaml.org,2002:bool", SCALAR_BOOL },
	{ "tag:yaml.org,2002:int", SCALAR_INT },     { "tag:yaml.org,2002:float", SCALAR_FLOAT },
	{ "tag:yaml.org,2002:timestamp", SCALAR_TIME },
};

bool scalar_resolve(struct str tag, struct str text, struct scalar *out)
{
	*out = (struct scalar){ .type = SCALAR_STRING };
	if (tag.len == 0) {
		*out = resolve_plain(text);
		return true;
	}
	for (size_t i = 0; i < sizeof(tagged) / sizeof(tagged[0]); i++)
		if (str_is(tag, tagged[i].tag)) {
			*out = resolve_plain(text);
			return out->type == tagged[i].type ||
			       (out->type == SCALAR_INT && tagged[i].type == SCALAR_FLOAT);
		}
	return true;
}

/* only go-yaml reads "=" as a string */
bool scalar_needs_quotes(struct str text)
{
	return resolve_plain(text).type != SCALAR_STRING || is_base60(text) || str_is(text, "=");
}

/* ---- how it is spelled ---------------------------------------------------- */

static bool gives_back(const char *text, double value, bool single)
{
	return single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

/* Does what FormatFloat(value, 'g', -1, single ? 32 : 64) of Go does. */
static void put_shortest(struct buf *out, double value, bool single)
{
	char text[40];
	int digits = 0;
	long exponent;

	snprintf(text, sizeof(text), "%.0e", value);
	while (digits < 16 && !gives_back(text, value, single))
		snprintf(text, sizeof(text), "%.*e", ++digits, value);
	exponent = strtol(strchr(text, 'e') + 1, NULL, 10);
	if (exponent < -4 || exponent >= 6)
		buf_add_cstr(out, text);
	else
		buf_printf(out, "%.*f", exponent < digits ? digits - (int)exponent : 0, value);
}

static void put_int(struct buf *out, struct scalar value)
{
	buf_printf(out, "%s%llu", value.negative ? "-" : "", (unsigned long long)value.whole);
}

void scalar_put_number(struct buf *out, double value)
{
	if (value == 0)
		buf_add_char(out, '0');
	else if (value == floor(value) && value >= -0x1p63 && value < 0x1p64)
		buf_printf(out, "%.0f", value);
	else
		put_shortest(out, value, false);
}

/* Spells a number as JSON does, so that it can stand there as it is. */
static bool is_json_number(struct str s)
{
	struct json doc;
	bool is;

	if (json_parse(s, &doc, NULL) < 0)
		return false;
	is = json_type(doc) == JSON_NUMBER;
	json_free(doc);
	return is;
}

bool scalar_put_json(struct buf *out, struct scalar value, struct str text)
{
	switch (value.type) {
	case SCALAR_NULL:
		buf_add_cstr(out, "null");
		return true;
	case SCALAR_BOOL:
		buf_add_cstr(out, value.whole ? "true" : "false");
		return true;
	case SCALAR_INT:
		put_int(out, value);
		return true;
	case SCALAR_FLOAT:
		if (!isfinite(value.real))
			return false;
		if (is_json_number(text))
			buf_add(out, text);
		else
			put_shortest(out, value.real, false);
		return true;
	case SCALAR_STRING:
	case SCALAR_TIME:
	case SCALAR_MERGE:
		json_quote(out, text, JSON_QUOTE_BYTES);
		return true;
	}
	return false;
}

/* The conversion of Go takes the float for a float of 32 bits. */
static void put_float_key(struct buf *out, double value)
{
	if (isnan(value))
		buf_add_cstr(out, ".nan");
	else if (isinf((float)value))
		buf_add_cstr(out, value < 0 ? "-.inf" : ".inf");
	else
		put_shortest(out, (double)(float)value, true);
}

bool scalar_put_key(struct buf *out, struct scalar value, struct str text)
{
	switch (value.type) {
	case SCALAR_NULL:
		return false;
	case SCALAR_BOOL:
		buf_add_cstr(out, value.whole ? "true" : "false");
		return true;
	case SCALAR_INT:
		put_int(out, value);
		return value.negative || value.whole <= INT64_MAX;
	case SCALAR_FLOAT:
		put_float_key(out, value.real);
		return true;
	case SCALAR_STRING:
	case SCALAR_TIME:
	case SCALAR_MERGE:
		buf_add(out, text);
		return true;
	}
	return false;
}
