/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/files.h"
#include "plugin/options.h"
#include "plugin/show.h"
#include "kube/base/time.h"
#include <locale.h>
#include <stdio.h>
#include <time.h>
#include <signal.h>

int main(int argc, char **argv)
{
	struct options o;
	struct world w;
	struct query q = { 0 };
	struct err err = { 0 };
	struct output out = { .fd = 1 };
	struct timespec now;
	int status = 0;

	setlocale(LC_ALL, "");
	signal(SIGPIPE, SIG_IGN);
	if (options_parse(argc, argv, &o, &err) < 0) {
		fprintf(stderr, "error: %s\n", err.msg);
		return 2;
	}
	world_init(&w);
	clock_gettime(CLOCK_REALTIME, &now);
	w.now = o.as_of ? time_parse(str_of(o.as_of)) : now.tv_sec * 1000;
	q.offline = true;
	q.options = &o;
	q.labels = str_of(o.selector);
	q.fields = str_of(o.field_selector);
	if (files_load(&(struct files){ o.filename.values, o.recursive }, &w, &q, &err) < 0 ||
	    query_init(&q, &o, &w, &err) < 0) {
		fprintf(stderr, "error: %s\n", err.msg);
		status = 1;
	} else {
		world_settle(&w);
		show(&w, &q, &out);
		if (o.exit_code)
			status = show_health(&w, &q);
	}
	query_release(&q);
	world_release(&w);
	options_release(&o);
	buf_release(&out.buf);
	return status;
}
