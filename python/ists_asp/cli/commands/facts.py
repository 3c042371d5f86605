"""``ists-asp facts`` and ``ists-asp chunk``: what the rules see of a pair, and its chunks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from ists_asp.cli import options
from ists_asp.cli.console import progress, read_pairs, write_output
from ists_asp.cli.driver import working
from ists_asp.cli.files import OUTPUTS, check_target, check_written, command, known_ending
from ists_asp.errors import UsageError
from ists_asp.io.files import Use
from ists_asp.pipeline.source import Source
from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from ists_asp.engine import Setup, System
    from ists_asp.model import Pair
    from ists_asp.rules import Purpose
    from ists_asp.rules.source import RuleSource

_LONGEST = 200  # characters of a file's name that are the pair's id

_CHANGED = re.compile(r"(?<![\w'])(?:_\w+'|excepted\()")
"""In rules that are not as in their file: a private predicate that two have, an exception."""


@command("""
  ists-asp facts "12 killed in bus accident" "10 killed in road accident"
  ists-asp facts --sent1 a.txt --sent2 b.txt --id 12 -o pair12.lp
  ists-asp facts --sent1 a.txt --sent2 b.txt --profile images -o facts/
  sh -c "python -m $(sed -n 's/^% clingo/clingo/p' pair12.lp)"
  ists-asp facts --bundle --program rating --profile sts-en "a cat" "two cats" -o rated.lp
""")
@options.input_options
@options.setup_options()
@options.choice_option(
    *("--program", "answer", "explanation", "rating"),
    text="Purpose of the facts: to decide an answer, or to explain or rate it.",
)
@options.option("--bundle", "Include the rules, for clingo without ists-asp.")
@options.output_option(
    text="Output file. For several pairs a folder, created if needed, with one file ID.lp per "
    "pair.",
    kind=OUTPUTS,
)
@click.pass_context
def facts(
    context: click.Context,
    source: Source,
    setup: Setup,
    program: str,
    bundle: bool,
    output: Path | None,
) -> None:
    """Print the facts of a pair, and the clingo command that solves it.

    In: pairs of sentences, as for ists-asp solve; a pair's id is its line number, or the id in
    its table. With several pairs, choose one with --id or name a folder with -o.

    Out: an ASP program. Its comments give the sentences and a command line for plain clingo
    (python -m clingo if there is no program clingo). The optimal answer equals that of ists-asp
    solve. If the command ends with -, it reads the program from standard input. With --program
    explanation or rating, the optimum equals that of ists-asp explain, or of ists-asp sts with
    the same profile. With --bundle, the file also has the rules and no paths of this machine; its
    head lists the objectives, constants and shown predicates.
    """
    pairs = read_pairs(source, setup)
    several = len(pairs) > 1 or (output is not None and output.is_dir())
    targets = _in_folder(output, pairs) if several else [output]
    files = [target for target in targets if target is not None]
    # A folder is made at the end, if need be.
    for file in [output] if output is not None and not output.is_dir() else files:
        check_target(f"-o {file}", file)
    if not several:
        known_ending(output, [".lp"])
    check_written(context, [Use(f"-o {file}", file) for file in files])
    with working(setup) as run:
        annotated = run.annotated(pairs)
        question = partial(_programs, targets=targets, program=program, bundle=bundle)
        texts = run.ask(question, annotated)
    if several and output is not None:
        output.mkdir(exist_ok=True)
    for target, text in zip(targets, texts, strict=True):
        write_output(target, text)


def _programs(
    system: System,
    pairs: Sequence[Pair],
    targets: Sequence[Path | None],
    program: str,
    *,
    bundle: bool,
) -> Iterator[str]:
    from ists_asp.rules import Purpose, find_program
    from ists_asp.run.worker import counted
    from ists_asp.vocabulary import facts_text

    setup, purpose = system.setup, Purpose(program)
    _, sources = find_program(setup.profile, setup.rules, purpose, reader=setup.reader)
    if not bundle and setup.rules:
        found = f"of rules of your own, the {purpose} takes only what it can use"
        if not (partial := any(source.fitting for source in sources)):
            found = "rules have exceptions, or two files a private predicate of one name"
        if partial or any(_CHANGED.search(rule.text) for rule in setup.load_program(purpose).rules):
            hint = "Write rules and facts together: --bundle"
            raise UsageError(found, where=f"--program {purpose}", hint=hint)
    head, rules = _bundled(system, purpose, sources) if bundle else ("", "")
    facts = counted(system.program_facts(pairs, purpose))
    for (pair, symbols), target in zip(facts, targets, strict=True):
        line = _command(system, () if bundle else sources, target)
        yield f"{_head(system, pair, line)}{head}{facts_text(symbols)}{rules}"


def _in_folder(output: Path | None, pairs: Sequence[Pair]) -> list[Path | None]:
    if output is None or (not output.is_dir() and (output.suffix == ".lp" or output.exists())):
        where = None if output is None else f"-o {output}"
        hint = "Choose one with --id ID, or name a folder with -o DIR"
        raise UsageError(f"{len(pairs)} pairs", where=where, hint=hint)
    return [output / _file_name(pair.id) for pair in pairs]


def _file_name(identifier: str) -> str:
    """An id as the name of a file, which has fewer characters and cannot be as long."""
    name = quote(identifier, safe=" ")
    digest = f"~{sha256(identifier.encode()).hexdigest()[:16]}" if len(name) > _LONGEST else ""
    return f"{name[:_LONGEST]}{digest}.lp"


def _head(system: System, pair: Pair, line: str) -> str:
    head = (
        f"pair {pair.id}",
        f"1: {pair.sent1.text}",
        f"2: {pair.sent2.text}",
        str(system.provenance),
        f"words are compared by: {', '.join(system.knowledge)}",
        "UNSATISFIABLE? Two weights for one name: add --text, and look for two_weights.",
        line,
    )
    return "".join(f"% {unbroken(line)}\n" for line in head)


def _command(system: System, sources: Sequence[RuleSource], target: Path | None) -> str:
    """The command line of plain clingo, for facts and rule files, or for a file that has both."""
    here, paths = Path.cwd(), [source.path for source in sources]
    words = ["clingo", "--opt-strategy=usc"]
    for name, value in system.constants.items() if sources else ():
        words += ["-c", f"{name}={value}"]
    words += (str(path.relative_to(here) if path.is_relative_to(here) else path) for path in paths)
    words.append("-" if target is None else str(target) if sources else target.name)
    return shlex.join(words)


def _bundled(system: System, purpose: Purpose, sources: Sequence[RuleSource]) -> tuple[str, str]:
    """The objectives, constants and shown predicates as comments; the rules, file by file.

    Values of constants stand above the rules, in place of their definitions there. The user's
    files are named as in their folder, wherever that is.
    """
    from clingo.ast import ASTType

    from ists_asp.rules.source import read_source

    setup = system.setup
    rules, constants = setup.load_program(purpose), system.constants

    def place(name: str) -> str:
        path = PurePath(name)
        tops = (rule.parent for rule in setup.rules if path.is_relative_to(rule.parent))
        return path.relative_to(next(tops, "")).as_posix()

    goals, values, shown = {}, dict(constants), dict[str, None]()
    for node, rule in rules.both:
        if node.ast_type is ASTType.Minimize:
            sign = "maximize" if str(node.weight).startswith("-") else "minimize"
            named = f"{rule.sentence} ({rule.name}, " if rule.sentence else f"{rule.text} ("
            goals[f"{sign}: {named}{place(rule.file)})"] = str(node.priority)
        elif node.ast_type is ASTType.Definition:
            values.setdefault(node.name, str(node.value))
        elif node.ast_type in (ASTType.ShowSignature, ASTType.ShowTerm):
            shown[str(node).removeprefix("#show ")[:-1]] = None
    ranked = sorted(goals.items(), key=lambda goal: -int(goal[1]) if goal[1].isdigit() else 1)
    lines = [
        "or python -m clingo; without options the optimum is the same, but may take long.",
        *["What is best, by priority, the highest first:"][: len(ranked)],
        *(f"  @{priority} {goal}" for goal, priority in ranked),
        f"Constants (-c NAME=VALUE): {', '.join(map(' = '.join, values.items()))}",
        f"Shown: {', '.join(shown)}",
    ]
    head = "".join(f"% {unbroken(line)}\n" for line in lines)
    parts = [f"#const {name} = {value}.\n" for name, value in constants.items()]
    set_ = rf'#const\s+(?:{"|".join(constants) or "-"})\s*=(?:"(?:[^"\\]|\\.)*"|[^".])*\.'
    partial = {source.path for source in sources if source.fitting}
    renamed = {rule.file for rule in rules.rules if _CHANGED.search(rule.text)}
    for file in rules.files:
        if file.path in partial or file.name in renamed:
            # Some statements do not fit in, or have names of their own.
            text = "\n".join(
                f'%@rule {rule.name}: "{rule.sentence}"\n' * bool(rule.sentence) + rule.text
                for node, rule in rules.both
                if rule.file == file.name and node.ast_type is not ASTType.Program
            )
        else:
            source, _ = read_source(file.path, file.name)
            text = source.without(source.includes())
        rules_text = re.sub(set_, r"%*\g<0>*%", text).strip()
        # Another part of a program ends with its file.
        base = "#program base.\n" if "#program" in rules_text else ""
        if rules_text:
            parts.append(f"\n% ======== {place(file.name)}\n\n{rules_text}\n{base}")
    return f"{head}\n% ======== the facts\n\n", "".join(["\n", *parts])


@command("""
  ists-asp chunk "the bulb is on" "the bulb is lit because the switch is closed"
  ists-asp chunk --sent1 a.txt --sent2 b.txt --side 1 -o a.chunk.txt
  ists-asp chunk --tsv pairs.tsv --profile images
""")
@options.input_options
@options.setup_options()
@click.option("--side", type=click.Choice(["1", "2"]), help="Only this sentence of each pair.")
@options.output_option(".txt")
def chunk(source: Source, setup: Setup, side: str | None, output: Path | None) -> None:
    """Find the chunks of sentences.

    In: pairs of sentences, as for ists-asp solve.

    Out: [ a chunk ] [ another one ], one sentence per line: the first and the second sentence
    of each pair in turn, or those of one --side. --chunked reads the lines back.
    """
    pairs = read_pairs(source, setup)
    with working(setup) as run, progress(len(pairs), shown=not source.quiet) as done:
        chunked = run.ask(_chunked, run.annotated(pairs), step=done)
    sides = slice(None) if side is None else slice(int(side) - 1, int(side))
    write_output(output, "".join(f"{line}\n" for lines in chunked for line in lines[sides]))


def _chunked(system: System, pairs: Sequence[Pair]) -> Iterator[tuple[str, str]]:
    from ists_asp.io.pairs import format_chunks
    from ists_asp.run.worker import counted

    for answer, _ in counted(system.decided(pairs)):
        pair = answer.pair_in_chunks
        yield format_chunks(pair.sent1), format_chunks(pair.sent2)
