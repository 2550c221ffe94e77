/* SPDX-License-Identifier: Apache-2.0 */
/* What is given to other programs: the terminal to a command, the timeline to a file. */
#include "plugin/dashboard/dashboard.h"

#include "kube/base/child.h"
#include "kube/base/file.h"
#include "kube/base/shell.h"
#include "kube/base/time.h"
#include "plugin/clock.h"
#include "plugin/output/plain.h"
#include "tui/view/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT MIB(1)	/* the bytes of a command's output that are kept, from its end */

/* ---- a command ------------------------------------------------------------------ */

/* Gives the terminal to a command of the shell until it ends.  What it writes to descriptor 3 is appended to told. */
static struct shell_end run_shell(struct dashboard *d, const char *line, struct buf *told)
{
	struct shell_end end;

	term_leave(d->term);
	end = child_shell(line, told);
	term_return(d->term);
	shown_resize(d);
	return end;
}

/*
 * Shows why another program failed.  Returns false when it did not, or the user ended it.  As in a shell, an exit
 * status above 128 stands for a signal.
 */
static bool say_failure(struct dashboard *d, struct str what, struct shell_end end)
{
	enum { SIGNALS = 128, NO_PROGRAM = 126, NOT_FOUND = 127 };
	int number = end.signal ? end.signal : end.code > SIGNALS ? end.code - SIGNALS : 0;
	struct str why;

	if (number == SIGINT || number == SIGPIPE || (!end.error && !end.code && !number))
		return false;
	if (end.error)
		why = arena_printf(&d->frame, "cannot be started: %s", strerror(end.error));
	else if (number)
		why = arena_printf(&d->frame, "was ended by signal %d", number);
	else if (end.code == NOT_FOUND || end.code == NO_PROGRAM)
		why = end.code == NOT_FOUND ? STR("is not found") : STR("is not executable");
	else
		why = arena_printf(&d->frame, "failed with exit status %d", end.code);
	/* The reason stands first, so that it is not cut. */
	ui_say(d->ui, arena_printf(&d->frame, STR_FMT ": " STR_FMT, STR_ARG(why), STR_ARG(what)), clock_now());
	return true;
}

/* Returns the user's $PAGER; "" when it is not set. */
static struct str pager_wanted(void)
{
	return str_trim(str_of(getenv("PAGER")));
}

static bool has_pager(struct str pager)
{
	struct buf path = { 0 };
	struct str program;
	bool found = str_split(&pager, ' ', &program) && child_look_path(program, &path);

	buf_release(&path);
	return found;
}

/* Returns the exit status of the command ('c') or of the pager ('p'), of which the shell reports each in a line: "c1" and "p0". */
static struct shell_end end_told(struct str told, char of)
{
	struct shell_end end = { 0 };
	struct str line;
	int64_t code;

	while (str_split(&told, '\n', &line))
		if (line.len && line.ptr[0] == of && str_to_int(str_from(line, 1), &code))
			end.code = (int)code;
	return end;
}

/*
 * Runs a command and shows its output and errors in the pager.  The command cannot ask the user anything, because the
 * pager reads the keys.  When the pager is cat, a key is waited for, so that the output can be read; when it is less,
 * -F is turned off for the same reason, and its prompt says how to come back, because Esc is only the beginning of a
 * key there.
 */
static void run_in_pager(struct dashboard *d, struct str command)
{
	static const char pager[] = "p=$PAGER; case ${p%% *} in less|*/less) p=\"$p -+F -+X\"; "
				    "LESS='-P?e(END) .q\\: back$ '$LESS; export LESS;; esac; ",
			  wait[] = "case ${p##*/} in cat|'cat '*) printf '\\n(any key: back)'; s=$(stty -g </dev/tty); "
				   "stty -icanon -echo min 1 </dev/tty; dd bs=16 count=1 </dev/tty >/dev/null 2>&1; "
				   "stty \"$s\" </dev/tty;; esac; :";
	struct arena a = { 0 };
	struct str of = STR_NONE, word = shell_word(command, &a);
	struct buf line = { 0 }, told = { 0 };
	struct shell_end end;

	if (ui_alike(d->ui) > 1) /* print first which of several like objects it is: what follows may be its log */
		of = arena_printf(&a, "printf '1 of %u: %%s\n\n' " STR_FMT "; ", ui_alike(d->ui), STR_ARG(word));
	buf_printf(&line, "%s{ { " STR_FMT STR_FMT "; } </dev/null 2>&1 3>&-; echo c$? >&3; } | { $p 3>&-; echo p$? >&3; }; %s",
		   pager, STR_ARG(of), STR_ARG(command), wait);
	end = run_shell(d, buf_cstr(&line), &told);
	if (!say_failure(d, command, end) && !say_failure(d, pager_wanted(), end_told(buf_str(&told), 'p')))
		say_failure(d, command, end_told(buf_str(&told), 'c'));
	buf_release(&line);
	buf_release(&told);
	arena_release(&a);
}

static void show_complaint(void *terminal, struct str text)
{
	term_write(terminal, text);
}

/*
 * Runs a command and shows its output afterwards.  The command has the terminal meanwhile: its questions can be
 * answered, and C-c ends it.
 */
static struct shell_end run_and_show(struct dashboard *d, struct str command)
{
	struct buf line = { 0 }, printed = { 0 };
	struct str shown, of = STR_NONE;
	struct shell_end end;
	bool cut;

	buf_add(&line, command);
	term_leave(d->term);
	term_write(d->term, arena_printf(&d->frame, "$ " STR_FMT "\n", STR_ARG(command)));
	end = child_shell_output(buf_cstr(&line), OUTPUT, &printed, show_complaint, d->term);
	term_return(d->term);
	shown_resize(d);
	shown = buf_str(&printed);
	cut = shown.len >= OUTPUT;
	if (cut) {
		shown = str_from(shown, shown.len - OUTPUT);
		shown = str_from(shown, str_find(shown, '\n') + 1);
	}
	if (ui_alike(d->ui) > 1)
		of = arena_printf(&d->frame, "1 of %u", ui_alike(d->ui));
	if (cut)
		of = arena_printf(&d->frame, STR_FMT "%sonly its last MiB", STR_ARG(of), of.len ? ", " : "");
	if (!end.error)
		ui_show_output(d->ui, buf_str(&line), shown, of);
	buf_release(&line);
	buf_release(&printed);
	return end;
}

void programs_look(struct dashboard *d)
{
	struct str pager = pager_wanted(), command = arena_str(&d->frame, ui_copy_text(d->ui));

	if (has_pager(pager))
		run_in_pager(d, command);
	else if (!say_failure(d, command, run_and_show(d, command)) && pager.len)
		ui_say(d->ui, arena_printf(&d->frame, "shown here: $PAGER is not found: " STR_FMT, STR_ARG(pager)), clock_now());
}

/* ---- a file -------------------------------------------------------------------------- */

/* Writes a line for each entry. */
static void write_entries(const struct timeline_entry *e, size_t n, struct buf *out)
{
	char text[TIME_TEXT];

	for (size_t i = 0; i < n; i++) {
		const struct str cells[] = { str_of(time_format(e[i].time, text)), e[i].name, e[i].id.ns, e[i].id.cluster, e[i].what,
					     str_of(e[i].source) };

		for (size_t k = 0; k < sizeof(cells) / sizeof(cells[0]); k++) {
			if (!cells[k].len)
				continue;
			buf_add_cstr(out, k ? "  " : "");
			plain_safe(cells[k], out);
		}
		buf_add_char(out, '\n');
	}
}

/* Creates a file with mode 0600.  Returns -1 with ERR_SYSTEM when it exists or cannot be created. */
static int write_new(const char *path, struct str text, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int code;

	if (fd < 0)
		return err_set(err, ERR_SYSTEM, "%s: %s", path, errno == EEXIST ? "it exists already, choose another name" : strerror(errno));
	code = file_write_all(fd, text);
	if (code)
		unlink(path);
	if (close(fd) < 0 && !code)
		code = errno;
	return code ? err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(code)) : 0;
}

/* A leading "~/" is the user's home. */
void programs_export(struct dashboard *d)
{
	struct scene scene = shown_scene(d);
	struct arena a = { 0 };
	struct buf path = { 0 }, text = { 0 };
	struct err err = { 0 };
	size_t n;
	const struct timeline_entry *entries = ui_timeline(d->ui, &scene, &a, &n);
	struct str file = ui_export_file(d->ui);
	const char *home = str_starts(file, "~/") ? getenv("HOME") : NULL;

	BUF_JOIN(&path, str_of(home), str_from(file, home ? 1 : 0));
	write_entries(entries, n, &text);
	if (write_new(buf_cstr(&path), buf_str(&text), &err) < 0)
		shown_say_err(d, "not written", &err);
	else
		ui_say(d->ui, arena_printf(&a, "%zu entries written to " STR_FMT, n, STR_ARG(file)), clock_now());
	buf_release(&path);
	buf_release(&text);
	arena_release(&a);
	d->effects |= EFFECT_REPAINT;
}
