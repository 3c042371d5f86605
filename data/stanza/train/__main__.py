"""Train the shipped Stanza models: ``python data/stanza/train --ud DIR --out DIR LANG``."""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import lemma
import pack
import pos
import score
import tokenizer
import torch
from languages import LANGUAGES, PACKAGE, Language

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger("train")

_TRAINERS: dict[str, Callable[[Language, Path, Path, int], Path]] = {
    "tokenize": tokenizer.train,
    "pos": pos.train,
    "lemma": lemma.train,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python data/stanza/train",
        description="Train, shrink, install and score Stanza models for one language.",
    )
    parser.add_argument("language", choices=sorted(LANGUAGES))
    parser.add_argument("--ud", type=Path, required=True, help="directory of CoNLL-U files")
    parser.add_argument("--out", type=Path, required=True, help="directory of the models")
    parser.add_argument(
        "--only", choices=[*_TRAINERS, "score"], help="train this model, or just score all"
    )
    parser.add_argument("--work", type=Path, help="keep intermediate files here")
    parser.add_argument("--seed", type=int, default=1234)
    return parser.parse_args()


def _run(args: argparse.Namespace, work: Path) -> None:
    language = LANGUAGES[args.language]
    for processor, train in _TRAINERS.items():
        if args.only in (None, processor):
            began = time.monotonic()
            checkpoint = train(language, args.ud, work, args.seed)
            target = pack.pack(checkpoint, language, processor, args.out)
            _log.info("%s after %.1f minutes", target, (time.monotonic() - began) / 60)
    pack.write_resources(language, args.out)
    missing = [
        processor
        for processor in pack.PROCESSORS
        if not (args.out / language.code / processor / f"{PACKAGE}.pt").exists()
    ]
    if missing:
        _log.info("not scored: %s still to be trained", ", ".join(missing))
    else:
        print(score.report(language, args.ud, args.out))


def main() -> None:
    """Run the command line."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    # One thread: the order of additions, and so the result, stays the same.
    torch.set_num_threads(1)
    args = _arguments()
    if args.work:
        args.work.mkdir(parents=True, exist_ok=True)
        _run(args, args.work)
    else:
        with tempfile.TemporaryDirectory() as work:
            _run(args, Path(work))


if __name__ == "__main__":
    main()
