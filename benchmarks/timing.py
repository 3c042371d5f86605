"""How long the stages took, for each pair and altogether."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.engine.answer import Durations

if TYPE_CHECKING:
    from ists_asp.engine import Timings

STAGES = ("annotation", "knowledge", "facts", "grounding", "solving")


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of a run over some pairs.

    ``totals`` are seconds for each of :data:`STAGES`; ``decided`` is the time of grounding
    and solving, for each pair; ``wall`` is everything together, files not included.
    """

    totals: tuple[float, ...]
    decided: Durations
    wall: float

    @classmethod
    def of(cls, stages: Timings, wall: float) -> Timing:
        """The times that a system measured."""
        totals = (
            stages.annotation,
            stages.knowledge,
            stages.facts,
            stages.grounding,
            stages.solving,
        )
        # A copy: the system goes on counting.
        decided = Durations()
        decided.merge(stages.decided)
        return cls(totals, decided, wall)

    @property
    def means(self) -> tuple[float, ...]:
        """Milliseconds a pair for each of :data:`STAGES`."""
        return tuple(1000 * total / max(1, len(self.decided)) for total in self.totals)

    @property
    def pairs_per_second(self) -> float:
        """Pairs through all stages in a second."""
        return len(self.decided) / self.wall if self.wall else 0.0

    def decided_ms(self, share: float) -> float:
        """Milliseconds that ``share`` of the pairs took at most to ground and solve."""
        return 1000 * self.decided.quantile(share)

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "seconds": dict(zip(STAGES, (round(total, 3) for total in self.totals), strict=True)),
            "ms_per_pair": dict(zip(STAGES, (round(mean, 3) for mean in self.means), strict=True)),
            "decide_ms": {
                "p50": round(self.decided_ms(0.5), 2),
                "p95": round(self.decided_ms(0.95), 2),
                "max": round(self.decided_ms(1), 2),
            },
            "wall_seconds": round(self.wall, 3),
            "pairs_per_second": round(self.pairs_per_second, 1),
        }
