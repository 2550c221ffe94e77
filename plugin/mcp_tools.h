/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of the Model Context Protocol server: each reads, and answers in at most MCP_BYTES of text and as many of JSON. */
#ifndef PLUGIN_MCP_TOOLS_H
#define PLUGIN_MCP_TOOLS_H

#include "kube/model/document.h"
#include "plugin/program.h"

enum { MCP_BYTES = 4000 };

struct mcp_answer {
	struct buf text;	/* what a cluster tells is inline code, or stands behind "| " */
	struct buf data;	/* the same as section "JSON" of the manual has it; "": there is none */
	bool failed;		/* text says why */
};

struct mcp_tool {
	const char *name, *title, *what;
	/* The arguments, as properties of a JSON schema, which is JSON text. */
	const char *properties, *required;
	/* Answers; NULL: the answer has to be asked of the cluster, with the path that mcp_log_path() returns. */
	void (*run)(struct program *p, struct json arguments, struct mcp_answer *out);
};
/* Returns false, with the answer, when the arguments are not what the schema of the tool says. */
bool mcp_arguments_fit(const struct mcp_tool *tool, struct json arguments, struct mcp_answer *out);
/* Returns the tools, and behind the last one a row whose name is NULL. */
const struct mcp_tool *mcp_tools(void);

/* Appends the path of the log that is asked for, and sets its session.  Returns false, with the answer, when there is none. */
bool mcp_log_path(struct program *p, struct json arguments, struct session **out_session, struct buf *path, struct mcp_answer *out);
/* Answers with a log: its end, as much as there is room for. */
void mcp_take_log(struct str log, struct mcp_answer *out);
void mcp_fail(struct mcp_answer *out, struct str why);

#endif
