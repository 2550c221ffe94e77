/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/help/help.h"

#include <stddef.h>

const struct command_row help_commands[] = {
	{ "completion", "bash|zsh|fish", "Print the completion script of this shell" },
	{ "completion", "man", "Print the manual page" },
	{ "completion", "install", "Install the completions, the manual, and the link by which kubectl finds the completion" },
	{ "completion", "uninstall", "Remove what install installed" },
	{ "rules", "check FILE...", "Check files of rules and run their examples" },
	{ "mcp", "", "Serve agents by the Model Context Protocol on standard input and output, read-only; the flags choose the cluster and the scope" },
	{ "options", "", "List the flags" },
	{ "version", "", "Print the version; also with -o json, yaml or kyaml" },
	{ "help", "COMMAND", "Explain a command" },
	{ NULL, NULL, NULL }
};
