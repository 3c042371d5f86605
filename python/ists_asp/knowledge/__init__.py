"""Knowledge of the words of a pair: meanings, nearness, spelling and numbers.

Only what the pair's own words need is collected, in an order that does not vary.
"""

import os

# ONNX Runtime would tell its maker what it is used for, and keep a file for that: nothing here
# asks anything of a network. It looks when it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from ists_asp.knowledge.knowledge import Knowledge

__all__ = ["Knowledge"]
