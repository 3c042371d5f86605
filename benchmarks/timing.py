"""How long the stages took, for each pair and altogether."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ists_asp.engine import Timings

STAGES = ("annotation", "knowledge", "facts", "grounding", "solving")


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of a run over some pairs.

    ``totals`` are seconds for each of :data:`STAGES`; ``decided`` counts the pairs by the time of
    grounding and solving, in hundredths of a millisecond; ``wall`` is everything together, files
    not included.
    """

    totals: tuple[float, ...]
    decided: Counter[int]
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
        return cls(totals, Counter(stages.decided), wall)

    @property
    def means(self) -> tuple[float, ...]:
        """Milliseconds a pair for each of :data:`STAGES`."""
        return tuple(1000 * total / max(1, self.decided.total()) for total in self.totals)

    @property
    def pairs_per_second(self) -> float:
        """Pairs through all stages in a second."""
        return self.decided.total() / self.wall if self.wall else 0.0

    def decided_ms(self, share: float) -> float:
        """Milliseconds that ``share`` of the pairs took at most to ground and solve."""
        times = sorted(self.decided.elements()) or [0]
        return times[max(0, math.ceil(share * len(times)) - 1)] / 100

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
