"""Command lines, and words of what they say: of the only line of error, or of the output.

A row is a command line, the exit code, and words with | between them. ^ begins the output, ! goes
before words that are not there, and <<< before standard input; a line that begins with a blank
belongs to the row above. A faulty command writes no file.
"""

import shlex
from pathlib import Path
from string import Template

import pytest

from ists_asp.resources import data_dir
from tests.faults.place import FEW, pairs

NAMES = {
    "gold": data_dir() / "samples" / "headlines" / "gold.wa",
    "bus": '"12 killed in bus accident" "10 killed in road accident" --profile headlines',
    "long": '"12 killed in bus accident in Pakistan" "10 killed in road accident in NW Pakistan" '
    "--profile headlines --reader none",
    "chunked": '{"sent1": "a", "sent2": "b", "chunks1": [[1, 1]], "chunks2": [[1, 1]]}',
    "alic": '--profile pilot-2015-images --chunked "[ A black dog ] [ and ] [ a white dog ] '
    '[ run ] [ . ]" "[ Two dogs ] [ run ] [ . ]"',
}

LINES = r"""
solve | 2 there is no input; expected two sentences, --table FILE, --sent1 F1
solve a | 2 one sentence; expected two sentences
solve a b c | 2 3 sentences; expected two sentences
solve - | 2 - alone does not say what standard input holds; expected --tsv -
solve - - | 2 standard input (-) cannot be both sentences
solve a b --sent1 f | 2 sentences on the command line do not go with --sent1
solve a b --tsv f | 2 sentences on the command line do not go with --tsv
solve --sent1 f | 2 --sent1 without --sent2. Add --sent2 FILE
solve --sent2 f | 2 --sent2 without --sent1. Add --sent1 FILE
solve --sent1 - --sent2 - | 2 standard input (-) cannot be both sentences
solve --sent1 f --tsv g | 2 --sent1 does not go with --tsv
solve --tsv f --jsonl g | 2 --jsonl does not go with --tsv
solve --tsv f --chunked | 2 --chunked does not go with --tsv
solve --jsonl f --chunked | 2 --chunked does not go with --jsonl
solve a b --chunked --raw | 2 --chunked does not go with --raw
solve a b --raw --tokens | 2 --tokens does not go with --raw
solve a b --header | 2 options about columns and rows need a table
solve a b --profile headline | 2 lp_rules/profiles: there is no profile "headline"
solve a b --profile ../x | 2 there is no profile "../x"
solve a b -o no/such/x.wa | 2 -o no/such/x.wa: there is no folder 'no/such'
solve a b -o . | 2 -o .: this is a folder; expected the name of a file
solve --tsv pairs.tsv -o pairs.tsv | 2 this is an input file
solve a b -o x --trace x | 2 writes the same file
solve a b -n 0 | 2 Invalid value for '-n'
solve a b -n 3 | 2 does not go with the format wa
solve a b -c a | 2 'a' is not a constant
solve a b -c eagerness=1.p(1) | 2 expected an integer
solve a b -c eagerness=1000000000 | 2 an integer from -1000000
sts a b -c highest=foo | 2 the constant highest: found 'foo'; expected an integer from -1000000 to
sts a b -c highest=-3 | 2 the constant highest: found -3; expected 1 point or more
sts a b -c eagerness=2147483647 | 2 the constant eagerness: found '2147483647'; expected an int
sts a b -c 'strict="x"' | 2 the constant strict: found '"x"'; expected an integer
solve a b --reader none-such | 1 none-such: there is no embeddings.onnx; expected a reader
solve a b --profile baseline --reader . | 2 no rules for the reader .
solve a b --profile sts-en --reader use | 2 for the reader use; expected a Spanish profile
solve a b --profile sts-es --reader shipped | 2 no rules for the reader shipped
solve a b --profile baseline --reader shipped | 2 no rules for the reader shipped
solve a b --timeout 0 | 2 0.0 is not in the range
solve a b --timeout=-1 | 2 -1.0 is not in the range
solve a b --memory 0 | 2 0 is not in the range
solve a b --memory 1MB | 2 '1MB' is not a valid integer
solve a b --jobs 0 | 2 0 is not in the range
solve a b --jobs many | 2 'many' is not a valid integer
solve a b --format docx | 2 'docx' is not one of
solve a b --engine spark | 2 'spark' is not one of
solve a b --scheduler tcp://127.0.0.1:1 | 2 --scheduler without --engine dask
solve a b --rules none.lp | 1 there is no such rule file
solve a b --rules pairs.tsv | 1 is not an entry of a word table
solve a b --stanza-dir none | 1 none: no such directory
solve a b --stanza-dir . | 1 no resources.json in it
solve a b --cache pairs.tsv | 1 the cache cannot be used
solve --table a.docx | 2 a.docx: no kind of table is known by this ending; expected .csv
solve --table - | 2 --table - does not say what kind it is; expected --tsv - or --jsonl -
solve --table pairs.csv --sent1-col Answer | 2 one column of sentences
solve --table pairs.csv --id-col Kode | 2 --id-col: there is no column 'Kode' in pairs.csv
solve --table pairs.csv -q --format xlsx | 2 xlsx cannot go to standard output
solve a b -o out.json | 2 this command writes no .json; expected .wa, .csv, .tsv, .xlsx, .ods, .par
sts a b -o out.wa | 2 this command writes no .wa; expected .txt, .csv, .tsv, .xlsx, .ods, .parquet
explain a b -o out.json | 2 this command writes no .json; expected .txt, .jsonl, .csv, .tsv, .xlsx
trace a b -o out.csv | 2 this command writes no .csv; expected .txt or .md
diff old.wa new.wa -o out.html | 2 this command writes no .html; expected .txt or .md
rules where may_align a b -o out.csv | 2 this command writes no .csv; expected .txt or .md
report a b -o out.pdf | 2 this command writes no .pdf; expected .html or .htm
chunk a b -o out.tsv | 2 this command writes no .tsv; expected .txt
facts a b -o out.wa | 2 this command writes no .wa; expected .lp
learn --gold g -o out.txt | 2 this command writes no .txt; expected .lp
solve --sent x | 2 See ists-asp solve --help
solv | 2 No such command 'solv'
--verbose profiles | 2 --verbose without --version
report --format html a b | 2 No such option '--format'. See ists-asp report --help
rules copy --json a | 2 No such option '--json'. See ists-asp rules copy --help
sts -n 3 a b | 2 No such option '-n', which is one of ists-asp solve. See
chunk --json a b | 2 No such option '--json'. See ists-asp chunk --help
solve --forma text a b | 2 No such option '--forma'. Did you mean --format? See ists-asp solve
solve --model x | 2 No such option '--model'. See ists-asp solve --help
solve "" b | 1 sentence 1:1: an empty sentence; expected at least one token
solve a " " | 1 sentence 2:1: an empty sentence
solve --chunked "[ ]" "[ a ]" | 1 sentence 1:1: an empty sentence
solve --sent1 pairs.tsv --sent2 no.txt | 1 no.txt: cannot be read: No such file or directory
facts --tsv no.txt | 1 no.txt: cannot be read: No such file or directory. Check the name of the file
chunk --tsv no.txt | 1 no.txt: cannot be read: No such file or directory
solve --engine dask --table pairs.tsv | 2 writes a folder
solve --engine dask --table pairs.tsv --format xlsx -o parts | 2 cannot be written in parts
solve --engine dask a b -o out | 2 --engine dask is for files of pairs
solve a b -o memory://out | 2 an address, which --engine dask can write
solve --table $gold -o out.svg | 2 10 pairs, but svg holds one. Choose one with --id ID
solve a b -n 2 -o out.svg | 2 holds one answer a pair
report --answers $gold a b | 2 --answers has pairs of its own
report --answers $gold --id 77 -o out.html | 1 there is no pair with the id '77'
report --gold $gold | 2 there is no input
report --tsv - --gold $gold -o out.html <<< no\ta b\tc\n | 1 none of the pairs is in it
solve --tsv /dev/zero | 1 /dev/zero: this is a device
solve --tsv .. | 1 cannot be read: Is a directory
serve pairs.tsv --no-browser | 2 this is not a folder
serve . --no-browser | 2 neither empty nor a project
serve new --profile x --no-browser | 2 no profile "x"
serve new --port 70000 --no-browser | 2 70000 is not in
why | 2 there is no decision
why a "1 <==> 1" | 2 one sentence
why a b "x <==> 1" | 2 is not a list of tokens
why-not | 2 there is no decision
why-not a "1 <==> 1" | 2 one sentence
why-not a b "x <==> 1" | 2 is not a list of tokens
solve a b -c "most=a b" | 2 -c most: found 'a b'; expected an integer
solve a b -n 2 --trace x | 2 -n 2 does not go with --trace
solve <<< a cat\ta dog\n | 2 Pairs are read from standard input with --tsv - or --jsonl -
solve - b | 1 <stdin>: 0 lines; expected one sentence
solve - b <<< a\nb\n | 1 <stdin>: 2 lines; expected one sentence
solve --jsonl - --raw <<< $chunked\n | 1 pair 1: the pair has chunks, which --raw cannot keep
sts a b --profile baseline | 1 the table [rating] is missing
sts a b --baseline tokencos --format jsonl | 2 ratings only
sts "a b" "b c" --baseline tokencos | 0 ^2.500000\n
sts --tsv - --baseline tokencos <<< x\ta b\tb c\n | 0 ^2.500000\n
trace --tsv pairs.tsv | 2 Choose one with --id
evaluate a b --task sts --by-pair | 2 do not go with
evaluate $gold $gold | 0 ^Scheme 2016, pairs: 10\n |   1.0000     1.0000  1.0000\n | !F1 by pair
evaluate $gold $gold --by-pair | 0 F1 by pair
evaluate $gold $gold --scheme 2015 | 0 ^Scheme 2015
evaluate $gold $gold --json | 0 "f1": 1.0 | "id": "1"
check $gold | 0 gold.wa: correct (pairs: 10, faults: 0, notes: 0)\n
check $gold --stats | 0 \npairs
check $gold --json | 0 "verdict": "correct"
evaluate no.wa no.wa | 1 no.wa: cannot be read
check no.wa | 1 no.wa: cannot be read
facts --tsv pairs.tsv | 2 6 pairs. Choose one with --id ID
facts --tsv pairs.tsv --id 99 | 1 there is no pair with the id '99'; expected 0, 1, 2, 3, 4, 5
facts --tsv pairs.tsv -o no/such | 2 -o no/such: there is no folder 'no'
facts --tsv pairs.tsv -o all.lp | 2 -o all.lp: 6 pairs. Choose one with --id ID, or name a folder
facts --tsv pairs.tsv -o pairs.csv | 2 -o pairs.csv: 6 pairs. Choose one
rules list --rules no | 1 no: there is no such rule
rules show say_opposed | 0 ^% lp_rules/explanation/contrasts.lp:
rules where --all a b | 2 --all without --gold. Add --gold FILE
rules where --sent1 a --sent2 b | 2 there is no rule to look for; expected NAME, or --all with
rules where same_word cat | 2 one sentence; expected two sentences
rules where any_pair --all a b --gold $gold | 2 names with --all
rules where any_pair --tsv - --gold $gold <<< mine\ta\tb\n | 1 expected ids such as 'mine'
solve --tsv - <<< x7\ta b\tc\n | 0 <sentence id="x7"
solve --jsonl - <<< {"id": "y", "sent1": "a b", "sent2": "c"}\n | 0 <sentence id="y"
solve "a cat" "a dog" | 0 ^<sentence
solve "a cat" "a dog" -o x.wa | 0 ^<sentence
solve "a cat" "a dog" -o x.jsonl | 0 ^{
solve "a cat" "a dog" -o x.txt | 0 ^Pair 1\n
solve "a cat" "a dog" -o x.wa --format text | 0 ^Pair 1\n
solve $bus -n 2 --format text | 0 ^Answer 1\nPair 1\n | \nAnswer 2\nPair 1\n
solve --raw "The bulb isn't on." "A bulb is off." --json | 0 ["The", "bulb", "isn't", "on", "."]
solve a b --profile baseline --json | 0 ^{ | !"rating"
solve "a dog barks" "a puppy barks" --json | 0 "knowledge": ["lexicon", "vectors", "reader"]
solve "a dog barks" "a puppy barks" --json --reader none | 0 "knowledge": ["lexicon", "vectors"]
explain --reader none "The bulb doesnt burn" "The bulb burns" | 0 doesnt burn
"""

SLOW = r"""
solve --engine dask --table pairs.xlsx -o out | 2 cannot be cut into parts
solve --engine dask --table pairs.csv.gz -o out | 2 cannot be cut into parts
solve --engine dask --table none.csv -o out | 2 there is no such file
solve --engine dask --table odd://pairs.csv -o out | 2 no such address
report a b --compare $gold -o out.html | 1 the sentences that the alignments are about
report a b --gold $gold -o out.html | 1 Give the sentences that the alignments are about
trace --tsv pairs.tsv --id 99 | 1 there is no pair with the id
trace --tsv pairs.tsv --id 2 --only boundary --depth 0 | 0 Pair 2
trace $bus --only label:1:1 --depth 1 | 0 ^Pair 1\n  1: 12 killed in bus accident\n
 | [label:1:1] | SIMI, not | for it
trace $bus --only label:1:1 --all | 0 best_label asp/label.lp:
trace $bus --json --only label:1:1 -o out.json | 0 "version": 1
trace a b --profile baseline --only rating | 2 the answer has no rating
trace a b --profile sts-en --only rating | 0 the pair is rated | !is aligned with
trace a b --profile sts-en --only rating --json | 0 "kind": "rating" | !"kind": "label"
trace $alic --depth 0 | 0 alic:1:5-7
trace $alic --json | 0 "kind": "alic" | "kind": "noali"
why --tsv pairs.tsv --id 5 "1: 1 2" | 0 chunk of sentence 1
why $bus "1 <==> 1" | 0 is labelled SIMI
why $bus "1 <==> 1 // EQUI" | 2 Ask ists-asp why-not
why $alic "5 6 7 <==> 0" | 0 "a white dog" of sentence 1 is ALIC
why $alic "5 6 7 <==> 0 // ALIC" | 0 is ALIC | [counterpart_taken_1 lp_rules/pilot/alic.lp:
why $long in in | 2 'in' stands in 2 chunks, 1: 3-5 (in bus accident), 1: 6-7
why $long bus train | 2 decision 'bus train': there is no 'train' in sentence 2; expected
why $long a b c | 2 3 words; expected one or two
why a b rating --profile baseline | 2 the answer is not rated
why-not a b rating --profile sts-en | 2 a rating is a sum
why-not $bus "1 <==> 1" | 2 Ask ists-asp why
why-not $bus "1 <==> 1 // REL" | 0 the answer is better
why-not $alic "4 <==> 0 // ALIC" | 0 is ALIC
why-not $alic "5 6 7 <==> 0 // NOALI" | 0 is NOALI
why-not $alic "1 2 3 5 6 7 <==> 1 2" | 0 no rule can derive it
why-not $long 12 10 EQUI | 0 ─ forbidden: something sets the sides apart, and no licence was added
 | └─ short by | ├─ "12" ~ "10" is labelled SIMI\n
why-not $long bus road OPPO 2 | 0 missing: licensed("in bus accident","in road accident",oppo,_)\n
 | ├─ short by | in the way of "in bus accident" (3-5) ~ "in road accident" (3-5) // OPPO // 2\n
why-not $long "6 7 <==> 3 4 5 // EQUI" | 0 └─ short by | per token\n
 | "in bus accident" is aligned with "in road accident"\n
rules find opposite --profile headlines | 0 ^names of rules\n | \npredicates\n | \nconditions\n
 | \nwords and facts\n |   %*! opposite(Words,OtherWords)\n | more, see --all
rules find Accept reject | 0 ^words and facts\n  lp_rules/english/opposites.lp: | !\nconditions
rules find same_lemma | 0 %@rule same_lemma:
rules vocabulary alike viable/2 | 0 ^asp/align.lp\n  viable(X,Y)\n | \n    J: token of sentence 2\n
rules vocabulary alikee | 2 documents the predicate 'alikee'. Did you mean 'alike'?
rules find xyzzy plugh | 2 profile default: no line of a rule has 'xyzzy plugh'
rules show may_aling | 2 profile default: there is no rule 'may_aling'. Did you mean 'may_align'?
rules show xxxxxxxx | 2 See ists-asp rules list
rules show adds_modifier same_kind --profile headlines | 0 %@rule same_kind:
 | %@rule modifier_added: "side {S} adds a modifier"\n
rules check mine.lp --profile baseline --sample . | 1 expected sent1.txt and sent2.txt
rules where shown_with_than a b | 0 shown_with_than: never fired
rules where same_lemmma a b | 2 there is no rule 'same_lemmma'. Did you mean 'same_lemma'?
rules where adds_number $long | 0 Pair 1: side 1 has a number the other lacks\n  1: [12] kill
rules where antonyms $long | 0 ^antonyms: never fired\nwould follow from: a word on one side is the
 | missing: _tie(_,_,antonym,_,_)
rules where same_kind $long | 0 \n└─ missing: related(_,_,cohyponym,_,_,_)\n
"""


def rows(table, *marks):
    text = Template(table.replace("\n | ", " | ")).substitute(NAMES)
    for row in text.strip().splitlines():
        yield pytest.param(row, marks=marks, id=row.partition(" | ")[0])


@pytest.mark.parametrize("row", [*rows(LINES), *rows(SLOW, pytest.mark.slow)])
def test_what_is_said(good, bad, tmp_path, row):
    (tmp_path / "pairs.tsv").write_text(pairs(FEW))
    (tmp_path / "pairs.csv").write_text("Answer,Reference\na cat,a dog\n")
    (tmp_path / "mine.lp").write_text("mine.\n")
    before = set(tmp_path.iterdir())
    line, words = row.split(" | ", 1)
    line, _, stdin = line.partition(" <<< ")
    call, code = shlex.split(line), int(words[0])
    stdin, words = (text.replace("\\n", "\n").replace("\\t", "\t") for text in (stdin, words[2:]))
    if code:
        text = bad(code, *call, stdin=stdin)
        assert set(tmp_path.iterdir()) == before
    else:
        text = good(*call, stdin=stdin)
        if "-o" in call:
            assert text == ""
            text = Path(call[call.index("-o") + 1]).read_text("utf-8")
    for word in words.split(" | "):
        if word.startswith("^"):
            assert text.startswith(word[1:])
        else:
            assert (word.removeprefix("!") in text) != word.startswith("!")
