"""What an explanation is: statements, each with the alignments that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.io.wa_writer import format_label

if TYPE_CHECKING:
    from ists_asp.model import Alignment, Answer


@dataclass(frozen=True, slots=True)
class Reason:
    """The rule that decided a statement: its name, what it means, its file and line."""

    name: str
    sentence: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is said.

    Args:
        kind: the key of its template, such as ``number_of``.
        text: the statement as a sentence of its own.
        sentence: number of the sentence of the whole text that it is part of, from 1.
        alignments: the lines of the answer that it rests on, in their order.
        reason: the rule that decided it.
    """

    kind: str
    text: str
    sentence: int
    alignments: tuple[Alignment, ...]
    reason: Reason

    def tokens(self, side: int) -> tuple[int, ...]:
        """The token numbers of sentence 1 or 2 that it is about, ascending."""
        lines = (line.tokens1 if side == 1 else line.tokens2 for line in self.alignments)
        return tuple(sorted({token for line in lines for token in line}))


@dataclass(frozen=True, slots=True)
class Explanation:
    """An answer in words: the whole text, and its statements in order."""

    answer: Answer
    text: str
    statements: tuple[Statement, ...]

    def record(self) -> dict[str, object]:
        """The explanation as JSON values; spans are given by token numbers and by words."""
        pair = self.answer.pair
        return {
            "id": pair.id,
            "sent1": pair.sent1.text,
            "sent2": pair.sent2.text,
            "text": self.text,
            "statements": [self._statement(statement) for statement in self.statements],
        }

    def _repr_html_(self) -> str:
        """The answer as a picture, and the text: how notebooks show it."""
        from ists_asp.report.picture import static_picture

        return static_picture(self.answer, self.text)

    def _statement(self, statement: Statement) -> dict[str, object]:
        reason = statement.reason
        return {
            "kind": statement.kind,
            "text": statement.text,
            "sentence": statement.sentence,
            "tokens1": list(statement.tokens(1)),
            "tokens2": list(statement.tokens(2)),
            "alignments": [self._line(line) for line in statement.alignments],
            "rule": {
                "name": reason.name,
                "sentence": reason.sentence,
                "file": reason.file,
                "line": reason.line,
            },
        }

    def _line(self, line: Alignment) -> dict[str, object]:
        pair = self.answer.pair
        return {
            "tokens1": list(line.tokens1),
            "tokens2": list(line.tokens2),
            "text1": pair.sent1.words(line.tokens1),
            "text2": pair.sent2.words(line.tokens2),
            "label": format_label(line),
            "score": line.score,
        }
