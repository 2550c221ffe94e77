#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/pictures/incident.svg: the demo's incident in the dashboard, as a picture that moves.

The program runs in the terminal emulator of the tests and plays demo/incident.jsonl.gz, stopped at a moment. The keys of STORY are
pressed; after each the screen is one frame. `make generated` runs this; with --check it fails where the picture would be another one.
"""
import collections
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ET

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / "tests/e2e"))

from program import Run  # noqa: E402

PICTURE = TOP / "docs/pictures/incident.svg"
RECORDING = TOP / "demo/incident.jsonl.gz"
ROWS, COLS = 24, 100
MOMENT = "2026-11-21T05:03:19Z"
TITLE = "kubectl status: an incident in the dashboard, from what is broken to what changed"

MOST = 20    # presses of one key
QUIET = 0.2  # seconds without output: the frame is whole


def shown(pattern):
    return lambda screen: re.search(pattern, "\n".join(screen.display))


def selected(pattern):
    return lambda screen: any(cells[0].bg != "default" and re.search(pattern, screen.display[row]) for row, cells in enumerate(cells_of(screen)))


# A key, pressed until something is on the screen; how it is called; for how many seconds that is shown, and what comes before it;
# what is said below the screen.
Step = collections.namedtuple("Step", "key until name seconds passing words")
STORY = [
    Step("", shown("paused 05:03:19"), "", 3.5, 0, "What failed stands first, then what waits for it, each with its cause."),
    Step("p", shown("CAUSE +BLOCKS"), "p", 2.8, 0, "The root causes, and how many resources each of them blocks."),
    Step(" ", shown("▾ .*network/net"), "Space", 3, 0, "The first of them: what it says, the next step, and what waits for it."),
    Step("j", selected("deploy(ment)?/search"), "j", 0.6, 0.2, "Another cause."),
    Step("w", shown(r"8\.0\.3 → .*8\.1\.0"), "w", 4, 0, "Why: what changed just before, whether it heals by itself, the next step."),
    Step("\r", shown(r"\[Overview\b"), "Enter", 1.2, 0, "Its details."),
    Step("\t", shown(r"\[Conditions\b"), "Tab", 2.5, 0, "Its conditions."),
    Step("q", shown("PHASE +RESOURCE"), "q", 0.8, 0.4, "Back to the table."),
    Step("{", shown("paused 05:01:19"), "{", 1.8, 1, "Back in time, a minute for each press: only one had failed then."),
    Step("]", shown("▲ Degraded +deploy(ment)?/search"), "]", 2, 0.4, "Forward, change by change: the new image cannot be pulled."),
    Step("}", shown("paused 05:03:19"), "}", 1.2, 1, "Forward, a minute for each press, to where it began."),
]

# Pixels, as in tests/screen/svg.h.
COL, ROW, BASE, PAD = 8, 18, 13, 10
SAID = 36  # the height of what is said below the screen
FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'
TEXT, BACKGROUND, BELOW = "#d0d0d0", "#1e1e1e", "#3a3a3a"

Frame = collections.namedtuple("Frame", "seconds cells key words")
Text = collections.namedtuple("Text", "row col cols fill bold underlined text")
Box = collections.namedtuple("Box", "row col cols fill")


def colour(name, default):
    if name == "default":
        return default
    if not re.fullmatch("[0-9a-f]{6}", name):
        raise ValueError("none of the 240 colours that are the same in every terminal: %s" % name)
    return "#" + name


def colours(cell):
    fore, back = colour(cell.fg, TEXT), colour(cell.bg, BACKGROUND)
    return (back, fore) if cell.reverse else (fore, back)


def boxes_of(cells, row):
    """What is painted behind the text of a row: cells of one colour beside each other."""
    begin = 0
    for col in range(1, len(cells) + 1):
        if col == len(cells) or colours(cells[col])[1] != colours(cells[begin])[1]:
            if colours(cells[begin])[1] != BACKGROUND:
                yield Box(row, begin, col - begin, colours(cells[begin])[1])
            begin = col


def texts_of(cells, row):
    """The texts of a row: cells of one style beside each other, with no more than one blank between them."""
    def blank(cell):
        return cell.data == " " and not cell.underscore

    def style(cell):
        return colours(cell)[0], cell.bold, cell.underscore

    begin = end = None  # end: behind the last cell that is not blank
    for col in range(len(cells) + 1):
        over = col == len(cells) or not blank(cells[col]) and begin is not None and style(cells[col]) != style(cells[begin])
        if begin is not None and (over or col - end > 1):
            yield Text(row, begin, end - begin, *style(cells[begin]), "".join(cell.data for cell in cells[begin:end]))
            begin = None
        if col < len(cells) and not blank(cells[col]):
            begin, end = col if begin is None else begin, col + 1


def when_shown(frames):
    """Each part of a frame, once, and the numbers of the frames that show it."""
    boxes, texts, said = {}, {}, {}
    for number, frame in enumerate(frames):
        for row, cells in enumerate(frame.cells):
            for found, parts in ((boxes, boxes_of(cells, row)), (texts, texts_of(cells, row))):
                for part in parts:
                    found.setdefault(part, []).append(number)
        said.setdefault((frame.key, frame.words), []).append(number)
    return boxes, texts, said


class Picture:
    """The frames as one SVG: what several frames share stands there once, and a rule of CSS shows and hides it."""

    def __init__(self, frames):
        self.frames = frames
        self.seconds = sum(frame.seconds for frame in frames)
        self.height = ROWS * ROW + 2 * PAD
        self.names = {}  # of the sets of frames
        self.fills = {}  # the classes of texts
        size = {"width": str(COLS * COL + 2 * PAD), "height": str(self.height + SAID)}
        self.svg = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox="0 0 %(width)s %(height)s" % size, role="img", **size)
        ET.SubElement(self.svg, "title").text = TITLE
        self.style = ET.SubElement(self.svg, "style")
        ET.SubElement(self.svg, "rect", width="100%", height="100%", rx="6", fill=BELOW)
        ET.SubElement(self.svg, "rect", width="100%", height=str(self.height), rx="6", fill=BACKGROUND)
        boxes, texts, said = when_shown(frames)
        self._layer(boxes, self._box)
        self._layer(texts, self._text)
        self._layer(said, self._said)
        self.style.text = "\n".join(self._rules())

    def _layer(self, parts, draw):
        """What the same frames show is one group."""
        groups = {}
        for part, numbers in parts.items():
            groups.setdefault(tuple(numbers), []).append(part)
        for numbers, members in groups.items():
            parent = self.svg
            if len(numbers) < len(self.frames):
                name = self.names.setdefault(numbers, "f%d" % len(self.names))
                parent = ET.SubElement(self.svg, "g", {"class": name})
            for part in members:
                draw(parent, part)

    @staticmethod
    def _box(parent, box):
        ET.SubElement(parent, "rect", x=str(PAD + box.col * COL), y=str(PAD + box.row * ROW), width=str(box.cols * COL),
                      height=str(ROW), fill=box.fill)

    def _text(self, parent, text):
        look = "fill:%s%s%s" % (text.fill, ";font-weight:bold" if text.bold else "", ";text-decoration:underline" if text.underlined else "")
        name = self.fills.setdefault(look, "t%d" % len(self.fills))
        ET.SubElement(parent, "text", {"class": name}, x=str(PAD + text.col * COL), y=str(PAD + text.row * ROW + BASE),
                      textLength=str(text.cols * COL)).text = text.text

    def _said(self, parent, said):
        key, words = said
        left, top = PAD, self.height + (SAID - ROW) // 2
        if key:
            width = (len(key) + 2) * COL
            ET.SubElement(parent, "rect", x=str(left), y=str(top), width=str(width), height=str(ROW), rx="4", fill=TEXT)
            ET.SubElement(parent, "text", x=str(left + COL), y=str(top + BASE), textLength=str(len(key) * COL), fill=BACKGROUND).text = key
            left += width + COL
        ET.SubElement(parent, "text", x=str(left), y=str(top + BASE), textLength=str(len(words) * COL), fill=TEXT).text = words

    def _rules(self):
        yield "text{white-space:pre;font:13px %s}" % FONT
        for look, name in self.fills.items():
            yield ".%s{%s}" % (name, look)
        # Whoever does not want motion, or cannot show it, sees the first frame.
        yield "g{visibility:hidden}"
        yield "%s{visibility:visible}" % ",".join(".%s" % name for numbers, name in self.names.items() if 0 in numbers)
        yield "@media (prefers-reduced-motion:no-preference){"
        yield "g{animation:%gs step-end infinite}" % round(self.seconds, 3)
        for numbers, name in self.names.items():
            yield ".%s{animation-name:%s}" % (name, name)
            yield "@keyframes %s{%s}" % (name, self._keyframes(set(numbers)))
        yield "}"

    def _keyframes(self, numbers):
        begins, before = 0, None
        rules = []
        for number, frame in enumerate(self.frames):
            now = "visible" if number in numbers else "hidden"
            if now != before:
                rules.append("%g%%{visibility:%s}" % (round(100 * begins / self.seconds, 3), now))
            begins, before = begins + frame.seconds, now
        return "".join(rules)

    def __str__(self):
        for element in self.svg.iter():
            element.tail = "\n"
        return ET.tostring(self.svg, encoding="unicode")


def cells_of(screen):
    return [[screen.buffer[row][col] for col in range(screen.columns)] for row in range(screen.lines)]


def pressed(terminal, step):
    """The frames of one step."""
    for _ in range(MOST):
        before = cells_of(terminal.screen)
        terminal.keys(step.key)
        terminal.wait(lambda _, before=before: cells_of(terminal.screen) != before if step.key else step.until(terminal.screen), quiet=QUIET)
        reached = step.until(terminal.screen)
        yield Frame(step.seconds if reached else step.passing, cells_of(terminal.screen), step.name, step.words)
        if reached:
            return
    raise AssertionError("%s: what it is pressed for is not on the screen\n%s" % (step.name, terminal.text()))


def play(run):
    """The frames of the story. run: of tests/e2e/program.py."""
    with run.screen("--replay", RECORDING, "--as-of", MOMENT, rows=ROWS, cols=COLS) as terminal:
        return [frame for step in STORY for frame in pressed(terminal, step)]


def picture(run):
    return str(Picture(play(run)))


def main():
    with tempfile.TemporaryDirectory() as home:
        made = picture(Run(home))
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(made, encoding="utf-8")
    elif not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != made:
        sys.exit("out of date, make generated: %s" % PICTURE.relative_to(TOP))


if __name__ == "__main__":
    main()
