# SPDX-License-Identifier: Apache-2.0
"""The picture that moves, docs/pictures/incident.svg: what the screen shows, nothing but shapes and text, and the story."""
import itertools
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

import pyte
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))

import incident_picture as made  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>&amp;\"'"


def read(text):
    """What a browser makes of it: a list of (begin in percent, lines), and the lines where nothing moves."""
    tree = ET.fromstring(text)
    style = tree.find(SVG + "style").text
    rules = {name: [(float(at), seen == "visible") for at, seen in re.findall(r"([\d.]+)%{visibility:(visible|hidden)}", body)]
             for name, body in re.findall(r"@keyframes (\w+){(.*)}$", style, re.M)}
    resting = set(re.findall(r"\.(f\d+)", re.search(r"^(.*){visibility:visible}$", style, re.M).group(1)))

    def lines(visible):
        rows = {}
        for group in [tree, *tree.findall(SVG + "g")]:
            if group is tree or visible(group.get("class")):
                for part in group.findall(SVG + "text"):
                    rows.setdefault(int(part.get("y")), []).append((int(part.get("x")), part.text))
        return "\n".join(" ".join(part for _, part in sorted(rows[y])) for y in sorted(rows))

    moments = sorted({at for rule in rules.values() for at, _ in rule})
    frames = [(at, lines(lambda name, at=at: [seen for begin, seen in rules[name] if begin <= at][-1])) for at in moments]
    return frames, lines(lambda name: name in resting)


def words(text):
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="module")
def stored():
    return made.PICTURE.read_text(encoding="utf-8")


def test_it_is_what_the_screen_shows(run, stored):
    frames = made.play(run)
    assert str(made.Picture(frames)) == stored, "out of date: make generated"
    shown = [words(text) for _, text in read(stored)[0]]
    wanted = [words("\n".join("".join(cell.data for cell in cells) for cells in frame.cells) + " %s %s" % (frame.key, frame.words)) for frame in frames]
    assert shown == [text for text, _ in itertools.groupby(wanted)]


def test_it_tells_the_story(stored):
    frames, still = read(stored)
    shown = iter([text for _, text in frames])
    assert words(still) == words(frames[0][1])
    for told in ("✖ Failed +network/net", "CAUSE +BLOCKS.*network/net", "network/net.*Quota exceeded.*next step.*server/web-0",
                 r"search.*8\.0\.3 → .*8\.1\.0", "Conditions.*ContainersNotReady", "paused 05:01:19.*network/net",
                 "paused 05:01:39.*▲ Degraded +deploy(ment)?/search", "paused 05:03:19.*▲ Degraded +deploy(ment)?/search"):
        assert any(re.search(told, text, re.S) for text in shown), told


def test_before_the_new_image_one_had_failed(stored):
    """What is said below the screen."""
    then = [text for _, text in read(stored)[0] if "paused 05:01:19" in text]
    assert then and all("only one had failed" in text and len(re.findall("✖ Failed", text)) == 1 for text in then)


def test_it_is_only_shapes_and_text(stored):
    tree = ET.fromstring(stored)
    assert {element.tag.replace(SVG, "") for element in tree.iter()} == {"svg", "title", "style", "g", "rect", "text"}
    assert {name for element in tree.iter() for name in element.attrib} <= {
        "class", "fill", "height", "role", "rx", "textLength", "viewBox", "width", "x", "y"}
    assert not re.search(r"url\(|@import|@font-face", tree.find(SVG + "style").text)
    assert stored.count("://") == 1 + "".join(element.text or "" for element in tree.iter()).count("://")  # 1: the name of the format
    assert "prefers-reduced-motion:no-preference" in stored and " infinite}" in stored
    assert len(stored.encode()) < 300000


def frame(text, number):
    screen = pyte.Screen(made.COLS, made.ROWS)
    screen.draw(text)
    return made.Frame(1, made.cells_of(screen), "x", "%s %d" % (text, number))


def test_text_of_a_cluster_is_escaped():
    svg = str(made.Picture([frame(HOSTILE, 0), frame("日本 " + HOSTILE, 1)]))
    frames, still = read(svg)
    assert "<script" not in svg and words(still) == words("%s x %s 0" % (HOSTILE, HOSTILE))
    assert words(frames[1][1]) == words("日本 %s x 日本 %s 1" % (HOSTILE, HOSTILE))


def test_parts_that_come_again_stand_there_once(stored):
    parts = re.findall("<text .*?</text>", stored)
    assert len(parts) == len(set(parts))
