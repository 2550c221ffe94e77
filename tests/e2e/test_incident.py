# SPDX-License-Identifier: Apache-2.0
"""docs/incident.md on the demo's recording: its keys are pressed, its pictures are on the screen."""
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[2]
KEYS = {"Space": " ", "Enter": "\r", "Esc": "\x1b"}


def keys_of(sentence):
    for verb, key, twice in re.findall(r"(type )?`([^`]+)`( twice)?", sentence):
        yield key if verb else KEYS.get(key, key)
        if twice:
            yield KEYS.get(key, key)


def steps(text):
    """Sentences that press something, and pictures, in their order."""
    for paragraph in re.split(r"\n\n", text):
        if paragraph.startswith("```text"):
            yield "picture", paragraph.split("\n")[1:-1]
        elif not paragraph.startswith("```"):
            for sentence in re.findall(r"Press `.*?(?:\.(?=\s|$)|:$|$)", paragraph.strip(), re.S):
                yield "keys", list(keys_of(sentence))


def test_transcript(run):
    text = (TOP / "docs/incident.md").read_text()
    shown = 0
    with run.screen("--replay", TOP / "demo/incident.jsonl.gz", "--as-of", "2026-11-21T05:03:19Z", rows=30, cols=100) as screen:
        screen.wait("paused 05:03:19")
        for what, content in steps(text):
            if what == "keys":
                for key in content:
                    before = screen.text()
                    screen.keys(key)
                    screen.wait(lambda now, before=before: now != before)
                continue
            for line in content:
                screen.wait(lambda now, line=line: line.rstrip() in now.split("\n"))
                shown += 1
    assert shown > 15
