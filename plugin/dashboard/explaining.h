/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which objects explain a screen: its root causes and what they block, what is shown and marked, and around all
 * these what they depend on, their parts, their controllers and the Events about them.
 */
#ifndef PLUGIN_DASHBOARD_EXPLAINING_H
#define PLUGIN_DASHBOARD_EXPLAINING_H

#include "kube/base/map.h"
#include "plugin/world.h"

enum {
	EXPLAINING_OBJECTS = 1000,	/* the most objects, with the names that do not exist */
	EXPLAINING_BLOCKED = 500		/* of these the most that a root cause holds up */
};

/* The objects, by their names, so that they can be found in the world of another moment; {0} is empty. */
struct explaining {
	struct arena arena;
	struct map known;		/* the numbers of all */
	struct object_id all[EXPLAINING_OBJECTS];
	size_t n;
	size_t left_out;		/* held up by a root cause, or shown, and left out because there are too many */
	size_t causes;			/* the number of root causes */
	int64_t began;			/* when the first of these began, ms; 0: there is none, or it is not known */
};

/* What is on the screen. */
struct explaining_shown {
	bool (*selects)(const void *ctx, struct handle h);	/* the objects that the user selected */
	const void *ctx;
	/* the objects in the rows, and those that are marked, the most important first */
	const struct handle *objects;
	size_t n;
};

/* Adds the objects of that world.  It may be called again for the same screen in the world of another moment. */
void explaining_add(struct explaining *in, const struct world *w, const struct explaining_shown *shown);
/* Returns true when the object is one of them. */
bool explaining_has(const struct explaining *in, const struct object_id *id);
/* Adds one more.  Returns false when there is no room. */
bool explaining_add_object(struct explaining *in, const struct object_id *id);
void explaining_release(struct explaining *in);
/* Returns by slot of that world 1 for each object of the incident; *out_n is the number of slots.  In the arena. */
uint8_t *explaining_slots(const struct explaining *in, const struct world *w, struct arena *arena, uint32_t *out_n);

#endif
