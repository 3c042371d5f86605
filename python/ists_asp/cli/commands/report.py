"""``ists-asp report``: pairs in, a page for the browser out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from ists_asp.cli import console, options
from ists_asp.cli.console import Failures
from ists_asp.cli.driver import working
from ists_asp.cli.files import command
from ists_asp.errors import DataError, UsageError, shortened
from ists_asp.pipeline.source import Source, no_such_pair

if TYPE_CHECKING:
    from ists_asp.engine import Setup, System
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Answer, Pair
    from ists_asp.report import Comparison, Entry, Report

BATCH = 50  # pairs that are traced, rated and told together, as traces take memory


@command("""
  ists-asp report "12 killed in bus accident" "10 killed in road accident" -o report.html
  ists-asp report --sent1 a.txt --sent2 b.txt --profile headlines -o report.html
  ists-asp report --sent1 a.chunk.txt --sent2 b.chunk.txt --chunked --gold gold.wa -o report.html
  ists-asp report --answers theirs.wa --gold gold.wa -o theirs.html
  ists-asp report --sent1 a.txt --sent2 b.txt --compare theirs.wa --gold gold.wa -o both.html
""")
@partial(options.input_options, optional=True)
@options.setup_options()
@options.file_option(
    "--gold", "Compare with the alignments in this .wa file; pairs are matched by id."
)
@options.file_option(
    "--answers", "Show the answers in this .wa file, from any system, instead of solving."
)
@options.file_option(
    "--compare", "Also show the answers in this .wa file; pairs are matched by id."
)
@options.output_option(
    ".html", ".htm", text="Output HTML file, written atomically. Default: standard output."
)
def report(
    source: Source,
    setup: Setup,
    gold: Path | None,
    answers: Path | None,
    compare: Path | None,
    output: Path | None,
) -> None:
    """Show answers, and the rules behind them, on an HTML page.

    In: pairs of sentences, as for ists-asp solve; or with --answers, the pairs of that file.

    Out: one HTML file that works offline. For each pair it shows the aligned chunks, an
    explanation and a rating; click a link to see the rules that fired for it. Pairs can be
    filtered by label, score, words and differences, and sorted. With --gold it shows the
    official measures as well. The page's URL keeps the filters; #pair-ID jumps to a pair.
    """
    if answers is None:
        source.check()
    elif source.has_input:
        hint = "Leave out the other pairs, or give the file with --compare"
        raise UsageError("--answers has pairs of its own", hint=hint)
    from ists_asp.report import Entry, Report, page

    profile = setup.load_profile()
    if answers is None:
        content, failures = _decided(source, setup, gold, compare, output)
    else:
        loaded, failures = _read_answers(answers, source), Failures()
        others = _Others([answer.pair for answer in loaded], gold, compare, source.skip_bad)
        entries = [Entry(answer, beside=others.beside(answer)) for answer in loaded]
        content = Report(entries, f"ists-asp report: {answers.name}", name=answers.name)
    content = replace(content, scheme=profile.scheme, language=profile.language)
    console.write_output(output, page(content))
    failures.end(failures.count + len(content.entries))


def _decided(
    source: Source, setup: Setup, gold: Path | None, compare: Path | None, output: Path | None
) -> tuple[Report, Failures]:
    pairs = console.read_pairs(source, setup)
    others = _Others(pairs, gold, compare, source.skip_bad)
    if not source.text:
        # At once, rather than after the time that solving takes.
        for pair in pairs:
            others.about(pair)
    from ists_asp.report import Report

    began = time.perf_counter()
    profile = setup.load_profile()
    tells, rates = profile.explanation is not None, profile.rating is not None
    # Faulty rules are no pair's failure: they load with the others.
    with working(replace(setup, explained=tells, rated=rates)) as run:
        results = run.ask_each(run.annotated(pairs), _entries, size=BATCH, quiet=source.quiet)
        entries = [entry for _, entry in results if not isinstance(entry, str)]
        for entry in entries:
            console.warn_of(entry.answer, setup.limits.seconds)
        stages, made_by = run.system.stages, str(run.system.provenance)
        stages.merge(run.asker.times)
    entries = [replace(entry, beside=others.beside(entry.answer)) for entry in entries]
    if not (source.quiet or source.single):
        summary = console.summary(len(pairs), time.perf_counter() - began, stages)
        console.note(summary if output is None else f"{output}: {summary}")
    return Report(entries, f"ists-asp report: {setup.profile}", made_by), run.failures


def _entries(system: System, pairs: Sequence[Pair]) -> Iterator[Entry]:
    from ists_asp.report import Entry, evidence
    from ists_asp.run.worker import counted
    from ists_asp.trace.trace import look_ahead

    traces = list(counted(system.trace_annotated(pairs)))
    look_ahead(traces)
    reasons = list(counted(map(evidence, traces)))
    answers = [trace.answer for trace in traces]
    if system.rates:
        answers = list(system.rated((trace.answer, trace.facts) for trace in traces))
    texts: Iterator[str] = repeat("")
    if system.profile.explanation is not None:
        texts = (explanation.text for explanation in system.explain_many(answers))
    return map(Entry, answers, texts, reasons)


def _read_answers(path: Path, source: Source) -> list[Answer]:
    from ists_asp.io.wa import given_answer

    references, identifier = console.read_gold(path, skip_bad=source.skip_bad), source.identifier
    if identifier is not None and identifier not in references:
        raise no_such_pair(identifier, list(references))
    chosen = references.values() if identifier is None else [references[identifier]]
    return [given_answer(reference.pair, reference.alignments) for reference in chosen]


class _Others:
    """Alignments from files beside which answers stand: gold, and those of another system."""

    def __init__(
        self, pairs: Sequence[Pair], gold: Path | None, compare: Path | None, skip_bad: bool
    ) -> None:
        from ists_asp.report.page import GOLD

        files = {GOLD: gold} if compare is None else {GOLD: gold, compare.name: compare}
        existing = ((name, file) for name, file in files.items() if file)
        read = partial(console.read_aligned, pairs=pairs, skip_bad=skip_bad)
        self._files = [(name, file, read(file)) for name, file in existing]

    def about(self, pair: Pair) -> dict[str, Reference]:
        """The data about a pair; data about other sentences are refused."""
        about = {name: pairs[pair.id] for name, _, pairs in self._files if pair.id in pairs}
        for name, file, _ in self._files:
            if name in about and about[name].pair.sizes != pair.sizes:
                sizes = "{} and {} tokens".format(*about[name].pair.sizes)
                found = f"pair {shortened(pair.id)} has {sizes}"
                expected = "{} and {}, as the sentences have".format(*pair.sizes)
                hint = "Give the sentences that the alignments are about"
                raise DataError(found, where=str(file), expected=expected, hint=hint)
        return about

    def beside(self, answer: Answer) -> dict[str, Comparison]:
        from ists_asp.report import compare

        about = self.about(answer.pair).items()
        return {name: compare(answer, reference.alignments) for name, reference in about}
