"""A ``.wa`` file that is to be perturbed, line by line."""

from dataclasses import dataclass, replace

__all__ = ["ARROW", "Draft", "Row"]

ARROW = "<==>"


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of an alignment line; ``rest`` is the comment."""

    one: str
    two: str
    types: str
    score: str
    rest: str

    @classmethod
    def read(cls, line):
        sides, types, score, rest = line.split("//", 3)
        one, two = sides.split(ARROW)
        return cls(one.strip(), two.strip(), types.strip(), score.strip(), rest.strip())

    def __str__(self):
        return f"{self.one} {ARROW} {self.two} // {self.types} // {self.score} // {self.rest} "

    @property
    def aligned(self):
        return "0" not in (self.one, self.two)

    def but(self, **fields):
        return replace(self, **fields)


@dataclass(slots=True)
class Draft:
    """The lines of a file; bytes that are not UTF-8 are lone surrogates."""

    lines: list[str]

    @classmethod
    def read(cls, content):
        return cls(content.decode("utf-8", "surrogateescape").split("\n"))

    def copy(self):
        return Draft(list(self.lines))

    @property
    def content(self):
        return "\n".join(self.lines).encode("utf-8", "surrogateescape")

    def rows(self, change):
        """Replace each alignment line by what becomes of it: a row, a text, several, nothing."""
        lines = []
        for line in self.lines:
            found = change(Row.read(line)) if ARROW in line else line
            lines += map(str, found) if isinstance(found, list) else [str(found)]
        self.lines = lines

    def each(self, change):
        """Replace each line by what becomes of it: a line, or several, or none."""
        lines = []
        for line in self.lines:
            found = change(line)
            lines += found if isinstance(found, list) else [found]
        self.lines = lines

    def blocks(self, change):
        """Replace the sentences, each a list of lines."""
        blocks = []
        for line in self.lines:
            if line.startswith("<sentence"):
                blocks.append([])
            blocks[-1].append(line)
        self.lines = [line for block in change(blocks) for line in block]

    def words(self, change):
        """Change words in texts and token lines; they are the same for the same word."""
        self.each(
            lambda line: (
                "// " + " ".join(map(change, line[3:].split(" ")))
                if line.startswith("// ")
                else f"{line.split(' ')[0]} {change(line.split(' ')[1])} : "
                if line.endswith(" : ") and ARROW not in line
                else line
            )
        )
