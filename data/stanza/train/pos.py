"""The tagger: Stanza's own model and data loaders under a short training loop.

Stanza's stock loop keeps the learning rate constant. For a small model on a small
budget a cosine that ends at 0 is worth more than anything else that was tried.
"""

from __future__ import annotations

import logging
import math
import time
from itertools import chain
from typing import TYPE_CHECKING

import agree
import corpus
import torch
from stanza.models import tagger
from stanza.models.common import utils
from stanza.models.pos.data import Dataset
from stanza.models.pos.trainer import Trainer
from stanza.utils.conll import CoNLL

if TYPE_CHECKING:
    from pathlib import Path

    from languages import Language

__all__ = ["train"]

_log = logging.getLogger("train.pos")

_EVALUATE_EVERY = 300
_WARM_UP = 100

_ARGUMENTS = """
    --no_pretrain
    --hidden_dim 128 --char_hidden_dim 64 --char_emb_dim 32 --transformed_dim 64
    --word_emb_dim 64 --deep_biaff_hidden_dim 96 --composite_deep_biaff_hidden_dim 16
    --tag_emb_dim 32 --dropout 0.4 --word_dropout 0.15 --lr 3e-3 --cpu
"""


def _learning_rate(step: int, steps: int, peak: float) -> float:
    """Rise linearly for a few steps, then fall to 0 along a cosine."""
    warm = min(1.0, step / _WARM_UP)
    return peak * warm * 0.5 * (1 + math.cos(math.pi * step / steps))


def _accuracy(trainer: Trainer, dev: Dataset, batch_size: int) -> tuple[float, float]:
    """The share of right UPOS and XPOS tags on gold tokens, in per cent."""
    gold = dev.doc.get(["upos", "xpos"], as_sentences=True)
    words = upos = xpos = 0
    with torch.no_grad():
        for batch in dev.to_loader(batch_size=batch_size):
            for number, sentence in zip(batch.idx, trainer.predict(batch), strict=True):
                for want, have in zip(gold[number], sentence, strict=True):
                    words += 1
                    upos += want[0] == have[0]
                    xpos += want[1] == have[1]
    return 100 * upos / words, 100 * xpos / words


def train(language: Language, treebank: Path, work: Path, seed: int) -> Path:
    """Train the tagger and return the checkpoint of the last step.

    The checkpoint is written at every evaluation, so that an interrupted run leaves a
    usable, if weaker, model behind.
    """
    trees = list(chain.from_iterable(agree.training(language, treebank)))
    copied = list(chain.from_iterable(agree.training(language, treebank, whole=language.whole)))
    files = [corpus.write(trees, work / "pos.conllu")]
    ratios = [1.0]
    for case, ratio in language.copies:
        files.append(corpus.write(corpus.recase(copied, case), work / f"pos-{case}.conllu"))
        ratios.append(ratio)
    dev_trees = corpus.read([treebank / language.dev])
    if not language.xpos:
        dev_trees = corpus.without_xpos(dev_trees)
    dev_file = corpus.write(dev_trees, work / "pos-dev.conllu")

    args = tagger.parse_args(_ARGUMENTS.split())
    args |= {
        "lang": language.code,
        "shorthand": language.treebank,
        "seed": seed,
        "batch_size": language.batch_size,
        "word_cutoff": language.word_cutoff,
        "train_file": ";".join(map(str, files)),
        "train_ratios": ";".join(map(str, ratios)),
        "max_steps": language.pos_steps,
    }
    utils.set_random_seed(seed)
    vocab, _, batches = tagger.load_training_data(args, None)
    dev = Dataset(CoNLL.conll2doc(str(dev_file)), args, None, vocab=vocab, evaluation=True)
    trainer = Trainer(args=args, vocab=vocab, device="cpu")

    checkpoint = work / "pos.pt"
    step, loss, began = 0, 0.0, time.monotonic()
    while step < language.pos_steps:
        for batch in batches:
            step += 1
            rate = _learning_rate(step, language.pos_steps, args["lr"])
            for optimizer in trainer.optimizers.values():
                for group in optimizer.param_groups:
                    group["lr"] = rate
            loss += float(trainer.update(batch))
            if step % _EVALUATE_EVERY == 0 or step == language.pos_steps:
                upos, xpos = _accuracy(trainer, dev, args["batch_size"])
                trainer.save(str(checkpoint))
                _log.info(
                    "step %d of %d, %.0f s: loss %.3f, dev UPOS %.2f%s",
                    *(step, language.pos_steps, time.monotonic() - began),
                    *(loss / _EVALUATE_EVERY, upos),
                    f", XPOS {xpos:.2f}" if language.xpos else "",
                )
                loss = 0.0
            elif step % 50 == 0:
                _log.info("step %d, %.0f s", step, time.monotonic() - began)
            if step == language.pos_steps:
                break
    return checkpoint
