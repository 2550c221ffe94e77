/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of k8s.io/apimachinery/pkg/labels and pkg/fields. */
#include "plugin/selector.h"

#include "kube/base/alloc.h"

enum operator { OP_EQUALS, OP_DIFFERS, OP_IN, OP_NOT_IN, OP_EXISTS, OP_ABSENT, OP_BROKEN };

struct term {
	enum operator op;
	struct str key, values;	/* values: comma-separated */
};

/* Up to the next comma that is not inside parentheses. */
static bool next_term(struct str *rest, struct str *out)
{
	size_t depth = 0, i = 0;

	if (rest->len == 0)
		return false;
	for (; i < rest->len; i++) {
		if (rest->ptr[i] == '(')
			depth++;
		else if (rest->ptr[i] == ')' && depth)
			depth--;
		else if (rest->ptr[i] == ',' && depth == 0)
			break;
	}
	*out = str_trim(str_head(*rest, i));
	*rest = str_from(*rest, i + 1);
	return true;
}

static struct term set_term(struct str text, const char *word, enum operator op)
{
	size_t at = str_find_str(text, word), open = str_find(text, '(');
	struct term t = { op, str_trim(str_head(text, at)), STR_NONE };

	if (open == text.len || !str_ends(text, ")") || t.key.len == 0)
		t.op = OP_BROKEN;
	else
		t.values = str_head(str_from(text, open + 1), text.len - open - 2);
	return t;
}

static struct term parse_term(struct str text)
{
	size_t eq = str_find(text, '=');
	struct term t = { OP_EQUALS, STR_NONE, STR_NONE };

	if (str_contains(text, " notin "))
		return set_term(text, " notin ", OP_NOT_IN);
	if (str_contains(text, " in "))
		return set_term(text, " in ", OP_IN);
	if (eq == text.len) {
		t.op = str_starts(text, "!") ? OP_ABSENT : OP_EXISTS;
		t.key = str_trim(str_starts(text, "!") ? str_from(text, 1) : text);
	} else {
		bool differs = eq > 0 && text.ptr[eq - 1] == '!';
		size_t value = eq + 1 < text.len && text.ptr[eq + 1] == '=' ? eq + 2 : eq + 1;

		t.op = differs ? OP_DIFFERS : OP_EQUALS;
		t.key = str_trim(str_head(text, differs ? eq - 1 : eq));
		t.values = str_trim(str_from(text, value));
	}
	if (t.key.len == 0 || str_find(t.key, ' ') < t.key.len)
		t.op = OP_BROKEN;
	return t;
}

static int check(struct str selector, bool fields, struct err *err)
{
	struct str rest = selector, text;

	while (next_term(&rest, &text)) {
		enum operator op = parse_term(text).op;

		if (op == OP_BROKEN || (fields && op > OP_DIFFERS))
			return err_set(err, ERR_USAGE, "invalid selector: '" STR_FMT "'; can't understand '" STR_FMT "'",
				       STR_ARG(selector), STR_ARG(text));
	}
	return 0;
}

int selector_check_labels(struct str selector, struct err *err)
{
	return check(selector, false, err);
}

int selector_check_fields(struct str selector, struct err *err)
{
	return check(selector, true, err);
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
	case OP_BROKEN:
		break;
	}
	return false;
}

bool selector_matches_labels(struct str selector, struct json object)
{
	struct json labels = json_at(object, "metadata.labels");
	struct str text;

	while (next_term(&selector, &text)) {
		struct term t = parse_term(text);
		struct json value = json_member(labels, t.key);

		if (!holds(&t, value.node != NULL, json_str(value, "")))
			return false;
	}
	return true;
}

bool selector_matches_fields(struct str selector, struct json object)
{
	struct str text;

	while (next_term(&selector, &text)) {
		struct term t = parse_term(text);
		char *path = xstrndup(t.key.ptr, t.key.len);
		struct str value = json_str(object, path);

		xfree(path);
		if (!holds(&t, true, value))
			return false;
	}
	return true;
}
