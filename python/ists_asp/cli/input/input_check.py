"""Which input options go together."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ists_asp.cli.input.once import STDIN
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_PIPED = "Pairs are read from standard input with --tsv - or --jsonl -"
_FLAGS = "two sentences, --sent1 F1 --sent2 F2, --tsv FILE, or --jsonl FILE"


def check_together(
    sentences: tuple[str, ...], files: Mapping[str, str], *, chunked: bool, raw: bool
) -> None:
    """Refuse input options that do not go together.

    Args:
        sentences: the positional arguments.
        files: what was given to ``--sent1``, ``--sent2``, ``--tsv`` and ``--jsonl``, by option.
        chunked: brackets give the chunks.
        raw: Stanza tokenises.

    Raises:
        UsageError: the message names the options.
    """
    given = list(files)
    if sentences and given:
        raise UsageError(f"sentences on the command line do not go with {given[0]}")
    if not sentences and not given:
        piped = sys.stdin is not None and not sys.stdin.isatty()
        raise UsageError("there is no input", expected=_FLAGS, hint=_PIPED if piped else None)
    if sentences and len(sentences) != 2:
        raise _miscounted(sentences)
    for flag in ("--tsv", "--jsonl"):
        if flag in given and len(given) > 1:
            other = next(name for name in given if name != flag)
            raise UsageError(f"{other} does not go with {flag}", expected=_FLAGS)
        if flag in given and chunked:
            raise UsageError(
                f"--chunked does not go with {flag}",
                hint='JSON Lines give chunks with "chunks1" and "chunks2", which need no option',
            )
    if given in (["--sent1"], ["--sent2"]):
        other = "--sent2" if given == ["--sent1"] else "--sent1"
        raise UsageError(f"{given[0]} without {other}", hint=f"Add {other} FILE")
    if files.get("--sent1") == files.get("--sent2") == STDIN or sentences == (STDIN, STDIN):
        raise UsageError(
            "standard input (-) cannot be both sentences",
            hint="Give pairs to standard input with --tsv - or --jsonl -",
        )
    if chunked and raw:
        raise UsageError(
            "--chunked does not go with --raw", hint="Chunk files are tokenised already"
        )


def _miscounted(sentences: tuple[str, ...]) -> UsageError:
    if sentences == (STDIN,):
        return UsageError(
            "- alone does not say what standard input holds",
            expected="--tsv - or --jsonl -, or two sentences of which one is -",
        )
    count = len(sentences)
    return UsageError(
        "one sentence" if count == 1 else f"{count} sentences",
        expected=_FLAGS,
        hint="Put each sentence in quotes",
    )
