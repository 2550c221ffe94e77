/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/view/views.h"

#define VIEW_ROW(x, id, name, takes) [VIEW_##id] = &view_##name,
const struct view *const views[VIEW_COUNT] = { VIEWS(VIEW_ROW, VIEW_NOTHING) };
#undef VIEW_ROW
