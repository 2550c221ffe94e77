/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a capsule: the part of what was observed that explains a screen, as a recording of its own, to hand over. */
#ifndef PLUGIN_DASHBOARD_CAPSULE_H
#define PLUGIN_DASHBOARD_CAPSULE_H

#include "plugin/dashboard/incident.h"
#include "plugin/program.h"

/* The text of an object of which no version is kept, because it is one of very many; "": it is not known. */
typedef struct str capsule_text_of(void *ctx, const struct object_id *id);

struct capsule {
	struct incident *incident;	/* the objects of the world at the beginning are added */
	struct str screen;		/* what is on the screen, as JSON (tui/ui/resume.h) */
	struct str context;		/* for the name of the file */
	int64_t clock;			/* the time for the name of the file, ms */
	capsule_text_of *text_of;
	void *ctx;
};

/* What was written. */
struct capsule_file {
	char name[160];
	size_t bytes, objects;
};

/*
 * Writes it into the current directory, as a new file with mode 0600.  It begins a minute before the first root cause
 * of the incident, as far as that was observed.  Returns -1 with err: ERR_SYSTEM; then there is no file.
 */
int capsule_write(struct program *p, const struct capsule *c, struct capsule_file *out, struct err *err) MUST_USE;

#endif
