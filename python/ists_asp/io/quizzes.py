"""Quizzes of learning platforms, GIFT and Moodle XML: questions and model answers as a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from ists_asp.errors import FormatError
from ists_asp.io.text import plain, unreadable

ENDINGS = (".gift", ".xml")
_GIFT = re.compile(
    r"(?:::(?P<name>.*?)::)?(?P<before>[^{]*)\{(?P<answers>[^}]*)\}?(?P<after>.*)", re.DOTALL
)
_FORMAT = re.compile(r"^\s*\[(?:html|moodle|plain|markdown)\]")
_RIGHT = re.compile(r"=\s*(?!%)(?:\[\w+\])?([^~=#]*)")  # with a weight it is right in part
_WHOLE = re.compile(r"\s*100(\.0*)?\s*")
_HIDE, _SHOW = ({"\\" + c: chr(0xE000 + n) for n, c in enumerate("~=#{}:")}, "~=#{}:")


def quiz_table(path: Path) -> bytes:
    """JSON Lines with each ``question`` and ``reference``, also by its name and its number.

    Raises:
        DataError: the file cannot be read, or has no question with a model answer.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(error, str(path)) from None
    lines = list[str]()
    read = _read_xml if path.suffix.lower() == ".xml" else _read_gift
    for number, (name, question, answers) in enumerate(read(text, str(path)), 1):
        for title in dict.fromkeys((plain(question).strip(), name.strip(), str(number))):
            lines += (json.dumps({"question": title, "reference": one}) for one in answers if title)
    if not lines:
        expected = "questions with right answers, as GIFT or Moodle XML"
        raise FormatError("no model answer", where=str(path), expected=expected)
    return "\n".join(lines).encode()


def _read_gift(text: str, _where: str) -> Iterator[tuple[str, str, list[str]]]:
    for escaped, sign in _HIDE.items():
        text = text.replace(escaped, sign)
    text = re.sub(r"^\s*(?://|\$CATEGORY).*$", "", text, flags=re.M)
    for block in re.split(r"\n\s*\n", text):
        if (match := _GIFT.match(block.strip())) is None:
            continue
        before, after, answers = match["before"], match["after"], match["answers"].strip()
        gap = " … " if after.strip() else ""
        question = " ".join(f"{_FORMAT.sub('', before)}{gap}{after}".split())
        if answers.startswith("#"):
            # A number, with its tolerance or range.
            answers = "=" + re.sub(r":[\d.]+|\.\.[\d.]+", "", answers[1:].lstrip("="))
        elif (truth := answers.split("#")[0].strip().upper()) in ("T", "TRUE", "F", "FALSE"):
            answers = f"={'True' if truth[0] == 'T' else 'False'}"
        right = [_shown(one) for one in _RIGHT.findall(answers) if "->" not in one]
        yield _shown(match["name"] or ""), _shown(question), right


def _shown(text: str) -> str:
    for number, char in enumerate(_SHOW):
        text = text.replace(chr(0xE000 + number), char)
    return plain(text.replace("\\n", "\n")).strip()


def _read_xml(text: str, where: str) -> Iterator[tuple[str, str, list[str]]]:
    try:
        if "<!ENTITY" in text:
            raise FormatError("entities of its own", where=where, expected="Moodle XML")
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise FormatError(f"no XML: {error}", where=where, expected="Moodle XML") from None
    for item in root.iter("question"):
        if item.get("type") == "category":
            continue
        # Nothing says that the share of a file somebody made is a number.
        right = [one for one in item.findall("answer") if _WHOLE.fullmatch(one.get("fraction", ""))]
        answers = [one.findtext("text", "") for one in (*right, *item.findall("graderinfo"))]
        name, question = (item.findtext(f"{part}/text", "") for part in ("name", "questiontext"))
        yield name, question, [text for answer in answers if (text := plain(answer).strip())]
