"""What a reader finds wrong with explanations who has the two sentences and the text only."""

import re
from functools import cache

import snowballstemmer

SAME = ("say the same", "another order", "dicen lo mismo", "dicen las mismas", "otro orden")
LANGUAGES = {"en": ("english", "first", "“”"), "es": ("spanish", "primera", "«»")}
_SMALL = {
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
"""What a word or two of grammar say is passed over."""


@cache
def _stem(language):
    return snowballstemmer.stemmer(LANGUAGES[language][0]).stemWord


def _words(text, language):
    """The stems of words, by which they are compared."""
    small = _SMALL[language].split()
    found = re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", text.lower())
    long = (word for word in found if word not in small and (len(word) > 1 or word.isdigit()))
    return [_stem(language)(word) for word in long]


def faults(sent1, sent2, text, language="en"):
    """The kinds of faults of an explanation, and of each word whether it is told or untold."""
    _, first, (opening, closing) = LANGUAGES[language]
    quotation = f"{opening}[^{closing}]*{closing}"
    sides = [_words(sent, language) for sent in (sent1, sent2)]
    same = any(phrase in text.lower() for phrase in SAME)
    if not text.strip():
        yield "empty"
    if sent1.split() == sent2.split() and not same:
        yield "identical"
    if not same and max(len(sent1.split()), len(sent2.split())) <= 25:
        told = set(_words(text, language))
        yield from ("told" if word in told else "untold" for side in sides for word in side)
    only = rf"\b(?:only|solo) (?:the|la) (\w+)((?:[^.;“«]|{quotation})*)"
    for side, rest in re.findall(only, text, re.IGNORECASE):
        quoted = _words(" ".join(re.findall(quotation, rest)), language)
        if set(quoted) & set(sides[side == first]):
            yield "only"
    odd = rf" [,.;:?!)](?: |$)|[{opening}] | [{closing}]|[.,;]{closing}|\b(an?|the) (an?|the)\b"
    if re.search(odd, text):
        yield "form"
    if text.count(opening) != text.count(closing):
        yield "marks"
