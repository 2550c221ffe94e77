/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command "mcp": a server of the Model Context Protocol (https://modelcontextprotocol.io/specification/2025-06-18) on
 * standard input
 * and output, for agents.  It only reads.
 */
#ifndef PLUGIN_MCP_H
#define PLUGIN_MCP_H

#include "plugin/program.h"

/*
 * Returns true when the only argument is "mcp", and no person types: on a terminal, and with -o, it is the TYPE of that
 * name, which
 * OpenShift has (machineconfigpools).
 */
bool mcp_asked(const struct options *o);
/*
 * Serves until standard input ends or a signal comes.  The world is that of p->live, which is not connected yet, or without
 * it one that is
 * read.  Returns an exit status, or -1 with err.
 */
int run_mcp(struct program *p, struct err *err);

#endif
