"""``ists-asp report``: pairs in, a page for the browser out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ists_asp.cli import options
from ists_asp.cli.console import note, summary, warn_unproven, write_output
from ists_asp.cli.files import command
from ists_asp.cli.inputs import read_aligned
from ists_asp.errors import DataError, shortened
from ists_asp.run.watch import Failed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import Setup
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Pair


@command("""
  ists-asp report "12 killed in bus accident" "10 killed in road accident" -o report.html
  ists-asp report --sent1 a.txt --sent2 b.txt --profile headlines -o report.html
  ists-asp report --sent1 a.chunk.txt --sent2 b.chunk.txt --chunked --gold gold.wa -o report.html
""")
@options.input_options
@options.setup_options()
@options.file_option("--gold", "Compare with the alignments in this .wa file, pairs by their ids.")
@options.output_option(
    *(".html", ".htm"),
    text="HTML file to write; it appears whole or not at all. Default: standard output.",
)
def report(inputs: Inputs, setup: Setup, gold: Path | None, output: Path | None) -> None:
    """Show answers, and the rules behind them, on a page for the browser.

    In: pairs of sentences, as for ists-asp solve.

    Out: one HTML file that needs no network. For each pair it has a picture of its aligned
    chunks and an explanation in words; a click on a link shows the rules that fired for it.
    Labels, scores, words and, with --gold, differences from gold can be filtered.
    """
    pairs = inputs.read()
    right = read_aligned(gold, pairs) if gold is not None else {}
    if not inputs.text:
        # At once, rather than after the time that solving takes.
        for pair in pairs:
            _check_size(gold, right.get(pair.id), pair)
    from ists_asp.cli.driver import working
    from ists_asp.report import Entry, compare, evidence, page

    entries: list[Entry] = []
    began = time.perf_counter()
    with working(setup) as run:
        system = run.system
        system.explainer  # noqa: B018 (faulty rules are no pair's failure)

        def shown(some: Iterator[Pair]) -> Iterator[Entry]:
            for trace in system.trace_annotated(some):
                answer = trace.answer
                known = right.get(answer.pair.id)
                _check_size(gold, known, answer.pair)
                compared = None if known is None else compare(answer, known.alignments)
                words = system.explain(answer).text
                yield Entry(answer, words, evidence(trace), compared)

        inputs.warn_untokenized(system, pairs)
        annotated = list(system.annotate(inputs.tokenized(system, pairs)))
        seconds = setup.limits.seconds
        for one in run.on_each(
            annotated, shown, lambda pair: pair, quiet=inputs.quiet, seconds=seconds
        ):
            if not isinstance(one, Failed):
                entries.append(one)
                warn_unproven(one.answer, seconds)
        stages, made_by = system.stages, str(system.provenance)
    write_output(output, page(entries, f"ists-asp report: {setup.profile}", made_by))
    if not (inputs.quiet or inputs.single):
        note(summary(len(pairs), time.perf_counter() - began, stages))
    run.failures.end(len(pairs))


def _check_size(path: Path | None, gold: Reference | None, pair: Pair) -> None:
    """Refuse gold that is about other sentences."""
    if gold is None:
        return
    given, found = (
        tuple(len(sentence.tokens) for sentence in (one.sent1, one.sent2))
        for one in (gold.pair, pair)
    )
    if given != found:
        raise DataError(
            f"pair {shortened(pair.id)} has {given[0]} and {given[1]} tokens",
            where=str(path),
            expected=f"{found[0]} and {found[1]}, as the sentences have",
            hint="Give the sentences that the alignments are about",
        )
