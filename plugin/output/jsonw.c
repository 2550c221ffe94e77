/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/jsonw.h"

#include "kube/base/time.h"
#include "kube/model/json.h"

#include <math.h>

static void new_line(struct jsonw *w)
{
	if (!w->pretty)
		return;
	buf_add_char(w->out, '\n');
	for (int i = 0; i < w->depth; i++)
		buf_add_cstr(w->out, "    ");
}

static void element(struct jsonw *w, const char *key)
{
	if (w->started)
		buf_add_char(w->out, ',');
	w->started = true;
	if (w->depth)
		new_line(w);
	if (key) {
		json_quote(w->out, str_of(key), JSON_QUOTE_TERMINAL);
		buf_add_char(w->out, ':');
		if (w->pretty)
			buf_add_char(w->out, ' ');
	}
}

void jsonw_open(struct jsonw *w, const char *key, char bracket)
{
	element(w, key);
	buf_add_char(w->out, bracket);
	w->depth++;
	w->started = false;
}

void jsonw_close(struct jsonw *w, char bracket)
{
	w->depth--;
	if (w->started)
		new_line(w);
	buf_add_char(w->out, bracket);
	w->started = true;
}

void jsonw_string(struct jsonw *w, const char *key, struct str text)
{
	element(w, key);
	json_quote(w->out, text, JSON_QUOTE_TERMINAL);
}

void jsonw_text(struct jsonw *w, const char *key, struct str text)
{
	if (text.len)
		jsonw_string(w, key, text);
}

void jsonw_int(struct jsonw *w, const char *key, int64_t value)
{
	element(w, key);
	buf_printf(w->out, "%lld", (long long)value);
}

void jsonw_number(struct jsonw *w, const char *key, double value)
{
	element(w, key);
	if (value == floor(value) && fabs(value) < 1e15)
		buf_printf(w->out, "%.0f", value);
	else
		buf_printf(w->out, "%.6g", value);
}

void jsonw_bool(struct jsonw *w, const char *key, bool value)
{
	element(w, key);
	buf_add_cstr(w->out, value ? "true" : "false");
}

void jsonw_time(struct jsonw *w, const char *key, int64_t ms)
{
	char text[TIME_TEXT];

	if (ms)
		jsonw_string(w, key, str_of(time_format(ms, text)));
}

void jsonw_raw(struct jsonw *w, const char *key, struct str json)
{
	element(w, key);
	buf_add(w->out, json);
}
