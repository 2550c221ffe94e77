#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when an argument that a macro evaluates more than once is a call, counts up or assigns.

STR_ARG(s) is (int)(s).len, (s).ptr: a call in it is made twice, and a recursive function that makes one takes
two to the power of its depth.  Found by reading: each macro of ours of which a parameter stands twice in the body.
"""
import glob
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)((?:\\\n|[^\n])*)", re.M)
BLANKED = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
EVALUATED_NEVER = {"sizeof", "alignof", "offsetof", "STR"}  # STR takes a literal


def blank(text):
    """Strings, characters and comments as blanks of the same length, lines kept."""
    return BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def closing(text, at):
    """Where the parenthesis at text[at] is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    return len(text)


def without(text, names):
    """The text without the parentheses that follow one of these names."""
    for m in re.finditer(r"\b(%s)\s*\(" % "|".join(names), text):
        end = closing(text, m.end() - 1)
        return text[:m.start()] + without(text[end + 1:], names)
    return text


def arguments(text):
    """The arguments of what stands between the parentheses of a call."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


def repeating(texts):
    """Macro -> positions of the parameters that its body names more than once."""
    found = {}
    for text in texts:
        for name, params, body in DEFINE.findall(blank(text)):
            body = without(body, EVALUATED_NEVER)
            for i, param in enumerate(p.strip() for p in params.split(",")):
                word = "__VA_ARGS__" if param == "..." else param
                if word and len(re.findall(r"(?<![#\w.])(?<!->)%s\b" % re.escape(word), body)) > 1:
                    found.setdefault(name, set()).add((i, param == "..."))
    return found


def has_effect(argument):
    """A call, ++, --, or an assignment."""
    argument = without(argument, EVALUATED_NEVER)
    return re.search(r"[A-Za-z_]\w*\s*\(|\+\+|--|(?<![=!<>])=(?!=)", argument)


def problems_of(name, text, macros):
    code = blank(text)
    code = DEFINE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), code)
    for m in re.finditer(r"\b(%s)\s*\(" % "|".join(map(re.escape, macros)), code):
        given = arguments(code[m.end():closing(code, m.end() - 1)])
        for i, rest in sorted(macros[m.group(1)]):
            for argument in given[i:] if rest else given[i:i + 1]:
                if has_effect(argument):
                    yield "%s:%d: %s evaluates \"%s\" more than once: give it a name first" % (
                        name, code.count("\n", 0, m.start()) + 1, m.group(1), " ".join(argument.split()))


def check(files):
    """files: name -> text.  The problems, one line each."""
    macros = repeating(files.values())
    return [p for name, text in files.items() for p in problems_of(name, text, macros)] if macros else []


HEADER = "#define STR_ARG(s) (int)(s).len, (s).ptr\n#define COUNT(a) (sizeof(a) / sizeof((a)[0]))\n" \
    "#define each(it, list) \\\n\tfor (struct x it = first(list); it.n; it = next(it))\n#define BOTH(...) two(__VA_ARGS__, __VA_ARGS__)\n"
REFUSED = ("STR_ARG(f(x))", "STR_ARG(x.len ? x :\n  f(x))", "STR_ARG(all[n++])", "STR_ARG(*(p = q))", "STR_ARG(f(x)->name)", "BOTH(a, f(b))")
ALLOWED = ("STR_ARG(x)", "STR_ARG(a->b[i].c)", 'STR_ARG(STR("f(x)"))', "COUNT(f(x))", "each(it, f(x))", "/* STR_ARG(f(x)) */", '"STR_ARG(f(x))"',
           "STR_ARG(a == b ? a : b)", "g(STR_ARG(x), f(x))")


def test_itself():
    """It refuses what it must, and nothing else."""
    wrong = [s for s in REFUSED if len(check({"h": HEADER, "c": s})) != 1]
    return wrong + [s for s in ALLOWED if check({"h": HEADER, "c": s})]


def main():
    wrong = test_itself()
    if wrong:
        sys.exit("macros.py is wrong about " + "; ".join(wrong))
    files = {}
    for top in ("kube", "tui", "plugin", "tests"):
        for path in sorted(glob.glob(os.path.join(ROOT, top, "**", "*.[ch]"), recursive=True)):
            with open(path, encoding="utf-8") as f:
                files[os.path.relpath(path, ROOT)] = f.read()
    problems = check(files)
    for p in problems:
        print(p)
    print("macros: %d evaluate an argument more than once: %s" % (len(repeating(files.values())), ", ".join(sorted(repeating(files.values())))))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
