/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_STATE_EFFECT_H
#define TUI_STATE_EFFECT_H

/* What the program must do next; functions that return unsigned return a set of these. */
enum effect {
	EFFECT_REPAINT = 1 << 0,
	EFFECT_REINDEX = 1 << 1, /* the order, a filter or the view has changed; ui_refresh() does the work */
	EFFECT_FETCH = 1 << 2,	 /* the answer of ui_wants() may have changed */
	EFFECT_QUIT = 1 << 3,
	EFFECT_SUSPEND = 1 << 4,
	EFFECT_COPY = 1 << 5,  /* copy ui_copy_text() to the clipboard */
	EFFECT_REDRAW = 1 << 6, /* the terminal may be garbled: draw every cell again */
	EFFECT_PINS = 1 << 7,  /* the pins have changed: keep them for other sessions (ui_describe_pins()) */
	EFFECT_SCOPE = 1 << 8,	/* show another namespace or kind: ui_scope() */
	/*
	 * connect to another context: ui_scope().  What is shown stays until the context has answered; then call
	 * ui_reset()
	 */
	EFFECT_CONTEXT = 1 << 9,
	EFFECT_RUN = 1 << 10,	/* run the command in ui_copy_text(), and show what it prints */
	EFFECT_SEEK = 1 << 12,	/* ui_seek_time() has changed: show that moment */
	EFFECT_NEXT = 1 << 13,	/* play the recording until something changes, and stop there */
	EFFECT_BEFORE = 1 << 14, /* the step back is to what a recording has before the first observed change: go there */
	EFFECT_LATER = 1 << 18,	/* ui_later() needs what is not read yet of the history: read it, and act again */
	EFFECT_EXPORT = 1 << 15, /* write the timeline to the file ui_export_file(): timeline.h */
	EFFECT_CANCEL = 1 << 16,	/* stop waiting for the context header.opening */
	EFFECT_HAND_OVER = 1 << 17	/* write a capsule with what is on the screen: resume.h */
};

#endif
