"""The tokeniser: Stanza's own trainer on text that is put together from the treebanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import corpus
from stanza.models import tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from languages import Language

__all__ = ["train"]


def _characters(treebank: corpus.Treebank) -> tuple[str, str]:
    """Return the running text and, one digit a character, where tokens and sentences end.

    0 is inside a token or a blank, 1 ends a token, 2 ends a sentence. The text is built
    from the words, so that it always agrees with them; a blank line separates paragraphs
    in both strings.
    """
    text: list[str] = []
    labels: list[str] = []
    for position, tree in enumerate(treebank):
        if position and tree.paragraph:
            text.append("\n\n")
            labels.append("\n\n")
        elif position:
            text.append(" ")
            labels.append("0")
        last = len(tree.nodes) - 1
        for number, node in enumerate(tree.nodes):
            text.append(node.form)
            labels.append("0" * (len(node.form) - 1) + ("2" if number == last else "1"))
            if number != last and not node.glued:
                text.append(" ")
                labels.append("0")
    return "".join(text), "".join(labels)


def _write(treebank: corpus.Treebank, stem: Path) -> tuple[Path, Path]:
    text, labels = _characters(treebank)
    text_file, label_file = stem.with_suffix(".txt"), stem.with_suffix(".labels")
    text_file.write_text(text + "\n", encoding="utf-8")
    label_file.write_text(labels + "\n", encoding="utf-8")
    return text_file, label_file


def train(language: Language, treebank: Path, work: Path, seed: int) -> Path:
    """Train the tokeniser and return the best checkpoint on the development set."""
    trees = corpus.read((treebank / name for name in language.train), whole=language.whole)
    text_file, label_file = _write(trees, work / "tokenize-train")
    dev = corpus.read([treebank / language.dev], whole=language.whole)
    dev_text, dev_labels = _write(dev, work / "tokenize-dev")
    # No token is expanded into words, yet the trainer insists on a table of them.
    ranges = work / "tokenize-mwt.json"
    ranges.write_text("[]", encoding="utf-8")
    tokenizer.main(
        [
            *("--lang", language.code, "--shorthand", language.treebank),
            *("--txt_file", str(text_file), "--label_file", str(label_file)),
            *("--dev_txt_file", str(dev_text), "--dev_label_file", str(dev_labels)),
            *("--mwt_json_file", str(ranges), "--no_use_mwt", "--max_seqlen", "200"),
            *("--steps", str(language.tokenize_steps), "--lr0", "4e-3"),
            *("--save_dir", str(work), "--save_name", "tokenize.pt"),
            *("--seed", str(seed), "--cpu"),
        ]
    )
    return work / "tokenize.pt"
