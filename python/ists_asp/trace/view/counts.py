"""How often rules fired for the answers of a run."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.trace.view.document import VERSION

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Counts:
    """How often rules fired, and how many answers they restrained, by rule name."""

    fired: Counter[str]
    changed: Counter[str]


def count_firings(path: Path) -> Counts:
    """Count by rule name what ``ists-asp solve --trace`` has written.

    Derivations count that decisions rest on, and terms of the objective; of hard rules,
    constraints and preferences the answers that would be others without them.

    Raises:
        DataError: the file is missing, or has lines that are no traces.
    """
    found = Counts(Counter(), Counter())
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                fired, changed = _names(line, f"{path}:{number}")
                found.fired.update(fired)
                found.changed.update(changed)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DataError(f"cannot be read: {reason}", where=str(path)) from None
    return found


def _names(line: str, where: str) -> tuple[list[str], list[str]]:
    try:
        record = json.loads(line)
        if record["version"] != VERSION:
            raise DataError(
                f"a trace of version {record['version']}", where=where, expected=str(VERSION)
            )
        rules = [rule["name"] for rule in record["rules"]]
        fired = [rules[one["rule"]] for key in ("firings", "objective") for one in record[key]]
        # Traces of earlier releases do not tell them.
        return fired, [one["rule"]["name"] for one in record.get("restraints", ())]
    except (ValueError, KeyError, TypeError, IndexError):
        raise DataError(
            "this is no trace",
            where=where,
            expected="a line of ists-asp solve --trace",
            hint="Write the file with ists-asp solve --trace FILE",
        ) from None
