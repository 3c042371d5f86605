"""A program in one piece, to be sent to somebody: its rules as they were written, and a head."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.rules import find_program
from ists_asp.rules.source import read_source
from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from ists_asp.engine.system import System
    from ists_asp.rules import Purpose


def bundled(system: System, purpose: Purpose) -> tuple[str, str]:
    """What is best, the constants and what is shown, as comments; and the rules, file by file.

    Values of constants stand above the rules, in place of their definitions there. The user's
    files are named as in their folder, wherever that is.
    """
    setup = system.setup
    rules, constants = setup.load_program(purpose), system.constants

    def place(name: str) -> str:
        path = PurePath(name)
        tops = (one.parent for one in setup.rules if path.is_relative_to(one.parent))
        return path.relative_to(next(tops, "")).as_posix()

    goals, values, shown = {}, dict(constants), dict[str, None]()
    for node, rule in zip(rules.statements, rules.rules, strict=True):
        if node.ast_type is ASTType.Minimize:
            sign = "maximize" if str(node.weight).startswith("-") else "minimize"
            named = f"{rule.sentence} ({rule.name}, " if rule.sentence else f"{rule.text} ("
            goals[f"{sign}: {named}{place(rule.file)})"] = str(node.priority)
        elif node.ast_type is ASTType.Definition:
            values.setdefault(node.name, str(node.value))
        elif node.ast_type in (ASTType.ShowSignature, ASTType.ShowTerm):
            shown[str(node).removeprefix("#show ")[:-1]] = None
    ranked = sorted(goals.items(), key=lambda one: -int(one[1]) if one[1].isdigit() else 1)
    lines = [
        "or python -m clingo; without options the optimum is the same, but may take long.",
        *["What is best, by priority, the highest first:"][: len(ranked)],
        *(f"  @{priority} {said}" for said, priority in ranked),
        f"Constants (-c NAME=VALUE): {', '.join(map(' = '.join, values.items()))}",
        f"Shown: {', '.join(shown)}",
    ]
    head = "".join(f"% {unbroken(line)}\n" for line in lines)
    parts = [f"#const {name} = {value}.\n" for name, value in constants.items()]
    set_ = rf'#const\s+(?:{"|".join(constants) or "-"})\s*=(?:"(?:[^"\\]|\\.)*"|[^".])*\.'
    _, sources = find_program(setup.profile, setup.rules, purpose, reader=setup.reader)
    partial = {source.path for source in sources if source.fitting}
    for file in rules.files:
        if file.path in partial:
            # Some statements do not fit in.
            text = "\n".join(
                f'%@rule {rule.name}: "{rule.sentence}"\n' * bool(rule.sentence) + rule.text
                for node, rule in zip(rules.statements, rules.rules, strict=True)
                if rule.file == file.name and node.ast_type is not ASTType.Program
            )
        else:
            source, _ = read_source(file.path, file.name)
            text = source.without(source.includes())
        own = re.sub(set_, r"%*\g<0>*%", text).strip()
        # Another part of a program ends with its file.
        base = "#program base.\n" if "#program" in own else ""
        if own:
            parts.append(f"\n% ======== {place(file.name)}\n\n{own}\n{base}")
    return f"{head}\n% ======== the facts\n\n", "".join(["\n", *parts])
