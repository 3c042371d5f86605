"""Measurements of the checkout that they lie in: accuracy, speed and memory.

Run from the root of the checkout::

    python -m benchmarks
    python -m benchmarks.accuracy

The first measures the samples stage by stage and runs those that need no data: ``scaling`` and
``memory``, each of which can be run alone; so can ``lengths`` and ``waits``. ``compare`` measures
another commit as well. ``accuracy`` and ``tracing`` need the task's data.

What is measured is always ``python/ists_asp`` of this checkout, whether the package is
installed or not; its dependencies must be. (``compare`` names another checkout in the
environment.)
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The root of the checkout."""

sys.path.insert(0, str(Path(os.environ.get("ISTS_ASP_BENCHMARKED", ROOT)) / "python"))
