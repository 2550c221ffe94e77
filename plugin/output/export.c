/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/output/export.h"

#include "kube/base/arena.h"
#include "kube/base/buf.h"
#include "kube/base/time.h"
#include "kube/model/document.h"
#include "plugin/output/csv.h"
#include "plugin/output/plain.h"
#include "tui/view/markdown.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct str when(int64_t time, char text[TIME_TEXT])
{
	return str_of(time_format(time, text));
}

enum { COLUMNS = 6 };
static const char *const columns[COLUMNS] = { "time", "resource", "namespace", "cluster", "what", "source" };

static void cells_of(const struct timeline_entry *e, char text[TIME_TEXT], struct str *out)
{
	out[0] = when(e->time, text);
	out[1] = e->name;
	out[2] = e->id.ns;
	out[3] = e->id.cluster;
	out[4] = e->what;
	out[5] = str_of(e->source);
}

static void write_text(const struct timeline_entry *e, size_t n, struct buf *out)
{
	struct str cells[COLUMNS];
	char text[TIME_TEXT];

	for (size_t i = 0; i < n; i++) {
		cells_of(&e[i], text, cells);
		for (size_t k = 0; k < COLUMNS; k++) {
			if (!cells[k].len)
				continue;
			buf_add_cstr(out, k ? "  " : "");
			plain_safe(cells[k], out);
		}
		buf_add_char(out, '\n');
	}
}

static void write_markdown(const struct timeline_entry *e, size_t n, struct buf *out)
{
	char text[TIME_TEXT];

	for (size_t i = 0; i < n; i++) {
		buf_add_cstr(out, "* ");
		buf_add(out, when(e[i].time, text));
		buf_add_cstr(out, " ");
		markdown_code(out, e[i].name);
		if (e[i].id.ns.len || e[i].id.cluster.len) {
			buf_add_cstr(out, " (");
			markdown_code(out, e[i].id.cluster);
			buf_add_cstr(out, e[i].id.cluster.len && e[i].id.ns.len ? ", " : "");
			markdown_code(out, e[i].id.ns);
			buf_add_cstr(out, ")");
		}
		buf_add_cstr(out, " ");
		markdown_code(out, e[i].what);
		buf_printf(out, " _%s_\n", e[i].source);
	}
}

static void write_json(const struct timeline_entry *e, size_t n, struct buf *out)
{
	struct document_stream s = { .out = out };

	document_open(&s, NULL, '[');
	for (size_t i = 0; i < n; i++) {
		struct document entry = document_object();

		document_add_time(entry, "time", e[i].time);
		document_add_string(entry, "resource", e[i].name);
		document_add_text(entry, "namespace", e[i].id.ns);
		document_add_text(entry, "cluster", e[i].id.cluster);
		document_add_string(entry, "what", e[i].what);
		document_add_string(entry, "source", str_of(e[i].source));
		document_put(&s, entry);
	}
	document_close(&s, ']');
	buf_add_char(out, '\n');
}

static void write_csv(const struct timeline_entry *e, size_t n, struct buf *out)
{
	struct str cells[COLUMNS];
	char text[TIME_TEXT];

	csv_names(columns, COLUMNS, out);
	for (size_t i = 0; i < n; i++) {
		cells_of(&e[i], text, cells);
		csv_row(cells, COLUMNS, out);
	}
}

static const struct {
	const char *suffix;
	void (*write)(const struct timeline_entry *e, size_t n, struct buf *out);
} formats[] = { { ".md", write_markdown }, { ".json", write_json }, { ".csv", write_csv }, { "", write_text } };

static int write_file(const char *path, struct str text, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t done = 0;

	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, errno == EEXIST ? "it exists already, choose another name" : strerror(errno));
	while (done < text.len) {
		ssize_t n = write(fd, text.ptr + done, text.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
			close(fd);
			unlink(path);
			return -1;
		}
		done += (size_t)n;
	}
	if (close(fd) < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
	return 0;
}

int export_timeline(struct str name, const struct timeline_entry *entries, size_t n, struct err *err)
{
	const char *home = getenv("HOME");
	struct buf path = { 0 }, text = { 0 };
	size_t format = 0;
	int result;

	if (home && str_starts(name, "~/"))
		BUF_JOIN(&path, str_of(home), str_from(name, 1));
	else
		buf_add(&path, name);
	while (!str_ends(name, formats[format].suffix))
		format++;
	formats[format].write(entries, n, &text);
	result = write_file(buf_cstr(&path), buf_str(&text), err);
	buf_release(&path);
	buf_release(&text);
	return result;
}
