"""The pages of the site that are made from the code: commands, predicates, evidence and more."""

from pathlib import Path

ROOT = Path(__file__).parents[2]

FOLDER = ROOT / "docs" / "reference"
"""Where the pages lie in a source distribution; they are in no repository."""


def write(folder: Path = FOLDER) -> list[Path]:
    """Write the pages into a folder, which is made if need be, and return their files."""
    from docs.pages.commands import commands
    from docs.pages.evidence import evidence
    from docs.pages.findings import findings
    from docs.pages.kinds import kinds
    from docs.pages.schemas import schemas
    from docs.pages.vocabulary import vocabulary

    folder.mkdir(exist_ok=True)
    pages = {
        "commands.md": commands(),
        "evidence.md": evidence(),
        "findings.md": findings(),
        "kinds.md": kinds(),
        "schemas.md": schemas(),
        "vocabulary.md": vocabulary(ROOT),
    }
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in pages]
