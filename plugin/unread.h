/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the query could not be read at all, which is exit status 1 and never healthy: a namespace that does not exist,
 * a TYPE that was named, or everything.
 */
#ifndef PLUGIN_UNREAD_H
#define PLUGIN_UNREAD_H

#include "plugin/program.h"

/*
 * Returns those namespaces of the query that the server says do not exist and in which nothing was found, with commas between them,
 * in the arena.
 */
struct str unread_namespaces(const struct program *p, struct arena *arena);
/* Returns true when the query names namespaces, and these are all of them. */
bool unread_no_namespace(const struct program *p);
/* Returns true for a moment of a recording at which nothing had been read yet. */
bool unread_yet(const struct program *p);
/* Returns true when nothing of what the query asks for could be read. */
bool unread_everything(const struct program *p);
/*
 * Adds a notice while the namespace of the query does not exist, and removes it when it does.  Call it before notices
 * are shown.
 */
void unread_note(struct program *p);
/*
 * Returns true when a notice tells that some of what was asked for could not be read, for another reason than permissions:
 * a kind, a group of kinds, an object.  Call it after unread_note().
 */
bool unread_some(const struct program *p);
/*
 * With --exit-code, --problems or --for: prints a line for each of these and marks its notice as printed.  Returns true when
 * there was one: the exit status is 1.  Call it after unread_say().
 */
bool unread_say_some(struct program *p);
/*
 * Prints what could not be read, in lines that begin as kubectl's errors do, and marks its notices as printed.  Returns
 * true when there was something: the exit status is 1.  Call it after unread_note(), when all lists have ended.
 */
bool unread_say(struct program *p);
/* Prints that nothing has failed in a part of the selection alone, where other kinds of it could not be read. */
void unread_say_rest(struct program *p);

#endif
