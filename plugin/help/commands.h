/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program, for --help and the manual. */
#ifndef PLUGIN_HELP_COMMANDS_H
#define PLUGIN_HELP_COMMANDS_H

/* One use of a command: "rules", "show GROUP". */
struct command_row {
	const char *command, *args, *what;
};
/* All of them in order; a row without a command ends them. */
extern const struct command_row help_commands[];

#endif
