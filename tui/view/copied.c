/* SPDX-License-Identifier: Apache-2.0 */
/* The view of the copied text, where the terminal has no clipboard: there the user can select it. */
#include "tui/view/place.h"

void ui_show_copy(struct ui *ui)
{
	ui_go(ui, VIEW_TEXT, HANDLE_NONE);
}

static void text_build(struct ui *ui, const struct scene *scene, struct lines *lines)
{
	(void)scene;
	lines_wrap(lines, buf_str(&ui->copy), (struct text){ STR(" "), STR(" "), STYLE_NORMAL }, ui->cols - 1);
}

const struct view view_text = { .title = "to select and copy", .build = text_build };
