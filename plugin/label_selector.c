/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the grammar of k8s.io/apimachinery/pkg/labels and pkg/fields. */
#include "plugin/label_selector.h"

#include "kube/base/alloc.h"

enum operator { OP_EQUALS, OP_DIFFERS, OP_IN, OP_NOT_IN, OP_EXISTS, OP_ABSENT, OP_GREATER, OP_LESS };

struct term {
	enum operator op;
	struct str key, values;	/* values are separated by commas */
};

enum { NAME_MAX_LENGTH = 63 };

/* ---- names --------------------------------------------------------------- */

/*
 * Returns true for what validation.IsQualifiedName() accepts after the prefix; "" is accepted, because it is a valid
 * value.
 */
static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alnum(s.ptr[i]) && (i == 0 || i + 1 == s.len || !str_contains(STR("-_."), (char[]){ s.ptr[i], 0 })))
			return false;
	return s.len <= NAME_MAX_LENGTH;
}

static bool is_key(struct str s)
{
	size_t slash = str_find(s, '/');
	struct str prefix = str_head(s, slash), name = slash < s.len ? str_from(s, slash + 1) : s;

	if (slash < s.len && prefix.len == 0)
		return false;
	for (size_t i = 0; slash < s.len && i < prefix.len; i++)
		if (!is_alnum(prefix.ptr[i]) && prefix.ptr[i] != '-' && prefix.ptr[i] != '.')
			return false;
	return name.len && is_name(name);
}

/* ---- labels: the tokens of labels.Parse() -------------------------------- */

static struct str take(struct str *rest, size_t n)
{
	struct str token = str_head(*rest, n);

	*rest = str_from(*rest, n);
	return token;
}

/* Returns the next token, a symbol or a word; "" at the end. */
static struct str next_token(struct str *rest)
{
	static const char *const symbols[] = { "!=", "==", "=", "!", ">", "<", "(", ")", "," };
	size_t n = 0;

	while (rest->len && str_contains(STR(" \t\r\n"), (char[]){ rest->ptr[0], 0 }))
		take(rest, 1);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (str_starts(*rest, symbols[i]))
			return take(rest, str_of(symbols[i]).len);
	while (n < rest->len && !str_contains(STR("=!><(), \t\r\n"), (char[]){ rest->ptr[n], 0 }))
		n++;
	return take(rest, n);
}

static struct str peek_token(struct str rest)
{
	return next_token(&rest);
}

static bool is_symbol(struct str token)
{
	return token.len && str_contains(STR("=!><(),"), (char[]){ token.ptr[0], 0 });
}

/* Reads "(a, b)" into out, without its parentheses. */
static bool next_set(struct str *rest, struct str *out)
{
	const char *begin;
	struct str token;
	bool comma = true, any = false;

	if (!str_is(next_token(rest), "("))
		return false;
	begin = rest->ptr;
	for (token = next_token(rest); token.len && !str_is(token, ")"); token = next_token(rest)) {
		bool is_comma = str_is(token, ",");

		if ((is_symbol(token) && !is_comma) || (!is_comma && (!comma || !is_name(token))))
			return false;
		comma = is_comma;
		any = true;
	}
	*out = (struct str){ begin, (size_t)(token.len ? token.ptr - begin : 0) };
	return token.len > 0 && any;
}

static bool next_value(struct str *rest, struct term *out)
{
	struct str token = peek_token(*rest);
	int64_t number;

	if (token.len && !is_symbol(token))
		out->values = next_token(rest);
	else if (token.len && !str_is(token, ","))
		return false;
	if (out->op == OP_GREATER || out->op == OP_LESS)
		return str_to_int(out->values, &number);
	return is_name(out->values);
}

static bool next_operator(struct str *rest, struct term *out)
{
	static const struct {
		const char *symbol;
		enum operator op;
	} rows[] = { { "=", OP_EQUALS },  { "==", OP_EQUALS }, { "!=", OP_DIFFERS }, { ">", OP_GREATER },
		     { "<", OP_LESS },	  { "in", OP_IN },     { "notin", OP_NOT_IN } };
	struct str token = next_token(rest);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (str_is(token, rows[i].symbol)) {
			out->op = rows[i].op;
			return true;
		}
	return false;
}

/* Reads the next requirement of a label selector.  Returns 1; 0 at the end; -1 when the text is no selector. */
static int next_label(struct str *rest, struct term *out)
{
	struct str token = next_token(rest);
	bool good;

	*out = (struct term){ OP_EXISTS, token, STR_NONE };
	if (token.len == 0)
		return 0;
	if (str_is(token, "!")) {
		out->op = OP_ABSENT;
		out->key = next_token(rest);
	}
	good = !is_symbol(out->key) && is_key(out->key);
	token = peek_token(*rest);
	if (good && out->op == OP_EXISTS && token.len && !str_is(token, ","))
		good = next_operator(rest, out) && (out->op == OP_IN || out->op == OP_NOT_IN ? next_set(rest, &out->values) :
											     next_value(rest, out));
	token = next_token(rest);
	if (!good || (token.len && !str_is(token, ",")) || (token.len && peek_token(*rest).len == 0))
		return -1;
	return 1;
}

/* ---- fields -------------------------------------------------------------- */

static int next_field(struct str *rest, struct term *out)
{
	struct str text;
	size_t eq;
	bool differs, twice;

	if (!str_split(rest, ',', &text))
		return 0;
	eq = str_find(text, '=');
	differs = eq > 0 && eq < text.len && text.ptr[eq - 1] == '!';
	twice = eq + 1 < text.len && text.ptr[eq + 1] == '=';
	out->op = differs ? OP_DIFFERS : OP_EQUALS;
	out->key = str_trim(str_head(text, differs ? eq - 1 : eq));
	out->values = str_from(text, eq + 1 + (twice && !differs));
	return eq < text.len && out->key.len && str_find(out->values, '=') == out->values.len ? 1 : -1;
}

/* ---- both ---------------------------------------------------------------- */

typedef int next_function(struct str *rest, struct term *out);

static int check(struct str selector, next_function *next, const char *what, struct err *err)
{
	struct str rest = selector;
	struct term t;
	int result;

	while ((result = next(&rest, &t)) > 0)
		;
	if (result == 0)
		return 0;
	return err_set(err, ERR_USAGE, "invalid %sselector: '" STR_FMT "'; can't understand '" STR_FMT "'", what,
		       STR_ARG(selector), STR_ARG(t.key.len ? t.key : selector));
}

int selectors_check(struct str labels, struct str fields, struct err *err)
{
	return check(labels, next_label, "", err) < 0 ? -1 : check(fields, next_field, "field ", err);
}

static bool one_of(struct str values, struct str value)
{
	struct str part;

	while (str_split(&values, ',', &part))
		if (str_eq(str_trim(part), value))
			return true;
	return false;
}

static bool holds(const struct term *t, bool present, struct str value)
{
	int64_t has, wanted;

	switch (t->op) {
	case OP_EQUALS:
		return present && str_eq(value, t->values);
	case OP_DIFFERS:
		return !present || !str_eq(value, t->values);
	case OP_IN:
		return present && one_of(t->values, value);
	case OP_NOT_IN:
		return !present || !one_of(t->values, value);
	case OP_EXISTS:
		return present;
	case OP_ABSENT:
		return !present;
	case OP_GREATER:
		return present && str_to_int(value, &has) && str_to_int(t->values, &wanted) && has > wanted;
	case OP_LESS:
		return present && str_to_int(value, &has) && str_to_int(t->values, &wanted) && has < wanted;
	}
	return false;
}

bool selectors_match(struct str labels, struct str fields, struct json object)
{
	struct term t;

	while (next_label(&labels, &t) > 0) {
		struct json value = json_member(json_at(object, "metadata.labels"), t.key);

		if (!holds(&t, value.node != NULL, json_str(value, "")))
			return false;
	}
	while (next_field(&fields, &t) > 0) {
		char *path = xstrndup(t.key.ptr, t.key.len);
		struct str value = json_str(object, path);

		xfree(path);
		if (!holds(&t, true, value))
			return false;
	}
	return true;
}
