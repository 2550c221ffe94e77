/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/help/completion.h"

#include "kube/base/file.h"
#include "kube/base/nearest.h"
#include "plugin/help/manual.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The scripts.  FILE stands for the program's file name, FUNC for the same as part of a function's name.  Each script
 * passes the words up to the cursor to "FILE __complete", which answers with a line for each candidate and a last line,
 * ":0" when the shell shall complete file names.
 */

static const char bash_script[] =
	"# bash completion for FILE\n"
	"# Sets words to the words of $1 as the shell takes them, without running anything, and quote to the quote that is still open.\n"
	"_FUNC_split() {\n"
	"\tlocal i char word= begun=\n"
	"\twords=() quote=\n"
	"\tfor ((i = 0; i < ${#1}; i++)); do\n"
	"\t\tchar=${1:i:1}\n"
	"\t\tif [[ $quote == \\' && $char != \\' ]]; then\n"
	"\t\t\tword+=$char\n"
	"\t\telif [[ $char == \\\\ ]]; then\n"
	"\t\t\tchar=${1:$((++i)):1}\n"
	"\t\t\t[[ $quote != \\\" || $char == [\\$\\`\\\"\\\\] ]] || word+=\\\\\n"
	"\t\t\tword+=$char begun=1\n"
	"\t\telif [[ $char == \"$quote\" ]]; then\n"
	"\t\t\tquote=\n"
	"\t\telif [[ -z $quote && $char == [\\'\\\"] ]]; then\n"
	"\t\t\tquote=$char begun=1\n"
	"\t\telif [[ -z $quote && $char == [[:space:]] ]]; then\n"
	"\t\t\t[[ -z $begun ]] || words+=(\"$word\")\n"
	"\t\t\tword= begun=\n"
	"\t\telse\n"
	"\t\t\tword+=$char begun=1\n"
	"\t\tfi\n"
	"\tdone\n"
	"\twords+=(\"$word\")\n"
	"}\n"
	"# Adds $1 to COMPREPLY so that the shell takes it as it is, behind the open quote $2.\n"
	"_FUNC_add() {\n"
	"\tlocal i char text=\n"
	"\tif [[ $1 != *[^[:alnum:]._/:=@%+,-]* ]]; then\n"
	"\t\tCOMPREPLY+=(\"$1\")\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor ((i = 0; i < ${#1}; i++)); do\n"
	"\t\tchar=${1:i:1}\n"
	"\t\tcase $2:$char in\n"
	"\t\t\"':'\" | '\":!') text+=$2\\\\$char$2 ;;\n"
	"\t\t'\":'[\\$\\`\\\"\\\\]) text+=\\\\$char ;;\n"
	"\t\t[\\'\\\"]:* | :[[:alnum:]._/:=@%+,-]) text+=$char ;;\n"
	"\t\t*) text+=\\\\$char ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\t# readline takes a quote at the beginning for the one that is open, and one at the end for the one that closes it\n"
	"\t[[ -z $2 || $text != \"$2\"* ]] || text=$2$text\n"
	"\t[[ -z $2 || $text != *\"$2\" ]] || text+=$2\n"
	"\tCOMPREPLY+=(\"$text\")\n"
	"}\n"
	"_FUNC() {\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} words quote open kept prefix= lines i\n"
	"\t# readline replaces $2, which begins behind an opening quote or behind one of $COMP_WORDBREAKS\n"
	"\t_FUNC_split \"${line%\"$2\"}\"\n"
	"\tkept=${words[-1]} open=$quote\n"
	"\t_FUNC_split \"$line\"\n"
	"\tmapfile -t lines < <(\"${words[0]}\" __complete \"${words[@]:1}\" 2>/dev/null)\n"
	"\tCOMPREPLY=()\n"
	"\t[[ ${#lines[@]} -gt 0 ]] || return\n"
	"\tif [[ ${lines[-1]} == :0 ]]; then\n"
	"\t\tcompopt -o default\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t[[ ${words[-1]} != --*=* ]] || prefix=${words[-1]%%=*}=\n"
	"\tfor i in \"${lines[@]::${#lines[@]}-1}\"; do\n"
	"\t\ti=$prefix${i%%$'\\t'*}\n"
	"\t\t_FUNC_add \"${i:${#kept}}\" \"$open\"\n"
	"\tdone\n"
	"}\n"
	"complete -F _FUNC FILE\n";

static const char zsh_script[] =
	"#compdef FILE\n"
	"_FUNC() {\n"
	"\tlocal line\n"
	"\tlocal -a lines names descriptions\n"
	"\tlines=(\"${(@f)$(\"${(Q)words[1]}\" __complete \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
	"\tcompset -P '--*='\n"
	"\tif [[ ${lines[-1]} == :0 ]]; then\n"
	"\t\t_files\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tlines[-1]=()\n"
	"\tfor line in $lines; do\n"
	"\t\tnames+=(\"${line%%$'\\t'*}\")\n"
	"\t\tdescriptions+=(\"${line//$'\\t'/  -- }\")\n"
	"\tdone\n"
	"\tcompadd -d descriptions -a names\n"
	"}\n"
	"if [[ ${funcstack[1]} == _FILE ]]; then _FUNC \"$@\"; else compdef _FUNC FILE; fi\n";

static const char fish_script[] =
	"# fish completion for FILE\n"
	"function __FUNC_complete\n"
	"\tset -l cur (commandline -ct)\n"
	"\tset -l words (commandline -opc) \"$cur\"\n"
	"\tfor quote in '' \\' '\"'\n"
	"\t\tif set -l plain (string unescape -- \"$cur$quote\")\n"
	"\t\t\tset words[-1] \"$plain\"\n"
	"\t\t\tbreak\n"
	"\t\tend\n"
	"\tend\n"
	"\tset -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)\n"
	"\tset -l prefix (string match -r -- '^--[^=]*=' $words[-1]; or echo)\n"
	"\tif test \"$lines[-1]\" = :0\n"
	"\t\t__fish_complete_path (string replace -r -- '^--[^=]*=' '' $words[-1])\n"
	"\t\treturn\n"
	"\tend\n"
	"\tfor line in $prefix$lines[1..-2]\n"
	"\t\t# fish takes a tilde at the beginning of what it inserts for a home directory\n"
	"\t\tstring match -q -- '~*' $line; or printf '%s\\n' $line\n"
	"\tend\n"
	"end\n"
	"complete -c FILE -f -a '(__FUNC_complete)'\n";

static void add_function_name(struct buf *out, const char *file)
{
	for (const char *c = file; *c; c++)
		buf_add_char(out, (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ? *c : '_');
}

static void add_script(struct buf *out, const char *script, const char *file)
{
	struct str rest = str_of(script);

	while (rest.len)
		if (str_starts(rest, "FILE")) {
			buf_add_cstr(out, file);
			rest = str_from(rest, 4);
		} else if (str_starts(rest, "FUNC")) {
			add_function_name(out, file);
			rest = str_from(rest, 4);
		} else {
			buf_add_char(out, rest.ptr[0]);
			rest = str_from(rest, 1);
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
