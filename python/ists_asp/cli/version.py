"""``ists-asp --version``: the version, and with ``--verbose`` all that decides answers."""

from __future__ import annotations

import platform
from importlib.metadata import version as installed

from ists_asp._version import __version__
from ists_asp.cli.console import table

_LIBRARIES = ("clingo", "stanza")


def version(*, verbose: bool) -> str:
    """The text to print.

    Raises:
        IstsError: a shipped rule file or model is missing or faulty.
    """
    text = f"ists-asp {__version__}\n"
    return text + _details() if verbose else text


def _details() -> str:
    from ists_asp.annotate.stanza import find
    from ists_asp.engine.provenance import file_digest, provenance
    from ists_asp.knowledge import shipped_vectors
    from ists_asp.knowledge.reader import reader_digest, shipped_reader
    from ists_asp.resources import asp_dir, data_dir, rules_dir
    from ists_asp.rules import list_profiles, read_profile_rules

    rows = [("python", platform.python_version())]
    rows += [(name, installed(name)) for name in _LIBRARIES]
    rows += [("machine", str(asp_dir())), ("rules", str(rules_dir()))]
    rows.append(("lexicon", file_digest(data_dir() / "lexicon" / "wordnet.sqlite")))
    made_by = [
        provenance(files.profile, files.every, find(files.profile.language))
        for files in map(read_profile_rules, list_profiles())
    ]
    languages = sorted({one.stanza.partition(" ")[0] for one in made_by})
    rows += [
        (f"vectors {language}", file_digest(file))
        for language in languages
        if (file := shipped_vectors(language)) is not None
    ]
    rows.append(("reader", reader_digest(shipped_reader())))
    rows += [("models", stanza) for stanza in dict.fromkeys(one.stanza for one in made_by)]
    for one in made_by:
        weights = ", ".join(one.weights) or "none"
        rows.append((f"profile {one.profile}", f"rules {one.rules}, weights {weights}"))
    return table(rows)
