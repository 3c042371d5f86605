"""Write ``pairs.txt``: the digests of the pairs that shipped weights are learned from.

``python data/learned/build.py DATA/*/*.wa > data/learned/pairs.txt``
"""

import sys
from pathlib import Path

from ists_asp.evaluate.files import pair_digest, read_references

digests = {
    pair_digest((one.pair.sent1.text, one.pair.sent2.text))
    for name in sys.argv[1:]
    for one in read_references(Path(name)).values()
}
print("\n".join(sorted(digests)))
