"""The page of schemas: what the JSON of ists-asp holds, made from data/schema/."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# Schemas

The JSON that `ists-asp` writes, by the JSON Schemas in `data/schema/`. `python -m docs.pages` \
makes this page from them.
"""


def schemas() -> str:
    """The page as Markdown: each key with its path, its type, and what it means."""
    lines = [_HEAD]
    for file in sorted((data_dir() / "schema").glob("*.json")):
        schema = json.loads(file.read_text("utf-8"))
        about = ". ".join(schema[key] for key in ("title", "description") if key in schema)
        lines += [f"## `{file.name}`\n", f"{about}\n"]
        for name, part in {"": schema, **schema.get("$defs", {})}.items():
            head = f"`{name}`" if name else "Key"
            lines += [f"| {head} | Type | Meaning |", "| --- | --- | --- |", *_keys(part), ""]
    return "\n".join(lines).rstrip() + "\n"


def _keys(part: dict[str, Any], path: str = "") -> Iterator[str]:
    for name, value in part.get("properties", {}).items():
        levels = [_forms(each) for each in (value, value.get("items")) if each]
        kinds = " of ".join(" or ".join(filter(None, map(_kind, forms))) for forms in levels)
        forms = [form for level in levels for form in level]
        said = " ".join(form["description"] for form in forms if "description" in form)
        yield f"| `{path}{name}` | {kinds} | {said} |"
        for form in forms:
            yield from _keys(form, f"{path}{name}.")


def _forms(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [value, *value.get("oneOf", ()), *value.get("anyOf", ())]


def _kind(form: dict[str, Any]) -> str:
    found = [form[key] for key in ("const", "enum", "type", "$ref") if key in form]
    named = found[0] if found and isinstance(found[0], list) else found[:1]
    return " or ".join("trace" if one == "#" else str(one).rpartition("/")[2] for one in named)
