"""What the ending of an output's name says about its format."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Form = TypeVar("Form")


def by_ending(
    output: Path | None, forms: Mapping[str, Form], default: Form, hint: str | None = None
) -> Form:
    """The format that goes with the name of an output.

    Args:
        output: the file; None for standard output.
        forms: formats by their endings.
        default: the format of standard output, of pipes and devices, and of names without an
            ending.
        hint: what to do where another format, or another name, is wanted.

    Raises:
        UsageError: the ending is that of a format that is not written here.
    """
    ending = "" if output is None else output.suffix
    if output is None or not ending or (output.exists() and not output.is_file()):
        return default
    if ending.lower() not in forms:
        *first, last = forms
        known = f"{', '.join(first)} or {last}" if first else last
        raise UsageError(
            f"this command writes no {ending}",
            where=f"-o {output}",
            expected=known,
            hint=hint,
        )
    return forms[ending.lower()]


def check_ending(output: Path | None, *endings: str) -> None:
    """Refuse a name with the ending of another format.

    Raises:
        UsageError: it has none of these endings.
    """
    by_ending(output, dict.fromkeys(endings), None)


def check_text_ending(output: Path | None, *, as_json: bool) -> None:
    """Refuse a name with the ending of another format where text is written, unless JSON is.

    Raises:
        UsageError: the name is not one of a text.
    """
    if not as_json:
        json = output is not None and output.suffix.lower() == ".json"
        texts = {".txt": None, ".md": None}
        by_ending(output, texts, None, "Add --json for JSON" if json else None)
