"""``python -m docs.pages`` writes the pages that are made from the code to docs/reference/.

With ``--pictures`` it draws those of docs/pictures/ instead, for which it needs a Chromium.
"""

import sys

from docs.pages import ROOT, write

if sys.argv[1:] == ["--pictures"]:
    from docs.pages.pictures import draw

    files = draw()
else:
    files = write()
for file in files:
    print(file.relative_to(ROOT))
