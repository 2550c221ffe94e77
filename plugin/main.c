/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/base/child.h"
#include "kube/base/system.h"
#include "plugin/changed.h"
#include "plugin/dashboard/history.h"
#include "plugin/help/help.h"
#include "plugin/preferences.h"
#include "plugin/program.h"
#include "plugin/user_rules.h"
#include "plugin/signals.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Forbids core files, because credentials are in memory, and turns fatal signals of writes into errors. */
static void protect(void)
{
	system_forbid_dumps();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a write beyond the limit of file sizes fails instead, and is reported */
}

/*
 * Opens the standard descriptors that are closed.  Otherwise the next socket would get the number, and then what is
 * printed.  Each is opened the wrong way round, so that its use stays an error (EBADF).
 */
static void occupy_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

static int fail(const struct err *err)
{
	say_error(err);
	return err->code == ERR_USAGE ? 2 : 1;
}

static int run(struct program *p, struct err *err)
{
	int status = rules_asked(&p->options) ? rules_command(p, err) : run_program(p, err);

	if (status < 0)
		status = fail(err);
	if (program_end_recordings(p, err) < 0 && status == 0)
		status = p->source->facts(p).told_record_failed ? 1 : fail(err);
	if (p->out.error) {
		err_set(err, ERR_SYSTEM, "write standard output: %s", strerror(p->out.error));
		status = fail(err);
	}
	return status;
}

/* Fills in from the preferences what the command line does not set. */
static void prefer(struct options *o, const struct preferences *preferences)
{
	if (!o->columns && preferences->columns[0] && (o->format == FORMAT_NONE || o->format == FORMAT_TABLE))
		o->columns = preferences->columns;
}

int main(int argc, char **argv)
{
	struct program p = { .source = &source_files, .out = { .fd = STDOUT_FILENO } };
	struct err err = { 0 };
	int status;

	occupy_standard_descriptors();
	setlocale(LC_CTYPE, "");	/* only LC_CTYPE, so that numbers stay as JSON writes them */
	system_return_blocks();
	protect();
	if (complete_is_asked(argc, argv))
		return complete_run(argc, argv);
	if (options_parse(argc, argv, &p.options, &err) < 0)
		return fail(&err);
	status = help_run(&p.options, argv[0], &p.out, &err);
	if (status > 0 && p.out.error)
		status = err_set(&err, ERR_SYSTEM, "write standard output: %s", strerror(p.out.error));
	if (status)
		return status < 0 ? fail(&err) : 0;
	if (preferences_load(&p.preferences, &err) < 0)
		p.preferences_wrong = err;
	if (p.preferences_wrong.code != ERR_NONE && rules_asked(&p.options))
		return fail(&p.preferences_wrong);
	prefer(&p.options, &p.preferences);
	if (options_check_sort(&p.options, &err) < 0)
		return fail(&err);
	world_init(&p.world, p.options.filename.n > 0);
	status = rules_load(&p, &err) < 0 ? fail(&err) : run(&p, &err);
	p.source->close(&p);
	changed_free(p.changed);
	history_free(p.past);
	http_free(p.http);
	child_see_off_all();
	gaps_release(&p.gaps);
	latest_free(p.latest);
	changelog_free(p.changelog);
	alert_release(&p.alert);
	buf_release(&p.files_events);
	buf_release(&p.flaws);
	query_release(&p.query);
	world_release(&p.world);
	options_release(&p.options);
	buf_release(&p.out.buf);
	if (p.signal)
		signals_die(p.signal);
	return status;
}
