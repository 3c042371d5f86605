"""Where the files that are not Python lie: encodings, rules and data.

A wheel carries them in ``ists_asp/share/``. An editable install has no such folder:
there they are the top-level folders of the checkout that the package was imported from.
"""

from __future__ import annotations

from pathlib import Path

from ists_asp.errors import ResourceError

_PACKAGE = Path(__file__).resolve().parent


def asp_dir() -> Path:
    """Return the absolute folder of the machine (``asp/``)."""
    return _find("asp")


def rules_dir() -> Path:
    """Return the absolute folder of the shipped rules (``lp_rules/``)."""
    return _find("lp_rules")


def data_dir() -> Path:
    """Return the absolute folder of samples, models, lexicon and vectors (``data/``)."""
    return _find("data")


def _find(name: str) -> Path:
    candidates = (_PACKAGE / "share" / name, _PACKAGE.parents[1] / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise ResourceError(
        f"the folder {name}/ of ists-asp is missing",
        where=str(_PACKAGE),
        expected=" or ".join(str(folder) for folder in candidates),
        hint="Reinstall ists-asp from a wheel, or from a complete checkout",
    )
