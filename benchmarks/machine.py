"""What the figures were measured on."""

from __future__ import annotations

import os
import platform

import clingo

__all__ = ["describe_machine"]


def describe_machine(jobs: int = 1) -> str:
    """One line: versions, processor, cores, processes and the limit on threads."""
    threads = os.environ.get("OMP_NUM_THREADS", "not set")
    processes = "one process" if jobs == 1 else f"{jobs} processes"
    return (
        f"Python {platform.python_version()}, clingo {clingo.__version__}, "
        f"{platform.machine()}, {os.cpu_count()} cores, {processes}, OMP_NUM_THREADS {threads}"
    )
