/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/dashboard/remember.h"

#include "kube/base/file.h"
#include "plugin/output/whole_file.h"

#include <stdlib.h>

enum { LIMIT_PLACES = 64 * 1024, CONTEXTS = 200 };

/* Appends the path of the file.  Returns false when no folder is known. */
static bool file_name(struct buf *out)
{
	const char *dir = getenv("KUBECACHEDIR"), *home = getenv("HOME");

	if (dir && *dir)
		buf_printf(out, "%s/kubectl-status.places", dir);
	else if (home && *home)
		buf_printf(out, "%s/.kube/cache/kubectl-status.places", home);
	return out->len > 0;
}

/* Returns true when the context can be in a line of the file, which is the context, a tab, and the settings. */
static bool fits_a_line(struct str context)
{
	for (size_t i = 0; i < context.len; i++)
		if ((unsigned char)context.ptr[i] < ' ')
			return false;
	return context.len > 0;
}

static void read_places(struct buf *out)
{
	struct buf name = { 0 };
	int why;

	if (file_name(&name) && file_read(buf_str(&name), out, &why, &(struct err){ 0 }) < 0)
		buf_reset(out);
	buf_release(&name);
}

static bool is_of(struct str line, struct str context, struct str *out_settings)
{
	size_t tab = str_find(line, '\t');

	*out_settings = str_from(line, tab < line.len ? tab + 1 : tab);
	return tab < line.len && str_eq(str_head(line, tab), context);
}

void remember_load(struct ui *ui, struct str context)
{
	struct buf text = BUF_MAX(LIMIT_PLACES);
	struct str rest, line, settings;

	read_places(&text);
	rest = buf_str(&text);
	while (rest.len && str_split(&rest, '\n', &line))
		if (is_of(line, context, &settings))
			ui_set_settings(ui, settings);
	buf_release(&text);
}

static void replace_file(struct str text)
{
	struct buf name = { 0 };

	if (file_name(&name))
		(void)!whole_file_write(buf_cstr(&name), text, NULL);
	buf_release(&name);
}

void remember_save(const struct ui *ui, struct str context)
{
	struct buf before = BUF_MAX(LIMIT_PLACES), text = { 0 };
	struct str rest, line, settings;
	size_t n = 0;

	if (!fits_a_line(context))
		return;
	read_places(&before);
	buf_printf(&text, STR_FMT "\t", STR_ARG(context));
	ui_settings(ui, &text);
	buf_add_char(&text, '\n');
	rest = buf_str(&before);
	while (rest.len && str_split(&rest, '\n', &line))
		if (line.len && ++n < CONTEXTS && !is_of(line, context, &settings))
			buf_printf(&text, STR_FMT "\n", STR_ARG(line));
	replace_file(buf_str(&text));
	buf_release(&before);
	buf_release(&text);
}
