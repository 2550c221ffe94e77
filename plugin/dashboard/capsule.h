/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a capsule: the part of what was observed that explains a screen, as a recording of its own, to hand over. */
#ifndef PLUGIN_DASHBOARD_CAPSULE_H
#define PLUGIN_DASHBOARD_CAPSULE_H

#include "plugin/dashboard/explaining.h"
#include "plugin/program.h"

/* The text of an object of which no version is kept, because it is one of very many; "": it is not known. */
typedef struct str capsule_text_of(void *ctx, const struct object_id *id);

struct capsule {
	struct explaining *incident;	/* the objects of the world at the beginning are added */
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
 * Begins to write it into the current directory, as a new file with mode 0600.  It begins a minute before the first root cause
 * of the incident, as far as that was observed, and ends now.  p and c are borrowed; the objects in p->world may change meanwhile, but
 * it must not become another one.  Free with capsule_free(), before that, too.
 */
struct capsule_writing *capsule_begin(struct program *p, const struct capsule *c);
/*
 * Does one of few steps: with 100,000 objects each takes some hundredths of a second, so that keys are answered between them.  Returns
 * 1: it goes on; 0: it is written; -1 with err: ERR_SYSTEM; then there is no file.
 */
int capsule_step(struct capsule_writing *w, struct capsule_file *out, struct err *err) MUST_USE;
/* w may be NULL. */
void capsule_free(struct capsule_writing *w);

#endif
