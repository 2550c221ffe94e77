/* SPDX-License-Identifier: Apache-2.0 */
/* What a list or a watch asks the server for: path, query and Accept header. */
#ifndef KUBE_API_WATCH_PATH_H
#define KUBE_API_WATCH_PATH_H

#include "kube/base/buf.h"
#include "kube/api/watch_rules.h"

struct watch_question {
	const struct subscribe *what;
	enum step step;
	struct str version;	/* to watch from */
	struct str token;	/* of the page, "" for the first one */
	bool whole;		/* a list without pages */
	int64_t seconds;	/* that a watch may last */
};

void watch_question_path(const struct watch_question *q, struct buf *out);
const char *watch_question_accept(const struct watch_question *q);

#endif
