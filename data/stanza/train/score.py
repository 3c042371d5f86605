"""What the packed models score, measured through ``stanza.Pipeline`` as users run them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import corpus
import stanza
from languages import PACKAGE, Language

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Scores", "report", "score_tags", "score_tokens"]

_NOMINAL = {"PROPN": "NOUN"}


@dataclass(frozen=True, slots=True)
class Scores:
    """Accuracies in per cent on gold tokens.

    ``nominal`` is UPOS with PROPN counted as NOUN. ``lemma`` ignores case, uses the
    predicted tags and leaves out words that have no lemma in the treebank.
    """

    upos: float
    xpos: float
    nominal: float
    lemma: float


def _pipeline(language: Language, models: Path, **options: object) -> stanza.Pipeline:
    return stanza.Pipeline(
        language.code,
        dir=str(models),
        package=PACKAGE,
        download_method=None,
        use_gpu=False,
        verbose=False,
        **options,
    )


def score_tags(language: Language, treebank: corpus.Treebank, models: Path) -> dict[str, Scores]:
    """Score the tagger and the lemmatiser on each way to write the sentences."""
    tag = _pipeline(language, models, processors="tokenize,pos,lemma", tokenize_pretokenized=True)
    scores: dict[str, Scores] = {}
    for case in corpus.CASES:
        trees = corpus.recase(treebank, case)
        document = tag([[node.form for node in tree.nodes] for tree in trees])
        gold = [node for tree in trees for node in tree.nodes]
        pairs = list(zip(gold, document.iter_words(), strict=True))
        lemmas = [(want, have) for want, have in pairs if want.lemma != "_"]
        scores[case] = Scores(
            upos=_percent(want.upos == have.upos for want, have in pairs),
            xpos=_percent(want.xpos == have.xpos for want, have in pairs),
            nominal=_percent(
                _NOMINAL.get(want.upos, want.upos) == _NOMINAL.get(have.upos, have.upos)
                for want, have in pairs
            ),
            lemma=_percent(want.lemma.lower() == have.lemma.lower() for want, have in lemmas),
        )
    return scores


def score_tokens(language: Language, treebank: corpus.Treebank, models: Path) -> float:
    """Return the F1 of tokens, in per cent, where each sentence is given on its own."""
    cut = _pipeline(language, models, processors="tokenize", tokenize_no_ssplit=True)
    texts = ["".join(_spaced(tree)).strip() for tree in treebank]
    document = cut("\n\n".join(texts))
    have = {(token.start_char, token.end_char) for token in document.iter_tokens()}
    want: set[tuple[int, int]] = set()
    offset = 0
    for tree, text in zip(treebank, texts, strict=True):
        position = offset
        for node, piece in zip(tree.nodes, _spaced(tree), strict=True):
            want.add((position, position + len(node.form)))
            position += len(piece)
        offset += len(text) + 2
    return 200 * len(want & have) / (len(want) + len(have))


def _spaced(tree: corpus.Tree) -> list[str]:
    return [node.form if node.glued else node.form + " " for node in tree.nodes]


def _percent(hits: Iterable[bool]) -> float:
    marks = list(hits)
    return 100 * sum(marks) / len(marks)


def report(language: Language, treebank: Path, models: Path) -> str:
    """Score everything on the test set and return a Markdown table.

    A language without XPOS gets no column for it; one whose users write multi-word tokens
    as one word gets rows for sentences with such words, too.
    """
    trees = corpus.read([treebank / language.test])
    whole = corpus.read([treebank / language.test], whole=True) if language.whole else trees
    rows = score_tags(language, trees, models)
    if language.whole:
        for case, scores in score_tags(language, whole, models).items():
            rows[f"{case}, words whole"] = scores
    columns = ["UPOS", *(["XPOS"] if language.xpos else []), "UPOS, NOUN = PROPN", "lemma"]
    lines = [f"| Sentences | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name, scores in rows.items():
        xpos = [scores.xpos] if language.xpos else []
        figures = (scores.upos, *xpos, scores.nominal, scores.lemma)
        lines.append(f"| {name} | " + " | ".join(f"{figure:.1f}" for figure in figures) + " |")
    lines += ["", f"Tokens, one sentence at a time: F1 {score_tokens(language, whole, models):.1f}"]
    sizes = {path: path.stat().st_size for path in sorted((models / language.code).rglob("*.pt"))}
    lines += [f"{path.relative_to(models)}: {size / 1e6:.2f} MB" for path, size in sizes.items()]
    return "\n".join(lines)
