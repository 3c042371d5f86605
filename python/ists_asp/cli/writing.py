"""The one way that pairs are decided and written, whatever the engine: all of them, or a part."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import of_pair
from ists_asp.io.formats import Written, writing_rows
from ists_asp.run.pool import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ists_asp.cli.inputs import PairSource
    from ists_asp.engine import Setup, System, Timings
    from ists_asp.io.formats import Format
    from ists_asp.io.tables import Text
    from ists_asp.rules import RuleWarning
    from ists_asp.run.pool import Inline, Pool
    from ists_asp.run.worker import Outcome


@dataclass(frozen=True, slots=True)
class Task:
    """How pairs are decided and written: a table gets ``columns``, a ``strict`` one ends early."""

    setup: Setup
    shape: Format
    columns: tuple[str, ...] = ()
    strict: bool = False

    def write(
        self,
        source: PairSource,
        system: System,
        deciding: Inline | Pool,
        target: Text,
        traces: Text | None,
        stages: Timings,
        tell: Callable[[RuleWarning], None],
    ) -> Iterator[Outcome]:
        """Decide and write pairs; yield what became of each when it is written."""
        shape, table = self.shape, source.inputs.table
        record, first = system.provenance.to_dict(), not source.inputs.before
        pairs = source.inputs.tokenized(system, source.pairs())
        with ExitStack() as stack:
            if self.columns:
                rows = writing_rows(shape, target, self.columns, table)
                put_rows = stack.enter_context(rows)
            for outcome in run(pairs, system, deciding, stages, tell):
                pair, failure = outcome.pair, outcome.failure
                if failure is not None and self.strict:
                    failure.where = of_pair(pair.id)
                    raise failure
                for faulty, fault in source.faulty():
                    if self.columns:
                        put_rows(fault, faulty)
                row = source.rows.popleft()[0] if table is not None else None
                written = Written(
                    pair,
                    outcome.answers,
                    failure.found if failure else None,
                    outcome.knowledge,
                    record,
                    ranked=self.setup.models > 1,
                    alone=source.inputs.one,
                    explanation=outcome.explanation,
                    others=source.others(row),
                )
                if self.columns:
                    put_rows(written, row)
                else:
                    target.write(shape.between * (not first) + shape.write(written))
                first = False
                if traces is not None:
                    traces.write(outcome.trace)
                yield outcome
            for faulty, fault in source.faulty():
                if self.columns:
                    put_rows(fault, faulty)
        stages.merge(system.stages)
