#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""schemas.py - schema/topdown.json, the JSON Schema (2020-12) of all that topdown prints as JSON, is what
docs/FORMATS.md says: made from its tables (--write), the same as the program prints, and what the commands
print is valid by it. What the page does not say (a text instead of a number) is refused."""
import copy
import json
import pathlib
import re
import sys

import jsonschema

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_failure, check_success, finish, read_json, topdown

PAGE = SOURCE / "docs/FORMATS.md"
SCHEMA = SOURCE / "schema/topdown.json"
SESSION = SOURCE / "docs/sample-session.json"
TYPES = dict(text="string", number="number", whole="integer", truth="boolean", list="array", object="object")


def sections(text):
    """{section: {key: (type, what)}} of the page's tables of JSON."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        name = part.splitlines()[0].strip()
        rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \|(?: *([^|]*?) *\|)?$", part, flags=re.M)
        if rows and not name.endswith(" CSV") and " " not in name:
            found[name] = {key: (kind.strip(), what) for key, kind, what in rows}
    return found


def of_type(key, kind, what, names):
    plain = kind.rstrip("?")
    if plain in names:
        schema = {"$ref": f"#/$defs/{plain}"}
        return {"anyOf": [schema, {"type": "null"}]} if kind.endswith("?") else schema
    schema = {"type": [TYPES[plain], "null"] if kind.endswith("?") else TYPES[plain]}
    constant = key in ("format", "version") and re.match(r'"([\w-]+)"$|(\d+)$', what)
    if constant:
        schema["const"] = constant[1] or int(constant[2])
    elif what:
        schema["description"] = what
    return schema


def inside(schema, step):
    """The schema of a member or of the elements."""
    if step == "[]":
        return schema.setdefault("items", {})
    if step == "*":
        return schema.setdefault("additionalProperties", {})
    return schema.setdefault("properties", {}).setdefault(step, {})


def of_section(rows, names):
    root = {"type": "object"}
    for key, (kind, what) in rows.items():
        place = root
        for step in re.findall(r"\[\]|\*|[^.\[\]]+", key):
            place = inside(place, step)
        place.update(of_type(key, kind, what, names))
    return root


def schema_of(page):
    found = sections(page)
    forms = [name for name in found if name.startswith("topdown-")]
    version = re.search(r"schema version \*\*([\d.]+)\*\*", page)[1]
    lines = ",\n".join(
        f"{json.dumps(name)}:{json.dumps(of_section(rows, found), ensure_ascii=False, separators=(',', ':'))}"
        for name, rows in found.items()
    )
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:topdown:schema:{version}",
        "title": "what topdown prints as JSON",
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in forms],
    }
    return json.dumps(head)[:-1] + ',"$defs":{\n' + lines + "\n}}\n"


def check_valid(validator, words):
    result = topdown(*words, "--format", "json")
    check(result.returncode in (0, 1), f"{words}: status", result)
    document = json.JSONDecoder().raw_decode(result.stdout)[0]
    errors = [f"{error.json_path}: {error.message[:100]}" for error in validator.iter_errors(document)]
    check(not errors, f"{words}: valid", errors[:3])
    return document


def validator_of(schema, form):
    own = {**schema, "$ref": f"#/$defs/{form}", "required": ["format"]}
    del own["oneOf"]
    jsonschema.Draft202012Validator.check_schema(own)
    return jsonschema.Draft202012Validator(own)


def main():
    made = schema_of(PAGE.read_text(encoding="utf-8"))
    if "--write" in sys.argv:
        SCHEMA.write_text(made, encoding="utf-8")
    check(SCHEMA.read_text(encoding="utf-8") == made, "schema/topdown.json is current: schemas.py --write")
    schema = json.loads(made)
    whole = topdown("schema")
    check_success(whole, "topdown schema")
    names = whole.stdout.split()
    check(set(names) == {name for name in schema["$defs"] if name.startswith("topdown-")}, "all names", names)
    for name in names:
        printed = topdown("schema", name)
        check_success(printed, name)
        document = json.loads(printed.stdout)
        check(document["$defs"] == schema["$defs"] and document["$ref"] == f"#/$defs/{name}", name, document)
        jsonschema.Draft202012Validator.check_schema(document)
    check_failure(topdown("schema", "topdown-raport"), "a misspelt name", "topdown-report")
    for form, words in {
        "topdown-report": ("report", SESSION),
        "topdown-comparison": ("compare", SESSION, SESSION),
        "topdown-plan": ("plan", "--cpu", "zen4"),
        "topdown-list": ("list", "metrics", "--cpu", "zen4"),
        "topdown-explanation": ("explain", "--cpu", "zen4", "Retiring"),
        "topdown-doctor": ("doctor",),
        "topdown-first": ("first", "--duration", "0.1"),
    }.items():
        document = check_valid(validator_of(schema, form), words)
        check(document["format"] == form, f"{words}: its form", document["format"])
        check(document["schema_version"] == schema["$id"].split(":")[-1], f"{words}: its version")
        broken = copy.deepcopy(document)
        broken["version"] = "one"
        check(list(validator_of(schema, form).iter_errors(broken)), f"{form}: what is wrong is refused")
    check(not list(validator_of(schema, "topdown-session").iter_errors(read_json(SESSION))), "the session")
    brief = topdown("report", "--format", "brief", SESSION).stdout
    errors = list(validator_of(schema, "topdown-brief").iter_errors(json.loads(brief)))
    check(not errors, "brief", errors[:2])
    finish()


if __name__ == "__main__":
    pathlib.Path(SCHEMA.parent).mkdir(exist_ok=True)
    main()
