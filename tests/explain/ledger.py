"""What a reader finds wrong with explanations who has the two sentences and the text only.

Words are compared by their stems. What a word or two of grammar say is passed over.
"""

import re
from collections import Counter

import snowballstemmer

SAME = ("say the same", "another order", "dicen lo mismo", "dicen las mismas", "otro orden")
LANGUAGES = {
    "en": ("english", "first", "second", "“”"),
    "es": ("spanish", "primera", "segunda", "«»"),
}
SMALL = {
    "en": """
        a an and are as at be been being but by did do does for from had has have he her him
        his if in is it its no nor not of on or she so than that the their them then there
        these they this those to was we were what when which who will with without would you
        your any both each some all very only also just can could may might must shall
        should up out down off over under into onto about after before because while near
        between through during
    """,
    "es": """
        a al ante bajo como con contra cuando de del desde donde e el ella ellas ellos en
        entre era eran es esa ese eso esta este esto fue fueron ha han hasta hay la las le
        les lo los me mi más muy ni no nos o para pero por que se ser sin sino sobre su sus
        también te tras un una unas uno unos y ya él está están si solo sido
    """,
}


class Ledger:
    """Counts what is wrong with texts in a language, and keeps the cases."""

    def __init__(self, language="en"):
        name, self._first, self._second, self._marks = LANGUAGES[language]
        self._stem = snowballstemmer.stemmer(name).stemWord
        self._small = set(SMALL[language].split())
        self.texts = self.words = self.untold = 0
        self.found = Counter()
        self.cases = []

    def read(self, sent1, sent2, text):
        """Look at the explanation of two sentences."""
        self.texts += 1
        words = [self._words(sent) for sent in (sent1, sent2)]
        same = any(phrase in text.lower() for phrase in SAME)
        if not text.strip():
            self._note("empty", sent1, sent2, text)
        if sent1.split() == sent2.split() and not same:
            self._note("identical", sent1, sent2, text)
        if not same and max(len(sent.split()) for sent in (sent1, sent2)) <= 25:
            told = set(self._words(text))
            lost = [word for sent in words for word in sent if word not in told]
            self.words += sum(map(len, words))
            self.untold += len(lost)
            if lost:
                self.cases.append(("untold", *lost, sent1, sent2, text))
        for side, rest in re.findall(
            rf"\b(?:only|solo) (?:the|la) (\w+)((?:[^.;“«]|{self._quotation})*)", text, re.I
        ):
            other = words[1] if side == self._first else words[0]
            quoted = " ".join(re.findall(self._quotation, rest))
            if set(self._words(quoted)) & set(other):
                self._note("only", sent1, sent2, text)
        opening, closing = self._marks
        if re.search(
            rf" [,.;:?!)](?: |$)|[{opening}] | [{closing}]|[.,;]{closing}|\b(an?|the) (an?|the)\b",
            text,
        ):
            self._note("form", sent1, sent2, text)
        if text.count(opening) != text.count(closing):
            self._note("marks", sent1, sent2, text)

    def rate(self, kind):
        """Of 100 texts so many have a fault; of 100 words so many are told nowhere."""
        if kind == "untold":
            return 100 * self.untold / max(self.words, 1)
        return 100 * self.found[kind] / max(self.texts, 1)

    @property
    def _quotation(self):
        opening, closing = self._marks
        return f"{opening}[^{closing}]*{closing}"

    def _words(self, text):
        found = re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", text.lower())
        return [
            self._stem(word)
            for word in found
            if word not in self._small and (len(word) > 1 or word.isdigit())
        ]

    def _note(self, kind, *case):
        self.found[kind] += 1
        self.cases.append((kind, *case))
