"""Hostile tables: ``python -m tests.fuzz tables`` tries them.

Each is small, or packed small, and says that it has a great deal, or has a great deal of one thing.
It is read to its end, or refused in a line, within its time and memory, that of the process which
reads sheets included.
"""

import bz2
import gzip
import io
import lzma
import re
import resource
import tempfile
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet

from ists_asp.errors import IstsError
from ists_asp.io.pairs import find_places, table_pairs
from ists_asp.io.tables import Table
from ists_asp.model import Pair
from tests.fuzz.rules import in_child

SECONDS = 10
MEGABYTES = 500

HEAD = ["id", "sentence1", "sentence2"]
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
LAUGHS = "<!DOCTYPE x [<!ENTITY a0 'ha'>{}]>".format(
    "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12))
)
PACKS = {"": lambda data: data, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def archive(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in members.items():
            target.writestr(name, text)
    return stream.getvalue()


def excel(sheet, head="", strings="", more=None):
    """A workbook whose first sheet has these rows behind a good one."""
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    cells = "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in HEAD)
    about = {"workbook": "sheet.main", "worksheets/sheet1": "worksheet"}
    about["sharedStrings"] = "sharedStrings"
    types = "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="{kind}{name}+xml"/>'
        for part, name in about.items()
    )
    ends = {"rels": "package.relationships", "xml": ""}
    types += "".join(
        f'<Default Extension="{end}" ContentType="application/vnd.openxmlformats-{name}+xml"/>'
        if name
        else f'<Default Extension="{end}" ContentType="application/xml"/>'
        for end, name in ends.items()
    )
    links = f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{RELATED}/'
    return archive(
        {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{types}</Types>',
            "_rels/.rels": f'{links}officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/_rels/workbook.xml.rels": f'{links}worksheet" Target="worksheets/sheet1.xml"/>'
            "</Relationships>",
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>',
            "xl/worksheets/sheet1.xml": f'{head}<worksheet xmlns="{MAIN}"><dimension ref="A1:C2"/>'
            f"<sheetData><row>{cells}</row>{sheet}</sheetData></worksheet>",
            **(more or {}),
        }
    )


def libre(rows, head="", more=None):
    """A spreadsheet whose first sheet has these rows behind a good one."""
    cells = "".join(map(cell_of_libre, HEAD))
    spaces = " ".join(f'xmlns:{name}="{OFFICE}{name}:1.0"' for name in ("office", "table", "text"))
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    return archive(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{OFFICE}manifest:1.0">'
            f"{entry}</manifest:manifest>",
            "content.xml": f"{head}<office:document-content {spaces}><office:body>"
            f'<office:spreadsheet><table:table table:name="S"><table:table-row>{cells}'
            f"</table:table-row>{rows}</table:table></office:spreadsheet></office:body>"
            "</office:document-content>",
            **(more or {}),
        }
    )


def row_of_libre(cells, more=""):
    return f"<table:table-row{more}>{cells}</table:table-row>"


def cell_of_libre(text, more=""):
    text = f"<text:p>{escape(text)}</text:p>"
    return f'<table:table-cell office:value-type="string"{more}>{text}</table:table-cell>'


def excel_tables(random):
    """Workbooks that say too much."""
    many, row = random.choice([10**5, 10**6, 3 * 10**6]), random.choice([10**6, 10**9, 10**12])
    cell = '<c t="inlineStr"><is><t>x</t></is></c>'
    last = f'<row r="{row}">{cell * 3}</row>'
    yield lambda: excel(last)
    yield lambda: excel(last.replace("<row", "<row/>" * 10 + "<row"))
    yield lambda: excel("<row/>" * many)
    yield lambda: excel("<row/>" * many + f"<row>{cell * 3}</row>")
    yield lambda: excel(f"<row>{'<c/>' * many}</row>")
    yield lambda: excel('<row><c r="XFD2" t="inlineStr"><is><t>x</t></is></c></row>' * 3000)
    yield lambda: excel('<row><c r="ZZZZZZ9"><v>1</v></c></row>')
    yield lambda: excel("<!--x-->" * many)
    yield lambda: excel("", head=f"<!--{'x' * 50 * many}-->")
    yield lambda: excel(f"<row><c><v>{'9' * many}</v></c></row>")
    yield lambda: excel("<row>" + '<c t="s"><v>0</v></c>' * 3 + "</row>", strings="<si/>" * many)
    yield lambda: excel('<row><c t="s"><v>7</v></c></row>' * 30)
    shared = f"<si><t>{'long ' * 200_000}</t></si>"
    yield lambda: excel(("<row>" + '<c t="s"><v>0</v></c>' * 3 + "</row>") * 2000, strings=shared)
    laugh = f"&a{random.randint(3, 11)};"
    yield lambda: excel(f"<row><c t='inlineStr'><is><t>{laugh}</t></is></c></row>", LAUGHS)
    yield lambda: excel("<row>" * 5000 + "</row>" * 5000)
    yield lambda: excel("", more={f"xl/media/{n}": "" for n in range(20_000)})
    yield lambda: excel("", more={"xl/theme.xml": "0" * 100 * many})
    yield lambda: excel('<row><c t="n"><v>one</v></c><c t="d"><v>x</v></c></row>' * 100)
    yield lambda: excel(f'<mergeCell ref="A1:XFD{row}"/>' * 1000)


def libre_tables(random):
    """Spreadsheets that say too much."""
    many, often = random.choice([10**5, 10**6]), random.choice([10**5, 10**7, 10**9, 10**15])
    rows = f' table:number-rows-repeated="{often}"'
    columns = f' table:number-columns-repeated="{often}"'
    good, empty = row_of_libre(cell_of_libre("x") * 3), f"<table:table-cell{columns}/>"
    laughs = cell_of_libre("@").replace("@", f"&a{random.randint(3, 11)};")
    yield lambda: libre(good.replace("-row>", f"-row{rows}>", 1))
    yield lambda: libre(row_of_libre("<table:table-cell/>", rows) + good)
    yield lambda: libre(good + row_of_libre(empty, rows))
    yield lambda: libre(row_of_libre(cell_of_libre("x", columns)))
    yield lambda: libre(row_of_libre(empty + cell_of_libre("x")))
    yield lambda: libre("<table:table-row/>" * many)
    yield lambda: libre(row_of_libre("<table:table-cell/>" * many))
    yield lambda: libre(
        row_of_libre(f"<table:table-cell>{'<text:p/>' * many}</table:table-cell>" * 3)
    )
    yield lambda: libre(row_of_libre(cell_of_libre("y" * 20 * many) * 3))
    yield lambda: libre(row_of_libre(laughs), LAUGHS)
    yield lambda: libre("<text:p>" * 5000 + "</text:p>" * 5000)
    yield lambda: libre("<!---->" * many)
    yield lambda: libre("", more={"styles.xml": "0" * 100 * many})


def text_tables(random):
    """Texts, packed or not, with far too much of something."""
    many = random.choice([10**5, 10**6, 4 * 10**6])
    few = many // 50
    head, pack = "id,sentence1,sentence2\n1,a b,c d\n", random.choice([*PACKS])
    texts = [
        *(
            "\n" * many,
            "\n" * many + "2,a,b\n",
            '2,"' + "\n" * many + '",b\n',
            '2,"' + "x\n" * many,
        ),
        *("," * many, '"",' * few + "\n", '"\n",' * few, '"' * many + "\n", "x,y,z\r" * few),
        *("2," + "x" * many + ",b\n", "2,a,b\n" * few, "\0" * many, 'a"b,c\n' * few),
        "3,é\ud83d,b\n" * 1000,
    ]
    for text in texts:
        data = (head + text).encode("utf-8", "surrogatepass")
        yield lambda data=data: (f".csv{pack}", PACKS[pack](data))
        if random.random() < 0.3:
            yield lambda data=data: (f".tsv{pack}", PACKS[pack](data.replace(b",", b"\t")))
    keys = "".join(f'{{"k{n}": 1}}\n' for n in range(many // 10))
    for text in (keys, "{}\n" * few, "\n" * many, "[" * many, f'{{"id": {"9" * many}}}\n'):
        yield lambda text=text: (f".jsonl{pack}", PACKS[pack](text.encode()))
    zeros = partial(gzip.compress, bytes(40 << 20))
    yield lambda: (".csv.gz", zeros())
    yield lambda: (".xlsx.gz", zeros())
    yield lambda: (".csv.gz", gzip.compress(b"\n" * (many * 50), 6))
    quiz = random.choice(["::", "{", "\n ", "Q{=a}\n\n", "{=[a", "\n//", "<p", "&amp;"])
    yield lambda: (".gift", (quiz * few).encode())
    yield lambda: (".xml", b"<quiz>" + b"<question>" * few)


def parquet_tables(random):
    """Parquet with few values very often."""
    many = random.choice([10**5, 10**6, 3 * 10**7])
    none = pa.table({name: pa.nulls(many, pa.string()) for name in HEAD})
    same = pa.array(["x " * 5000]).dictionary_encode()
    alike = pa.DictionaryArray.from_arrays(
        pa.array([0] * (many // 100), pa.int32()), same.dictionary
    )
    for table in (
        none,
        pa.table(dict.fromkeys(HEAD, alike)),
        pa.table({f"c{n}": [1] for n in range(3000)}),
        pa.table({"sentence1": [[["x"] * 1000] * 10] * 10, "sentence2": ["y"] * 10}),
    ):
        stream = io.BytesIO()
        pyarrow.parquet.write_table(table, stream)
        yield stream.getvalue


def hostile(number):
    """The ending and bytes of a table, the same for the same number."""
    random = Random(number)
    kind, make = [
        *((".xlsx", excel_tables), (".ods", libre_tables), ("", text_tables)),
        *((".parquet", parquet_tables), (".xlsx", excel_tables), ("", text_tables)),
    ][number % 6]
    made = list(make(random))
    item = random.choice(made)()
    ending, data = item if isinstance(item, tuple) else (kind, item)
    if random.random() < 0.15:
        at = random.randrange(len(data))
        data = data[:at] + random.randbytes(random.randrange(8)) + data[at + random.randrange(8) :]
    return ending, data


def write(number, folder):
    """Write a table; yield its ending."""
    ending, data = hostile(number)
    Path(folder, f"table{ending}").write_bytes(data)
    yield ending


def read(path):
    """What becomes of a table: how many pairs and faults it has, or why it is refused."""
    counts, whom = Counter(), (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    copied = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        table = Table(path)
        for _, item in table_pairs(table, find_places(table)):
            counts[type(item) is Pair] += 1
        yield "read", f"{counts[True]} pairs, {counts[False]} faults"
    except IstsError as error:
        yield "refused", str(error)
    own, other = (resource.getrusage(who) for who in whom)
    seconds = sum(use.ru_utime + use.ru_stime for use in (own, other))
    yield seconds, max(own.ru_maxrss - copied, other.ru_maxrss) >> 10


def tried(number, folder):
    """How reading a table went, and what is wrong with that, if anything."""
    # The memory that making one takes would count for those that follow.
    (ending,), _ = in_child(partial(write, number, folder), 8 << 30)
    path = Path(folder) / f"table{ending}"
    found, code = in_child(partial(read, path), 8 << 30, 2 * SECONDS)
    if len(found) < 2:
        return "died", f"exit code {code}"
    (how, text), (seconds, megabytes) = found
    wrong = ""
    if "\n" in text or re.search("Traceback|Error:", text):
        wrong = f"not a line: {text}"
    if seconds > SECONDS or megabytes > MEGABYTES:
        wrong = f"{seconds:.1f} s, {megabytes} MB: {text}"
    return f"{ending} {how}", wrong


def faults_of(numbers):
    """Each number, with what is wrong with how the table with it is read."""
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            how, wrong = tried(number, folder)
            yield number, wrong and f"{how}: {wrong[:300]}"
