# SPDX-License-Identifier: Apache-2.0
"""Holds a document against docs/status.schema.json: as much of JSON Schema as that uses."""
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "docs", "status.schema.json"), encoding="utf-8") as text:
    SCHEMA = json.load(text)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties", "items",
         "enum", "const", "pattern", "minimum", "maximum"}


def _members(value, schema, at):
    rest = schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield "%s: %s is missing" % (at, name)
    for name, member in value.items():
        rule = schema.get("properties", {}).get(name, rest)
        if rule is False:
            yield "%s: %s is not in the schema" % (at, name)
        elif rule is not True:
            yield from problems(member, rule, "%s.%s" % (at, name))


def problems(value, schema=None, at="document"):
    """What is wrong with it, as lines."""
    schema = SCHEMA if schema is None else schema
    assert not set(schema) - KNOWN, "tests/schema.py does not know %s" % (set(schema) - KNOWN)
    if "$ref" in schema:
        yield from problems(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], at)
        return
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        yield "%s: %r is no %s" % (at, value, kind)
        return
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        yield "%s: %r is not allowed" % (at, value)
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield "%s: %r does not match" % (at, value)
    if value < schema.get("minimum", value) if kind in ("integer", "number") else False:
        yield "%s: %r is too small" % (at, value)
    if value > schema.get("maximum", value) if kind in ("integer", "number") else False:
        yield "%s: %r is too large" % (at, value)
    if isinstance(value, dict):
        yield from _members(value, schema, at)
    if isinstance(value, list) and "items" in schema:
        for i, one in enumerate(value):
            yield from problems(one, schema["items"], "%s[%d]" % (at, i))
