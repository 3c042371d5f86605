"""The lemmatiser: Stanza's own trainer, a dictionary before a small sequence model.

It is caseless: forms and lemmas are lower-cased, so that ``Warns``, ``WARNS`` and
``warns`` have one lemma whatever a headline does to their letters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import agree
import corpus
from lexicon import Lexicon, read, sample
from stanza.models import lemmatizer
from stanza.models.lemma.trainer import Trainer

if TYPE_CHECKING:
    from pathlib import Path

    from languages import Language

__all__ = ["train"]

_LONGEST = 18
"""Characters; longer forms are mostly web addresses, which teach nothing."""

_TYPES_A_SENTENCE = 50

_SHORT = 7
"""Letters of an infinitive whose forms are all in the dictionary."""


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
                seen.setdefault(key, replace(node, form=form, misc="_"))
    nodes = [seen[key] for key in sorted(seen)]
    starts = range(0, len(nodes), _TYPES_A_SENTENCE)
    return [corpus.Tree(tuple(nodes[i : i + _TYPES_A_SENTENCE]), False) for i in starts]


def _followed(treebanks: list[corpus.Treebank]) -> corpus.Treebank:
    """Join treebanks; words that the first one knows are dropped from the others."""
    guide, *others = treebanks
    known = {(node.form.lower(), node.upos) for tree in guide for node in tree.nodes}
    kept = [
        replace(tree, nodes=nodes)
        for treebank in others
        for tree in treebank
        if (nodes := tuple(n for n in tree.nodes if (n.form.lower(), n.upos) not in known))
    ]
    return [*guide, *kept]


def _training(language: Language, treebank: Path) -> corpus.Treebank:
    treebanks = agree.training(language, treebank)
    if language.whole:
        whole = agree.training(language, treebank, whole=True)
        treebanks = [cut + kept for cut, kept in zip(treebanks, whole, strict=True)]
    trees = _followed(treebanks) if language.guided else list(chain.from_iterable(treebanks))
    return _lower_lemmas(trees)


def _dictionary(trees: corpus.Treebank, lexicon: Lexicon) -> dict[str, dict[str, str]]:
    """Return UPOS → form → lemma, the most frequent one in the treebanks.

    The lexicon adds the forms of verbs that occur there and of short ones, which are
    common and which the sequence model finds hardest, unless two verbs share a form. It
    also replaces lemmas of the treebanks that are no verbs (``pasan``: ``pasan``).
    """
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for tree in trees:
        for node in tree.nodes:
            if node.lemma != "_":
                counts[node.upos, node.form.lower()][node.lemma] += 1
    table: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for (upos, form), lemmas in sorted(counts.items()):
        table[upos][form] = lemmas.most_common(1)[0][0]
    verbs: defaultdict[str, set[str]] = defaultdict(set)
    for form, _, lemma in lexicon.verbs:
        verbs[form].add(lemma)
    known = {lemma for _, _, lemma in lexicon.verbs}
    occurring = {node.lemma for tree in trees for node in tree.nodes if node.upos == "VERB"}
    wanted = {lemma for lemma in known if lemma in occurring or len(lemma) <= _SHORT}
    for form, lemmas in sorted(verbs.items()):
        if len(lemmas) == 1 and lemmas <= wanted and table["VERB"].get(form) not in known:
            (table["VERB"][form],) = lemmas
    return dict(table)


def train(language: Language, treebank: Path, work: Path, seed: int) -> Path:
    """Train the lemmatiser and return the best checkpoint on the development set.

    The sequence model sees each type once; the dictionary counts all running words,
    so that a form with two lemmas gets the more frequent one.
    """
    trees = _training(language, treebank)
    lexicon = read(language.lexicon, treebank) if language.lexicon else None
    drawn = [sample(lexicon, language.lexicon.draw, seed)] if lexicon and language.lexicon else []
    running = corpus.write(trees, work / "lemma-running.conllu")
    types = corpus.write(_types([*trees, *drawn]), work / "lemma-types.conllu")
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
    checkpoint = work / "lemma.pt"
    if lexicon:
        trainer = Trainer(model_file=str(checkpoint), device="cpu")
        trainer.pos_dict = _dictionary(trees, lexicon)
        trainer.save(str(checkpoint))
    return checkpoint
