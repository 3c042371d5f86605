"""Proposals for a claim about a wrong pair, found by a worker of their own and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from ists_asp.engine import System
from ists_asp.errors import UsageError
from ists_asp.evaluate.scorer import Reference
from ists_asp.fix.trial import fix
from ists_asp.model import Pair, Sentence
from ists_asp.rules.examples import Example, claimed
from ists_asp.run.pool import SECONDS, Limit, Worker
from ists_asp.run.worker import with_rules
from ists_asp.syntax.ground import quoted
from ists_asp.terminal import visible
from ists_asp.workbench.corrections import Corrections, Tokens
from ists_asp.workbench.desk import Bench, Newest
from ists_asp.workbench.project import RULES


class Wrong(BaseModel):
    """A claim that should hold of chunks, or of one, behind which it stands in an example."""

    model_config = ConfigDict(extra="forbid")

    sent1: Annotated[str, Field(max_length=2000)]
    sent2: Annotated[str, Field(max_length=2000)]
    tokens1: Tokens = []
    tokens2: Tokens = []
    claim: Annotated[str, Field(max_length=100)]
    profile: Annotated[str, Field(max_length=100)] | None = None
    corpus: Annotated[str, Field(max_length=200)] | None = None


def _proposed(
    worker: System,
    rules: tuple[Path, ...],
    example: Example,
    pairs: Sequence[Pair],
    gold: Mapping[str, Reference],
) -> dict[str, Any]:
    result = fix(with_rules(worker, rules, checked=False), [example], pairs, gold or None)
    proposals = [asdict(edit) for edit in result.proposals]
    return {"held": result.held, "proposals": proposals, "lacking": list(result.lacking)}


def _words(sentence: Sentence, tokens: Sequence[int]) -> str:
    if tokens and [*tokens] != [*range(tokens[0], tokens[-1] + 1)]:
        hint = "Choose another, or write the rule yourself"
        raise UsageError("these words do not stand side by side", hint=hint)
    return " ".join(sentence.tokens[at - 1].form for at in tokens if at <= len(sentence.tokens))


def router(bench: Bench) -> APIRouter:
    """The route of proposals."""
    routes = APIRouter(prefix="/project/fix", tags=["fix"])
    newest, corrections, project = Newest(), Corrections(bench.project), bench.project
    workers: dict[str, Worker] = {}
    running = dict[str, bool]()

    def worker(profile: str) -> Worker:
        if profile not in workers:
            setup = replace(bench.desks.setup(profile), rules=(), incremental=True)
            workers[profile] = Worker(setup)
            bench.closing.callback(workers[profile].close)
        return workers[profile]

    @routes.post("", summary="Edits that make a claim about a pair hold, best first")
    def propose(wrong: Wrong) -> dict[str, Any]:
        profile, name = wrong.profile or project.profile, wrong.corpus
        first, second = (" ".join(text.split()) for text in (wrong.sent1, wrong.sent2))
        pair = bench.desks.desk(profile).pair(first, second)
        sides = zip(pair.sentences, (wrong.tokens1, wrong.tokens2), strict=True)
        words = [quoted(text) for sentence, at in sides if (text := _words(sentence, at))]
        clean = (sentence.text for sentence in pair.sentences)
        example = claimed(clean, f"{' ~ '.join(words)} {wrong.claim}", profile)
        names = project.corpora()
        corpus = project.corpus(name if name in names else names[0]) if names else None
        gold = dict(corpus.gold) if corpus else {}
        for id_, answer in corrections.mended(corpus.name)[0].items() if corpus else ():
            gold[id_] = Reference(answer.pair, answer.alignments)
        pairs = corpus.pairs if corpus else ()
        rules = tuple(project.rule_files())
        question = partial(_proposed, rules=rules, example=example, pairs=pairs, gold=gold)
        wanted, asker = newest.wanted(profile), worker(profile)
        if running.get(profile):
            asker.interrupt()
        running[profile] = True
        try:
            result = asker.ask(question, limit=Limit.of_work(SECONDS), wanted=wanted)
        finally:
            running[profile] = not wanted()
        texts = {pair.id: [pair.sent1.text, pair.sent2.text] for pair in pairs}
        for proposal in result["proposals"]:
            proposal["worst"] = [(id_, *texts[id_]) for id_ in proposal["worst"]]
        folder = f"{project.root / RULES}/"
        lacking = [visible(line).replace(folder, "") for line in result["lacking"]]
        about = {"corpus": corpus.name if corpus else None, "pairs": len(pairs), "gold": len(gold)}
        return {**result, "lacking": lacking, "claim": example.text, **about}

    return routes
