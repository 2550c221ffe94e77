/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs of containers in files: in what must-gather (oc adm inspect), "kubectl cluster-info dump" and troubleshoot's support
 * bundle write, as folders, archives or one text.  Nothing of them is kept: they are read again when somebody looks, and of
 * each only its end.
 */
#ifndef PLUGIN_FILE_LOGS_H
#define PLUGIN_FILE_LOGS_H

#include "plugin/dashboard/fetch_logs.h"
#include "plugin/files.h"

enum { FILE_LOGS = 64 };	/* the most logs that are read at once; of each the last LIMIT_LOG_READ bytes */

/* A Pod whose logs are looked for. */
struct file_pod {
	struct str ns, name;
	struct log_source sources[LOG_SOURCES];	/* what the Pod itself says of its containers, where the files have it */
	size_t nsources;
};

struct file_log {
	size_t pod;	/* its place among the Pods */
	struct log_source source;
	struct str text;
	unsigned lines;	/* the number of lines of text, which is only the end of the log; 0: it is all of it */
};

/*
 * Reads the logs of Pods: in the order of these, and of each what explains its state first.  The texts are in the arena.  Returns
 * their number.
 */
size_t file_logs_read(const struct files *f, struct file_pod *pods, size_t npods, struct arena *arena, struct file_log out[FILE_LOGS]);

#endif
