/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user has pinned to the top of the lists: objects and namespaces.  They are kept by their names, so that they are
 * found again in another session, in another world, and when they are made anew.
 */
#ifndef TUI_STATE_PINS_H
#define TUI_STATE_PINS_H

#include "tui/state/scene.h"

enum { PINS = 64 };

/* A namespace is pinned as the object Namespace of that name, whether that was read or not. */
struct pin {
	struct id id;		/* handle: the object with that name, as of pins_find(), also one that is gone; HANDLE_NONE: not known */
	uint16_t cluster;	/* the index of id.cluster; with known */
	bool known;		/* there is such a cluster */
	bool is_namespace;
	char *texts;		/* those of id, owned */
};

struct pins {
	struct pin all[PINS];
	size_t n;
};

/* Adds a copy of an id.  Returns false when there is no room, or when no object can be called that. */
bool pins_add(struct pins *p, const struct id *id);
void pins_remove(struct pins *p, size_t at);
void pins_release(struct pins *p);
/* Sets the handles of all by the store that is shown.  Call it when that may have changed. */
void pins_find(struct pins *p, const struct scene *scene);
/* Returns the index of the pin of that object alone; p->n: it has none. */
size_t pins_of(const struct pins *p, struct handle h);
/* Returns the index of the pin of a namespace; p->n: it is not pinned. */
size_t pins_of_namespace(const struct pins *p, struct str cluster, struct str ns);
/* Returns the index of the pin that holds a node of the store: its own, of what owns it, or of its namespace; p->n: none. */
size_t pins_over(const struct pins *p, const struct store *store, uint32_t slot);

#endif
