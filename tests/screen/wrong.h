/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SCREEN_WRONG_H
#define TESTS_SCREEN_WRONG_H

#include "tui/state/state.h"
#include "tui/view/layout.h"

#include <string.h>

/* Returns a contradiction in the state as text; NULL when there is none. */
static inline const char *ui_wrong(const struct ui *ui)
{
	const struct place *place = ui_place_const(ui);
	int rows = ui_layout(ui).list_rows;

	if (ui->depth >= PLACES || ui->places[0].view != VIEW_TABLE)
		return "places";
	if (ui->lines.n ? place->selected >= ui->lines.n : place->selected)
		return "selected";
	if (ui_selects(ui) && ui->lines.n &&
	    (place->selected < place->top || place->selected >= place->top + (size_t)(rows > 0 ? rows : 1)))
		return "scroll";
	if (ui->ntoggled > TOGGLED || ui->ncolumns > LINE_CELLS ||
	    strlen(place->filter) >= FILTER_BYTES)
		return "sizes";
	return NULL;
}

#endif
