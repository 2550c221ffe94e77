/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program, as --help and the manual list them. */
#ifndef PLUGIN_HELP_COMMANDS_H
#define PLUGIN_HELP_COMMANDS_H

/* One form of a command: "rules" with the arguments "show GROUP", and what it does. */
struct command_row {
	const char *command, *args, *what;
};
/* All forms in the order of the help; a row without a command ends them. */
extern const struct command_row help_commands[];

#endif
