/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/help/help.h"

#include "kube/base/file.h"
#include "kube/base/nearest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The scripts, as the files in plugin/help/complete have them for a program that is called kubectl-status.  Each passes the
 * words up to the cursor to "kubectl-status __complete", which answers with a line for each candidate and a last line, ":0"
 * when the shell shall complete file names.
 */
static const char *const bash_script[] = {
#include "complete/bash.def"
	NULL
};
static const char *const zsh_script[] = {
#include "complete/zsh.def"
	NULL
};
static const char *const fish_script[] = {
#include "complete/fish.def"
	NULL
};

static void add_function_name(struct buf *out, const char *file)
{
	for (const char *c = file; *c; c++)
		buf_add_char(out, (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ? *c : '_');
}

/* Adds a script with the name of the program, which is also a part of the names of functions, in place of its usual one. */
static void add_script(struct buf *out, const char *const *script, const char *file)
{
	const struct str name = STR("kubectl-status"), function = STR("kubectl_status");

	for (; *script; script++)
		for (struct str rest = str_of(*script); rest.len;) {
			bool is_name = str_starts(rest, name.ptr), is_function = str_starts(rest, function.ptr);

			if (is_name)
				buf_add_cstr(out, file);
			else if (is_function)
				add_function_name(out, file);
			else
				buf_add_char(out, rest.ptr[0]);
			rest = str_from(rest, is_name || is_function ? name.len : 1);
		}
}

static void add_bash(struct buf *out, const char *file)
{
	add_script(out, bash_script, file);
}

static void add_zsh(struct buf *out, const char *file)
{
	add_script(out, zsh_script, file);
}

static void add_fish(struct buf *out, const char *file)
{
	add_script(out, fish_script, file);
}

static void add_manual(struct buf *out, const char *file)
{
	manual_print(out, file);
}

/* A text that "completion NAME" prints, and the place where install puts it for one user. */
static const struct script {
	const char *name;
	void (*add)(struct buf *out, const char *file);
	/* the directory that the variable names, else the other one below $HOME */
	const char *variable, *otherwise;
	const char *before, *after;		/* the parts of the file's name before and after that of the program */
	const char *note;
} scripts[] = {
	{ "bash", add_bash, "XDG_DATA_HOME", ".local/share", "bash-completion/completions/", "", "" },
	{ "zsh", add_zsh, "XDG_DATA_HOME", ".local/share", "zsh/site-functions/_", "",
	  " (zsh reads it when this directory is in $fpath)" },
	{ "fish", add_fish, "XDG_CONFIG_HOME", ".config", "fish/completions/", ".fish", "" },
	{ "man", add_manual, "XDG_DATA_HOME", ".local/share", "man/man1/", ".1", "" },
};

enum { SCRIPTS = sizeof(scripts) / sizeof(scripts[0]) };

/* ---- install, uninstall ---------------------------------------------------- */

struct install {
	const char *file;	/* the program's file name */
	bool remove;
	struct output *out;
	struct err *err;
};

static int fail(struct install *in, const char *what, const char *name)
{
	return err_set(in->err, ERR_SYSTEM, "%s %s: %s", what, name, strerror(errno));
}

static int make_parents(struct install *in, char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return fail(in, "make", path);
		*p = '/';
	}
	return 0;
}

static int write_file(struct install *in, const char *name, struct str text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int result;

	if (fd < 0)
		return fail(in, "write", name);
	result = file_write_all(fd, text) ? fail(in, "write", name) : 0;
	close(fd);
	return result;
}

static int remove_file(struct install *in, const char *name)
{
	if (unlink(name) == 0)
		buf_printf(&in->out->buf, "removed %s\n", name);
	else if (errno != ENOENT && errno != ENOTDIR)
		return fail(in, "remove", name);
	return 0;
}

static int install_script(struct install *in, const struct script *s)
{
	const char *dir = getenv(s->variable), *home = getenv("HOME");
	struct buf name = { 0 }, text = { 0 };
	int result = 0;

	if (dir && dir[0] == '/')
		buf_add_cstr(&name, dir);
	else if (home && *home)
		buf_printf(&name, "%s/%s", home, s->otherwise);
	else
		return err_set(in->err, ERR_INPUT, "$HOME is not set, so there is no place to install to");
	buf_printf(&name, "/%s%s%s", s->before, in->file, s->after);
	if (in->remove) {
		result = remove_file(in, buf_cstr(&name));
	} else {
		s->add(&text, in->file);
		result = make_parents(in, name.ptr);
		if (result == 0)
			result = write_file(in, buf_cstr(&name), buf_str(&text));
		if (result == 0)
			buf_printf(&in->out->buf, "installed %s%s\n", buf_cstr(&name), s->note);
	}
	buf_release(&name);
	buf_release(&text);
	return result;
}

/* Appends the directory of the program, with a slash at the end; nothing when it is not known. */
static void own_directory(const char *program, struct buf *out)
{
	struct str path = str_of(getenv("PATH")), dir;

	if (strchr(program, '/')) {
		buf_add(out, str_head(str_of(program), str_rfind(str_of(program), '/') + 1));
		return;
	}
	while (str_split(&path, ':', &dir)) {
		if (dir.len == 0)
			dir = STR(".");
		buf_reset(out);
		BUF_JOIN(out, dir, STR("/"), str_of(program));
		if (access(buf_cstr(out), X_OK) == 0) {
			buf_reset(out);
			BUF_JOIN(out, dir, STR("/"));
			return;
		}
	}
	buf_reset(out);
}

/*
 * Makes a link kubectl_complete-NAME beside the program, in a directory where kubectl finds the program: kubectl looks
 * for that name in $PATH.
 */
static int install_for_kubectl(struct install *in, const char *program)
{
	struct buf name = { 0 };
	char target[256];
	ssize_t n;
	int result = 0;

	if (!str_starts(str_of(in->file), "kubectl-"))
		return 0;
	own_directory(program, &name);
	buf_printf(&name, "kubectl_complete-%s", in->file + strlen("kubectl-"));
	n = readlink(buf_cstr(&name), target, sizeof(target) - 1);
	if (in->remove) {
		if (n > 0 && str_eq((struct str){ target, (size_t)n }, str_of(in->file)))
			result = remove_file(in, buf_cstr(&name));
	} else if (n < 0 && symlink(in->file, buf_cstr(&name)) < 0) {
		result = fail(in, "make the link", buf_cstr(&name));
	} else {
		buf_printf(&in->out->buf, "installed %s (for \"%s\" itself)\n", buf_cstr(&name), "kubectl");
	}
	buf_release(&name);
	return result;
}

/* ---- the words after "completion" ------------------------------------------- */

static int unknown(const struct options *o, struct err *err)
{
	struct nearest near = { .typed = str_of(o->nargs > 1 ? o->args[1] : "") };

	for (size_t i = 0; i < SCRIPTS; i++)
		nearest_offer(&near, str_of(scripts[i].name));
	nearest_offer(&near, STR("install"));
	nearest_offer(&near, STR("uninstall"));
	if (o->nargs > 2)
		return err_set(err, ERR_USAGE, "completion takes one argument, not %zu", o->nargs - 1);
	if (o->nargs > 1)
		err_set(err, ERR_USAGE, "unknown argument \"%s\" for completion", o->args[1]);
	else
		err_set(err, ERR_USAGE, "completion needs an argument");
	return nearest_hint(&near, err, "bash, zsh, fish or man print one of them; install puts all in their places, uninstall removes them");
}

int completion_run(const struct options *o, const char *program, struct output *out, struct err *err)
{
	struct install in = { .file = o->file, .out = out, .err = err };

	for (size_t i = 0; i < SCRIPTS; i++)
		if (o->nargs == 2 && strcmp(o->args[1], scripts[i].name) == 0) {
			scripts[i].add(&out->buf, o->file);
			return 0;
		}
	if (o->nargs != 2 || (strcmp(o->args[1], "install") && strcmp(o->args[1], "uninstall")))
		return unknown(o, err);
	in.remove = o->args[1][0] == 'u';
	for (size_t i = 0; i < SCRIPTS; i++)
		if (install_script(&in, &scripts[i]) < 0)
			return -1;
	return install_for_kubectl(&in, program);
}
