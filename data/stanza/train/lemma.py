"""The lemmatiser: Stanza's own trainer, a dictionary before a small sequence model.

It is caseless: forms and lemmas are lower-cased, so that ``Warns``, ``WARNS`` and
``warns`` have one lemma whatever a headline does to their letters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import corpus
from stanza.models import lemmatizer

if TYPE_CHECKING:
    from pathlib import Path

    from languages import Language

__all__ = ["train"]

_LONGEST = 18
"""Characters; longer forms are mostly web addresses, which teach nothing."""

_TYPES_A_SENTENCE = 50


def _lower_lemmas(treebank: corpus.Treebank) -> corpus.Treebank:
    return [
        replace(tree, nodes=tuple(replace(node, lemma=node.lemma.lower()) for node in tree.nodes))
        for tree in treebank
    ]


def _types(treebank: corpus.Treebank) -> corpus.Treebank:
    """Return the distinct (form, tag, lemma) of a treebank, wrapped up as sentences.

    Words that the treebank marks (a typing error, a word in two pieces) are left out.
    """
    seen: dict[tuple[str, str, str], corpus.Node] = {}
    for tree in treebank:
        for node in tree.nodes:
            marked = node.deprel == "goeswith" or "CorrectForm" in node.misc
            if len(node.form) <= _LONGEST and node.lemma != "_" and not marked:
                form = node.form.lower()
                key = (form, node.upos, node.lemma)
                seen.setdefault(key, replace(node, form=form, misc="_", head="0", deprel="root"))
    nodes = [seen[key] for key in sorted(seen)]
    starts = range(0, len(nodes), _TYPES_A_SENTENCE)
    return [corpus.Tree(tuple(nodes[i : i + _TYPES_A_SENTENCE]), False) for i in starts]


def train(language: Language, treebank: Path, work: Path, seed: int) -> Path:
    """Train the lemmatiser and return the best checkpoint on the development set.

    The sequence model sees each type once; the dictionary counts all running words,
    so that a form with two lemmas gets the more frequent one.
    """
    trees = _lower_lemmas(corpus.read(treebank / name for name in language.train))
    running = corpus.write(trees, work / "lemma-running.conllu")
    types = corpus.write(_types(trees), work / "lemma-types.conllu")
    dev_trees = corpus.recase(_lower_lemmas(corpus.read([treebank / language.dev])), "lower")
    dev = corpus.write(dev_trees, work / "lemma-dev.conllu")
    lemmatizer.main(
        [
            *("--shorthand", language.treebank, "--caseless", "--skip_blank_lemmas"),
            *("--train_file", str(types), "--secondary_file", str(running)),
            *("--eval_file", str(dev), "--num_epoch", str(language.lemma_epochs)),
            *("--hidden_dim", "100", "--emb_dim", "40", "--pos_dim", "40"),
            *("--emb_dropout", "0.3", "--dropout", "0.3"),
            *("--save_dir", str(work), "--save_name", "lemma.pt"),
            *("--seed", str(seed), "--cpu"),
        ]
    )
    return work / "lemma.pt"
