#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the lists of words in docs/families/FAMILY.md from tests/family/FAMILY/reasons.tsv.

What stands above the line that begins with MARK is written by hand; the rest of the page is made.
Arguments: none writes the pages; --check only compares, exit 1 when one is out of date.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
MARK = "<!-- From here on made from tests/family/%s/reasons.tsv: make generated -->"
ANY = re.compile(r"a-?word-?of-?tomorrow", re.I)  # stands for what a newer release may write


def cell(text):
    text = ANY.sub("any other word", text)
    return "" if text == "-" else text.replace("|", "\\|").replace("{name}", "itself").replace("{", "\\{").replace("<", "&lt;")


def lists(path):
    """Markdown: a table for each group of rows of one source and the same columns."""
    out, source, note, columns, shown, begun = [], "", "", [], None, False
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, rest = line.partition(":")
        if key == "# source":
            source, note = rest.strip(), ""
        elif key == "# columns":
            columns, note = [c.strip() for c in rest.replace("->", ",").split(",")][:-1], ""  # but the rule
            begun = False
        elif key in ("# object", "# beside"):
            begun = begun and key == "# beside"
        elif line.startswith("#"):
            note, begun = line[1:].strip(), False
        elif line.strip():
            if not begun:
                if source != shown:
                    out += ["", "Source: %s" % cell(source)]
                    shown = source
                if note and columns:
                    out += ["", "%s:" % (note[0].upper() + note[1:]).rstrip(".:")]
                head = ["waits for" if c == "waits" else c for c in columns]
                out += ["", "| %s |" % " | ".join(head), "|%s" % ("---|" * len(head))]
                begun = True
            out.append("| %s |" % " | ".join(cell(v) for v in line.split("\t")[:len(columns)]))
    return "\n".join(out)


def main():
    stale = []
    for page in sorted((TOP / "docs/families").glob("*.md")):
        table = TOP / "tests/family" / page.stem / "reasons.tsv"
        if not table.exists():
            continue
        mark = MARK % page.stem
        hand = page.read_text(encoding="utf-8").split(mark)[0]
        text = "%s%s\n\n## Every word\n%s\n" % (hand, mark, lists(table))
        if page.read_text(encoding="utf-8") != text:
            stale.append(str(page.relative_to(TOP)))
            if "--check" not in sys.argv[1:]:
                page.write_text(text, encoding="utf-8")
    if "--check" in sys.argv[1:] and stale:
        sys.exit("out of date, make generated: %s" % " ".join(stale))


if __name__ == "__main__":
    main()
