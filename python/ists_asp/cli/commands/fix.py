"""``ists-asp fix``: from a claim about a pair to edits that make it hold."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli import options
from ists_asp.cli.console import note, progress, read_gold, warn, write_output
from ists_asp.cli.files import OUTPUTS, READ, SENTENCE, command
from ists_asp.errors import DataError, RuleError, UsageError, shortened
from ists_asp.io.files import atomic_writer
from ists_asp.io.formats import format_answer
from ists_asp.resources import data_dir
from ists_asp.rules.source import LARGEST
from ists_asp.terminal import visible

if TYPE_CHECKING:
    from ists_asp.engine import Setup, System
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.fix.trial import Fix
    from ists_asp.rules.examples import Example

FOLDER = Path("fixes")
_REFUSED = {
    "": "",
    "breaks": " and breaks no example of the shipped rules",
    "harms": " and does more good than harm",
}
_HEAD = re.compile(r"[%#] fix (\d+) \((\w+)\): ")  # its number, and a digest of what is below


@command("""
  ists-asp fix "Storm cuts power" "Storm cuts electricity" '"power" ~ "electricity" EQUI'
  ists-asp fix "A dog runs" "A dog sprints" '"runs" ~ "sprints" SPE2 4' --gold mine.wa
  ists-asp fix "A red car" "A blue car" '"A red car" not aligned' --apply 1
  ists-asp fix "He left" "He stayed" "rating < 2" --profile sts-en --json
  ists-asp fix "It is heavy" "It is dense" 'point "is dense" missing' --question "Why?"
  ists-asp fix --gold corrections/news.wa --profile headlines
  ists-asp fix --undo
""")
@click.argument(
    "sentences", nargs=-1, type=SENTENCE, metavar="[SENTENCE1 SENTENCE2 CLAIM...] | [FILE.wa...]"
)
@options.option(
    "--gold FILE",
    "Gold pairs (.wa) to measure edits by; without sentences their wrong decisions are the claims. "
    "Repeatable. "
    "Default: the profile's shipped sample.",
    multiple=True,
    type=READ,
)
@options.option(
    "--question TEXT", "The question that both sentences answer, for a verdict or point."
)
@options.number_option("--apply", "Write the edit of this number to a file of its own in --into.")
@options.option(
    "--into DIR",
    "Folder for the files of --apply and --undo; give it to other commands with --rules.",
    default=FOLDER,
    show_default=True,
    type=OUTPUTS,
)
@options.option("--undo", "Remove the file that --apply wrote last.")
@options.skip_option
@options.profile_options
@options.templates_option
@options.json_option
@options.quiet_option
@click.pass_context
def fix(
    context: click.Context,
    sentences: tuple[str, ...],
    gold: tuple[Path, ...],
    question: str | None,
    apply: int | None,
    into: Path,
    undo: bool,
    skip_bad: bool,
    setup: Setup,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the smallest edits that make a claim about a pair hold.

    In: two sentences and claims as in %@example: "x" ~ "y" EQUI, "x" ~ "y" SIMI 3, "x" not aligned,
    chunk "x", says "…", rating > 4; of an answer and its model answer verdict correct, or
    point "x" found, missing or contradicted; see the tutorial for rule writers. All must hold.

    Out: at most seven edits, each as the text of a rule file or word table, tried before it is
    shown: how many gold pairs (for feedback, shipped graded answers) change, get better and worse,
    and whether the claims also hold with the sentences swapped. Edits of chunk boundaries that
    block an alignment come first, then all others; within each group those that make no gold pair
    worse, then those with the largest gain, a pair that gets worse counting twice, then the
    narrowest. Last come edits with the same effect on the pairs as an earlier one, a change of a
    weight, and edits that break an example of the shipped rules about the same words. If a gold
    pair with these sentences contradicts the claims, the output says so. The exit code is 1 if no
    edit helps; then the output says what prevents it. With --gold (and more files if you like) and
    no sentences, the wrong decisions of all gold pairs are the claims, and edits that improve more
    of them than they worsen are shown.
    """
    if undo:
        _undo(into)
        return
    if gold and all(text.endswith(".wa") for text in sentences):
        gold, sentences = (*gold, *map(Path, sentences)), ()
    elif len(sentences) < 3:
        expected = 'two sentences and a claim such as \'"power" ~ "electricity" EQUI\', or --gold'
        raise UsageError(f"{len(sentences)} arguments", expected=expected)
    from ists_asp.run.pool import apart

    golds = _gold(gold, setup, skip_bad)
    find = partial(_find_edits, setup, sentences, question or "", golds)
    with progress(None, shown=not quiet) as step:
        result, examples = apart(find, step=step, warn=warn)
    if apply is not None:
        _apply(result, apply, into, examples[0].text if examples else f"{len(golds)} gold pairs")
        return
    count = len(golds)
    text = visible("".join(_lines(result, examples, count)))
    write_output(None, _record(result, count) if as_json else text)
    context.exit(int(not (result.held or result.proposals)))


def _gold(files: Sequence[Path], setup: Setup, skip_bad: bool) -> dict[str, Reference]:
    """The pairs to measure by, with gold, by ids that differ between files."""
    shipped = data_dir() / "samples" / setup.profile / "gold.wa"
    golds: dict[str, Reference] = {}
    for file in files or [shipped] * shipped.is_file():
        for name, reference in read_gold(file, skip_bad=skip_bad).items():
            identifier = f"{file}: {name}" if len(files) > 1 else name
            golds[identifier] = replace(reference, pair=replace(reference.pair, id=identifier))
    return golds


def _find_edits(
    setup: Setup, sentences: Sequence[str], question: str, gold: dict[str, Reference]
) -> tuple[Fix, list[Example]]:
    from ists_asp.engine import System
    from ists_asp.fix.trial import fix, fix_many
    from ists_asp.run.worker import telling

    with System(setup) as system, telling(system):
        if not sentences:
            return fix_many(system, gold), []
        examples = _examples(system, sentences, question)
        return fix(
            system, examples, [reference.pair for reference in gold.values()], gold
        ), examples


def _examples(system: System, arguments: Sequence[str], question: str) -> list[Example]:
    """The claims about two sentences, whose words are those of ``solve`` or as they are given."""
    from ists_asp.rules.examples import claimed

    sent1, sent2, *claims = arguments
    profile, behind = system.setup.profile, [" ".join(question.split())] * bool(question)
    (pair,) = system.read([(sent1, sent2)])
    try:
        texts = [*(side.spaced for side in pair.sentences), *behind]
        return [claimed(texts, claim, profile) for claim in claims]
    except RuleError:
        texts = [*(" ".join(text.split()) for text in (sent1, sent2)), *behind]
        return [claimed(texts, claim, profile) for claim in claims]


def _record(result: Fix, count: int) -> dict[str, Any]:
    answer = result.answer
    about = {"wrong": result.wrong} if answer is None else {"answer": answer.to_dict()}
    return {
        **about,
        "held": result.held,
        "tried": result.tried,
        "pairs": count,
        "proposals": [asdict(edit) for edit in result.proposals],
        "lacking": list(result.lacking),
        "refused": result.refused,
        "contradicting": list(result.contradicting),
        "first": list(result.first),
    }


def _lines(result: Fix, examples: Sequence[Example], count: int) -> Iterator[str]:
    if result.answer is not None:
        yield format_answer(result.answer).partition("\n")[2]
    else:
        yield f"Wrong decisions in {count} gold pairs: {result.wrong}\n"
    if result.contradicting:
        yield f"Gold has it otherwise: pair {', '.join(map(shortened, result.contradicting))}\n"
    if result.first and result.answer is not None:
        texts = *(side.spaced for side in result.answer.pair.sentences), *result.first
        yield f"The chunks are others: claim them first: ists-asp fix {shlex.join(texts)}\n"
    if result.held:
        yield "The claim holds already.\n" * bool(examples)
        return
    if not result.proposals:
        claims = [re.split(r'(?<!\\)": ', example.text, maxsplit=1)[1] for example in examples[:1]]
        does = f"makes {claims[0]} hold" if claims else "helps"
        yield f"None of {result.tried} edits {does}{_REFUSED[result.refused]}.\n"
        yield from (f"{line}\n" for text in result.lacking for line in text.splitlines())
        return
    tried = "1 edit" if result.tried == 1 else f"{result.tried} edits"
    yield f"Tried {tried}. Those that help, best first:\n"
    for number, edit in enumerate(result.proposals, 1):
        proposal = edit.proposal
        yield f"\n{number}. {proposal.kind}: {proposal.scope} ({proposal.name}{proposal.suffix})\n"
        n = len(edit.changed)
        text = f"{n} of {count} gold pairs change: {edit}"
        if result.graded:
            yield f"   {n} shipped graded answer{'s' * (n != 1)} change{'s' * (n == 1)}: {edit}\n"
        else:
            none = "not measured, as there are no gold pairs: see --gold"
            yield f"   {text if count else none}\n"
        if edit.one_way:
            yield "   not with the sentences swapped\n"
        if edit.alone:
            yield "   no other gold pair bears it out, so that it may hold by chance\n"
        yield from (f"   breaks the example {text}\n" for text in edit.broken)
        yield from (f"     {line}\n" for line in proposal.text.splitlines())


def _apply(result: Fix, number: int, into: Path, about: str) -> None:
    if number > len(result.proposals):
        expected = f"1 to {len(result.proposals)}" if result.proposals else "an edit that helps"
        raise UsageError(f"there is no edit {number}", where="--apply", expected=expected)
    proposal = result.proposals[number - 1].proposal
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fault, hint = f"cannot be created: {error.strerror}", "Choose another folder with --into"
        raise DataError(fault, where=str(into), expected="a folder", hint=hint) from None
    done = _written(into)
    name, place = proposal.name, 1
    # A link that leads nowhere would make a file elsewhere.
    while (file := into / f"{name}{proposal.suffix}").exists() or file.is_symlink():
        place += 1
        name = f"{proposal.name}_{place}"
    mark = "#" if proposal.suffix == ".tsv" else "%"
    text = shortened(about, 200).replace("\n", " ")
    with atomic_writer(file) as stream:
        head = f"{mark} fix {max(done, default=0) + 1} ({_digest(proposal.text)}): {text}"
        stream.write(f"{head}\n{proposal.text}")
    note(f"{file} is written; try it with --rules {file}, or take it back with fix --undo")


def _written(into: Path) -> dict[int, tuple[Path, bool]]:
    """The files of a folder that ``--apply`` wrote, by number; whether each is as it was then."""
    files = {}
    for file in sorted(into.glob("*.*")) if into.is_dir() else ():
        if file.suffix in (".lp", ".tsv") and file.is_file():
            with file.open(encoding="utf-8", errors="replace") as stream:
                if match := _HEAD.match(stream.readline(1000)):
                    files[int(match[1])] = file, _digest(stream.read(LARGEST)) == match[2]
    return files


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=4).hexdigest()


def _undo(into: Path) -> None:
    written = _written(into)
    if not written:
        raise DataError("no file here was written by fix --apply", where=str(into))
    file, unchanged = written[max(written)]
    if not unchanged:
        found, hint = "somebody has edited this file since fix wrote it", "Remove it yourself"
        raise DataError(found, where=str(file), hint=hint)
    file.unlink()
    note(f"{file} is removed")
