#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file includes what its folder may not, an object calls what it may not, folders or
files call each other in a circle, a symbol is exported that nobody calls, or two files have one name.

    layers.py [BUILD]     BUILD: where the objects are, build by default

layers.txt says who may include what; symbols.txt who may call what, and what is exported on purpose.
"""
import collections
import fnmatch
import functools
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
OURS = ("kube/", "tui/", "plugin/")
THIRD = ("curl/", "cjson/", "yaml.h", "curses.h", "ncurses", "term.h", "zlib.h", "uthash.h", "openssl/")


def read_table(name):
    rows = {}
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                rows.setdefault(words[0], []).extend(w for w in words[1:] if w != "-")
    return rows


def sources():
    for top in ("kube", "tui", "plugin"):
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, top))):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def room(path):
    """The folder that has a row: kube/family for kube/family/olm/csv.c."""
    parts = os.path.dirname(path).split("/")
    return "plugin" if parts[0] == "plugin" else "/".join(parts[:2])


def allowed(table, path):
    """What a file may include: its own folder, its room's row, its own row."""
    return [os.path.dirname(path)] + table.get(room(path), []) + table.get(path, [])


def may(include, rights):
    return any(include == r or include.startswith(r.rstrip("/") + "/") for r in rights)


def check_includes(table):
    problems = []
    for path in sources():
        rights = allowed(table, path)
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            text = f.read()
        for include in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.M):
            if include.startswith(OURS) or include.startswith(THIRD):
                if not may(include, rights):
                    problems.append("%s includes %s" % (path, include))
    return problems


@functools.lru_cache(maxsize=None)
def symbols(path, flags):
    out = subprocess.run(["nm", flags, path], capture_output=True, text=True, check=True).stdout
    return [line.split() for line in out.splitlines() if line.strip()]


@functools.lru_cache(maxsize=None)
def undefined(path):
    return {words[-1].split("@")[0] for words in symbols(path, "-u")}


def check_calls(rows, build):
    """A row: a symbol (with * and ?) and the objects that may use it."""
    problems = []
    for path, obj in objects(build):
        for symbol in sorted(undefined(obj)):
            for pattern, owners in rows.items():
                if fnmatch.fnmatchcase(symbol, pattern) and not any(path.startswith(o) for o in owners):
                    problems.append("%s calls %s" % (path, symbol))
    return problems


def objects(build):
    for path in sources():
        obj = os.path.join(build, path[:-2] + ".o")
        if path.endswith(".c") and os.path.exists(obj):
            yield path, obj


def exported(build):
    """The file that defines each symbol."""
    return {words[2]: path for path, obj in objects(build) for words in symbols(obj, "--defined-only")
            if len(words) == 3 and words[1] in "TDBRVW"}


def users(build, homes):
    """The other files that use each symbol."""
    found = collections.defaultdict(set)
    for path, obj in objects(build):
        for symbol in undefined(obj):
            if homes.get(symbol, path) != path:
                found[symbol].add(path)
    return found


def declarations():
    """The header that declares each name, and the rooms that include each header."""
    declared, includers = {}, collections.defaultdict(set)
    for path in sources():
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            text = f.read()
        for include in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M):
            includers[include].add(room(path))
        if path.endswith(".h"):
            for name in re.findall(r"\b(\w+)\s*\(|\bextern\b[^;]*?\b(\w+)\s*[\[;]", text):
                declared.setdefault(name[0] or name[1], path)
    return declared, includers


def check_exported(build, tested, shared):
    """A symbol has a user: in another file of its folder, or outside of it where outsiders see its header."""
    homes = exported(build)
    used = users(build, homes)
    declared, includers = declarations()
    problems = ["%s exports %s, which only its own file uses" % (path, symbol) for symbol, path in sorted(homes.items())
                if not used[symbol] and symbol not in tested and symbol != "main"]
    for symbol, path in sorted(homes.items()):
        header = declared.get(symbol)
        if not header or not used[symbol] or header in shared or any(room(u) != room(path) for u in used[symbol]):
            continue
        if includers[header] - {room(header)}:
            problems.append("%s shows %s to other folders, and only %s uses it" % (header, symbol, room(path)))
    problems += ["%s is no symbol that only tests use (TESTED)" % symbol for symbol in tested if used.get(symbol) or symbol not in homes]
    return problems + ["%s is no header (SHARED)" % header for header in shared if header not in declared.values()]


def check_names():
    """One name, one file."""
    names = collections.defaultdict(list)
    for path in sources():
        names[os.path.basename(path)].append(path)
    return ["one name for two files: %s" % " ".join(paths) for paths in names.values() if len(paths) > 1]


def folder_calls(build):
    """Which folders call which, with a symbol for each: {from: {to: "file calls symbol"}}."""
    homes, calls = exported(build), {}
    for path, obj in objects(build):
        for symbol in sorted(undefined(obj)):
            home = room(homes.get(symbol, path))
            if home != room(path):
                calls.setdefault(room(path), {}).setdefault(home, "%s calls %s" % (path, symbol))
    return calls


def reaches(calls, start, end):
    seen, todo = set(), [start]
    while todo:
        for to in calls.get(todo.pop(), {}):
            if to == end:
                return True
            if to not in seen:
                seen.add(to)
                todo.append(to)
    return False


def check_cycles(build):
    """Folders that call each other in a circle cannot be linked, tested or read one by one."""
    calls = folder_calls(build)
    return ["%s and %s call each other: %s" % (a, b, why)
            for a in sorted(calls) for b, why in sorted(calls[a].items()) if reaches(calls, b, a)]


def file_calls(build):
    """Which files call which: {path: set of paths}."""
    homes = exported(build)
    return {path: {homes[s] for s in undefined(obj) if homes.get(s, path) != path} for path, obj in objects(build)}


def reached(calls, start):
    """All files that start calls, directly or through others."""
    seen, todo = set(), [start]
    while todo:
        for to in calls[todo.pop()] - seen:
            seen.add(to)
            todo.append(to)
    return seen


def circles(calls):
    """The sets of files that all call each other, directly or through others."""
    to = {path: reached(calls, path) for path in calls}
    return {frozenset(p for p in to[path] if path in to[p]) for path in calls if path in to[path]}


def check_circles(build):
    """Files that call each other in a circle cannot be read or tested one by one."""
    return ["%d files call each other in a circle: %s" % (len(circle), " ".join(sorted(circle)))
            for circle in sorted(circles(file_calls(build)), key=sorted)]


def check_state(names, build):
    """Variables that live as long as the program: only those that are listed."""
    problems = []
    for path, obj in objects(build):
        table = subprocess.run(["objdump", "-t", obj], capture_output=True, text=True, check=True).stdout
        for line in table.splitlines():
            m = re.search(r"\bO (\.data|\.bss)\t\S+ (?:\.hidden )?(\S+)$", line)
            if m and re.sub(r"\.\d+$", "", m.group(2)) not in names:
                problems.append("%s keeps state in %s" % (path, m.group(2)))
    return problems


def check_headers():
    problems = []
    for path in sources():
        if not path.endswith(".h"):
            continue
        done = subprocess.run(["cc", "-std=c17", "-D_GNU_SOURCE", "-I" + ROOT, "-fsyntax-only", "-x", "c", path],
                              cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            problems.append("%s does not compile alone: %s" % (path, done.stderr.splitlines()[0]))
    return problems


def main():
    build = os.path.join(ROOT, sys.argv[1] if len(sys.argv) > 1 else "build")
    calls = read_table("symbols.txt")
    state, tested, shared = (calls.pop(row, []) for row in ("STATE", "TESTED", "SHARED"))
    problems = check_includes(read_table("layers.txt")) + check_calls(calls, build)
    problems += check_cycles(build) + check_circles(build) + check_state(state, build) + check_headers()
    problems += check_exported(build, tested, shared) + check_names()
    for p in problems:
        print(p)
    print("layers: %d files, %d problems" % (len(list(sources())), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
