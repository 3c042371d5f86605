"""Languages: all that the code knows of one, as an object; a profile's rules know the rest.

Each module of this package has a ``LANGUAGE``. Its words, by which texts are cut and recognised,
may be a table of ``data/languages.toml``; ``data/texts`` has its messages by the English ones.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from ists_asp.errors import DataError, UsageError
from ists_asp.model import Sentence
from ists_asp.resources import data_dir

PLURAL_ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z]s")  # GPs, PhDs
FEWEST = 2  # so many small words of another language make a text one of that language
LETTERS = 4  # so many letters of another script, if they are most of a sentence
SHARE = 5  # one word in so many is a small word of it, at least


@dataclass(frozen=True, slots=True)
class Language:
    """A language that sentences may be in."""

    code: str  # what profiles call it, such as en
    stanza: str = ""  # the language of Stanza's models, if they have another code
    lexicon: str = ""  # its file in data/lexicon; none without it
    thesaurus: bool = False  # the lexicon has synonyms only
    has_vectors: bool = False  # data/vectors has a file for it
    encoder: str | None = None  # the reader that compares whole sentences in it
    plain: Callable[[str], str] = str  # a word without the accents that do not tell words apart
    stem: Callable[[str], str] | None = None  # a word in lower case without its endings
    has_endings: bool = False  # its forms are told by their endings
    digits: Callable[[str], str] = str  # a word in digits as English writes it
    samples: tuple[str, ...] = ()  # the folders of data/samples that a project in it begins with

    @property
    def words(self) -> Words:
        """Its table of words; one that has none has an empty table."""
        return tables().get(self.code, Words())

    @property
    def vectors(self) -> Path | None:
        """The file of the word vectors that ists-asp carries for it, or None."""
        return data_dir() / "vectors" / f"{self.code}.npz" if self.has_vectors else None


@dataclass(frozen=True)
class Words:
    """Words of a language, in lower case and with straight apostrophes."""

    name: str = ""  # what people call the language
    small: frozenset[str] = frozenset()  # its most frequent words
    letters: str = ""  # an expression for a letter of its script, if that tells it
    acronyms: frozenset[str] = frozenset()  # what they are not in capitals
    before_capitals: bool = False  # they count before a capital, too
    abbreviations: frozenset[str] = frozenset()  # words that end with a period, without it
    clitics: tuple[str, ...] = ()  # endings that are words of their own, longest first
    apart: tuple[str, ...] = ()  # those of them that are tokens of their own in text
    stopped: frozenset[str] = frozenset()  # more abbreviations, if a word of the text follows
    contractions: Mapping[str, int] = field(default_factory=dict)  # tokens, and where to cut
    dashes: frozenset[str] = frozenset()  # marks that are cut off at both ends, not before a digit
    elisions: frozenset[str] = frozenset()  # words that begin with an apostrophe, which is no quote
    corrected: Mapping[str, str] = field(default_factory=dict)  # lemmas by form, but of verbs
    lemmas: str = ""  # an expression for tags, forms and regular lemmas, with blanks between

    @cached_property
    def in_text(self) -> Words:
        """These, with no other clitics than those that are tokens of their own in text."""
        apart = {w: at for w, at in self.contractions.items() if f"'{w[at:]}" in self.apart}
        return replace(self, contractions=apart, clitics=self.apart)


@cache
def languages() -> Mapping[str, Language]:
    """All languages, by their codes, sorted."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return dict(sorted((module.LANGUAGE.code, module.LANGUAGE) for module in modules))


def language(code: str) -> Language:
    """The language of a code; a UsageError that lists those there are if it has none."""
    if code not in languages():
        raise UsageError(f"there is no language '{code}'", expected=" or ".join(languages()))
    return languages()[code]


def guess(sentences: tuple[Sentence, Sentence], expected: str) -> str:
    """The code of two sentences' language: the expected one, unless script or small words differ.

    Another script has most letters of a sentence. Another language has :data:`FEWEST` small words
    in a sentence or in both, one word in :data:`SHARE`, and more than the expected one. Small words
    before a capital (El Salvador) count only where the table says so.
    """
    if expected not in tables():
        return expected
    for text in [sentence.text for sentence in sentences if not sentence.text.isascii()]:
        for code, words in tables().items():
            letters = len(re.findall(words.letters, text)) if words.letters else 0
            if letters >= LETTERS and 2 * letters > sum(map(str.isalpha, text)):
                return code
    for group in (sentences, sentences[:1], sentences[1:]):
        count, size = _counts(*group), sum(len(sentence.tokens) for sentence in group)
        best, number = max(count.items(), key=lambda item: item[1], default=(expected, 0))
        if number >= FEWEST and number * SHARE >= size and number > count[expected]:
            return best
    return expected


def foreign(
    sentences: tuple[Sentence, Sentence], wanted_code: str, profile: str, where: str | None = None
) -> DataError | None:
    """The fault of sentences in another language than the ``own`` one of a profile, if any."""
    if (code := guess(sentences, wanted_code)) == wanted_code:
        return None
    expected = f"{tables()[wanted_code].name}, the language of the profile {profile}"
    found, hint = f"this looks like {tables()[code].name}", "Choose another profile"
    return DataError(found, where=where, expected=expected, hint=hint)


def _counts(*sentences: Sentence) -> Counter[str]:
    """How many small words of each language sentences have; one that comes twice is one."""
    forms = [[token.form for token in row.tokens] for row in sentences]
    small = {
        (code, word)
        for row in forms
        for form, following in zip(row, [*row[1:], ""][: len(row)], strict=True)
        for word in (form.lower(),)
        for code, words in _by_word().get(word, ())
        if form not in words.acronyms
        and (words.before_capitals or form.isupper() or not following[:1].isupper())
    }
    return Counter(code for code, _ in small)


@cache
def _by_word() -> Mapping[str, Sequence[tuple[str, Words]]]:
    """The languages that have a small word, by the word."""
    languages = defaultdict(list)
    for code, words in tables().items():
        for word in words.small:
            languages[word].append((code, words))
    return languages


@cache
def tables() -> Mapping[str, Words]:
    """The words of each language, by its code, as ``data/languages.toml`` has them."""
    with (data_dir() / "languages.toml").open("rb") as stream:
        return {code: _words(**table) for code, table in tomllib.load(stream).items()}


def _words(
    name: str, small: str = "", before_capitals: bool = False, contractions: str = "", **lists: str
) -> Words:
    cuts = {word.replace("|", ""): word.index("|") for word in contractions.split()}
    lemmas = (word.partition(":") for word in lists.pop("corrected", "").split())
    corrected = {form: lemma or form for form, _, lemma in lemmas}
    expressions = {key: lists.pop(key, "") for key in ("lemmas", "letters")}
    tuples: dict[str, Any] = {key: tuple(text.split()) for key, text in lists.items()}
    for key in tuples.keys() - {"clitics", "apart"}:
        tuples[key] = frozenset(tuples[key])
    tuples |= expressions | {"small": frozenset(small.split()), "before_capitals": before_capitals}
    return Words(name, contractions=cuts, corrected=corrected, **tuples)


@cache
def texts_of(language: str, kind: str = "texts") -> Mapping[str, str]:
    """The texts of a language by English ones, or its ``rules``, ``degrees`` or ``errors``."""
    path = data_dir() / "texts" / f"{language}.{kind}.tsv"
    lines = path.read_text("utf-8").splitlines() if path.is_file() else ()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def say(language: str, text: str, /, **values: object) -> str:
    """A text in a language, with values for its {names}; of "one|many" the one that fits n."""
    singular, _, plural = texts_of(language).get(text, text).partition("|")
    return (plural if plural and values.get("n") != 1 else singular).format_map(values)


@cache
def _messages(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Parts of messages with slots as expressions, the longest first, and what to say instead."""

    def expression(text: str) -> re.Pattern[str]:
        part = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(text))
        begin, end = r"(?:^|(?<=[:;.,] )|(?<=; expected ))", r"(?=[:;.,] |\.?$)"
        return re.compile(f"{begin}{part}{end}", re.MULTILINE)

    texts = [*texts_of(language, "errors").items()]
    texts.sort(key=lambda text: (text[0].startswith("expected"), -len(text[0])))
    return [(expression(text), re.sub(r"\{(\w+)\}", r"\\g<\1>", theirs)) for text, theirs in texts]


def translated(language: str, message: str) -> str:
    """A message of an error, its parts in the language as far as its table of ``errors`` goes."""
    for part, theirs in _messages(language):
        message = part.sub(theirs, message)
    return message


def by_degree(language: str, text: str) -> str:
    """A reason with words of degree for its percentages and points."""
    for pattern, steps in texts_of(language, "degrees").items():
        limits = [step.partition(" ") for step in steps.split("|")]

        def word(match: re.Match[str], limits: Sequence[tuple[str, str, str]] = limits) -> str:
            degree = int(match["n"] or 0)
            return match.expand(next(words for limit, _, words in limits if degree < int(limit)))

        text = re.sub(pattern, word, text)
    return text
