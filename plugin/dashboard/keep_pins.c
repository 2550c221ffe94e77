/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/keep_pins.h"

#include "kube/base/file.h"
#include "plugin/output/whole_file.h"
#include "tui/ui/resume.h"

#include <errno.h>
#include <stdlib.h>

/* Bytes of the file, and contexts of which pins are kept. */
enum { LIMIT_PINS = 1024 * 1024, CONTEXTS = 200 };

static bool file_name(struct buf *out)
{
	const char *home = getenv("HOME");

	if (home && *home)
		buf_printf(out, "%s/.kube/kubectl-status.pins.json", home);
	return out->len > 0;
}

/* Returns the names of the contexts that are shown, by the index of the cluster; in the arena. */
static const struct str *contexts_of(const struct program *p, struct arena *a, size_t *out_n)
{
	const struct str *all = p->source->contexts(p, a, out_n);
	struct str *only;

	if (*out_n > 1)
		return all;
	only = arena_array(a, 1, sizeof(*only));
	*only = arena_str(a, p->source->facts(p).context);
	*out_n = 1;
	return only;
}

/* Reads the file; JSON_NONE: there is none yet. */
static int read_file(struct json *out, struct err *err)
{
	struct buf name = { 0 }, text = BUF_MAX(LIMIT_PINS);
	int why = 0, failed = 0;

	*out = JSON_NONE;
	if (file_name(&name) && file_read(buf_str(&name), &text, &why, err) < 0)
		failed = why == ENOENT ? 0 : -1;
	else if (text.len)
		failed = document_read_verbatim(buf_str(&text), out, err);
	if (!failed && out->node && !str_is(json_str(*out, "kind"), "Pins"))
		failed = err_set(err, ERR_INPUT, "it is no list of pins");
	if (failed) {
		json_free(*out);
		*out = JSON_NONE;
	}
	buf_release(&name);
	buf_release(&text);
	return failed;
}

int keep_pins_load(const struct program *p, struct ui *ui, struct err *err)
{
	struct arena a = { 0 };
	struct json doc;
	size_t n;
	const struct str *contexts = contexts_of(p, &a, &n);
	int failed = read_file(&doc, err);

	json_foreach(it, json_at(doc, "contexts"))
		for (size_t i = 0; i < n; i++)
			if (str_eq(json_str(it, "context"), contexts[i]))
				ui_resume_pins(ui, n > 1 ? contexts[i] : STR_NONE, json_at(it, "pins"));
	json_free(doc);
	arena_release(&a);
	return failed;
}

/* Copies what the file has for other contexts. */
static void copy_others(struct json from, const struct str *contexts, size_t n, struct document to)
{
	struct buf text = { 0 };
	size_t copied = 0;

	json_foreach(it, json_at(from, "contexts")) {
		bool other = json_str(it, "context").len > 0;

		for (size_t i = 0; i < n; i++)
			other &= !str_eq(json_str(it, "context"), contexts[i]);
		if (!other || ++copied > CONTEXTS)
			continue;
		buf_reset(&text);
		json_write(it, &text);
		document_add_raw(to, NULL, buf_str(&text));
	}
	buf_release(&text);
}

int keep_pins_save(const struct program *p, const struct ui *ui, struct err *err)
{
	struct arena a = { 0 };
	struct buf text = { 0 }, name = { 0 };
	struct document doc = document_object(), list;
	struct json before;
	size_t n;
	const struct str *contexts = contexts_of(p, &a, &n);
	int failed;

	(void)!read_file(&before, &(struct err){ 0 });	/* one that is damaged is replaced */
	document_add_string(doc, "apiVersion", STR("kubectl-status/v1"));
	document_add_string(doc, "kind", STR("Pins"));
	list = document_add_array(doc, "contexts");
	for (size_t i = 0; i < n; i++) {
		struct document of = document_add_object(list, NULL);

		document_add_string(of, "context", contexts[i]);
		ui_describe_pins(ui, n > 1 ? contexts[i] : STR_NONE, document_add_array(of, "pins"));
	}
	copy_others(before, contexts, n, list);
	document_print(doc, &text);
	buf_add_char(&text, '\n');
	failed = file_name(&name) ? whole_file_write(buf_cstr(&name), buf_str(&text), err) : err_set(err, ERR_SYSTEM, "HOME is not set");
	json_free(before);
	document_free(doc);
	buf_release(&text);
	buf_release(&name);
	arena_release(&a);
	return failed;
}
