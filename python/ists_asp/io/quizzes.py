"""Quizzes of learning platforms, GIFT and Moodle XML, as sheets of questions and model answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, TypeAlias
from xml.etree import ElementTree

from ists_asp.errors import FormatError
from ists_asp.io.columns import Cells
from ists_asp.io.text import plain
from ists_asp.io.workbooks import Notes, Sheet
from ists_asp.limits import TableLimits

Question: TypeAlias = tuple[str, str, list[str]]  # its name, its text, the right answers

_GIFT = re.compile(
    r"(?:::(?P<name>(?:[^:]|:(?!:))*+)::)?(?P<before>[^{]*+)\{(?P<answers>[^}]*+)\}?(?P<after>.*)",
    re.DOTALL,
)
_ASIDE = re.compile(r"^[^\S\n]*+(?://|\$CATEGORY).*$", re.MULTILINE)
_FORMAT = re.compile(r"^\s*\[(?:html|moodle|plain|markdown)\]")
_RIGHT = re.compile(r"=\s*+(?!%)(?:\[\w+\])?([^~=#]*)")  # with a weight it is right in part
_WHOLE = re.compile(r"\s*100(\.0*)?\s*")
_HIDE, _SHOW = ({"\\" + c: chr(0xE000 + n) for n, c in enumerate("~=#{}:")}, "~=#{}:")


def _quiz(kind: str, stream: BinaryIO, where: str, limits: TableLimits, _: Notes) -> list[Sheet]:
    """The model answers by question: each question by its text, its name and its number."""
    quiz, rows = limits.read_all(stream, where).decode("utf-8-sig"), list[Cells]()
    for number, (name, text, answers) in enumerate(_QUIZZES[kind](quiz), 1):
        for title in dict.fromkeys((plain(text).strip(), name.strip(), str(number))):
            rows += ([title, answer] for answer in answers if title and answer)
    if not rows:
        expected = "questions with right answers, as GIFT or Moodle XML"
        raise FormatError("no model answer", where=where, expected=expected)
    return [Sheet("", True, iter([["question", "reference"], *rows]))]


def _gift(text: str) -> Iterator[Question]:
    for escaped, sign in _HIDE.items():
        text = text.replace(escaped, sign)
    for block in re.split(r"\n\s*\n", _ASIDE.sub("", text)):
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
        right = [_unescaped(answer) for answer in _RIGHT.findall(answers) if "->" not in answer]
        yield _unescaped(match["name"] or ""), _unescaped(question), right


def _unescaped(text: str) -> str:
    for number, char in enumerate(_SHOW):
        text = text.replace(chr(0xE000 + number), char)
    return plain(text.replace("\\n", "\n")).strip()


def _moodle(text: str) -> Iterator[Question]:
    if "<!ENTITY" in text:
        raise FormatError("entities of its own", expected="Moodle XML")
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise FormatError(f"no XML: {error}", expected="Moodle XML") from None
    for item in root.iter("question"):
        if item.get("type") == "category":
            continue
        # The share in a foreign file need not be a number.
        right = [a for a in item.findall("answer") if _WHOLE.fullmatch(a.get("fraction", ""))]
        answers = [answer.findtext("text", "") for answer in (*right, *item.findall("graderinfo"))]
        name, question = (item.findtext(f"{part}/text", "") for part in ("name", "questiontext"))
        yield name, question, [plain(answer).strip() for answer in answers]


_QUIZZES = {"gift": _gift, "xml": _moodle}
QUIZZES = {kind: partial(_quiz, kind) for kind in _QUIZZES}
