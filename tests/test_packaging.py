"""The wheel holds what it should; versions, licences and resources."""

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter
from importlib.metadata import distributions, packages_distributions, requires
from shutil import copy
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ists_asp import __version__, resources
from ists_asp.errors import ResourceError
from tests.mutants import MUTANTS, ROOT
from tests.rota import DAYS, part_of, read_durations, slices_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOT_SHIPPED = re.compile(r"(^|/)(__pycache__|\.[^/]+|train|bundle|build\w*\.py|docs/.*\.py)(/|$)")
SOURCES = sorted((ROOT / "python").rglob("*.py"))
PINS = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
PINNED = {
    canonicalize_name(name): version
    for name, version in (line.split("==") for line in PINS if not line.startswith("#"))
}
DATA = [path for path in (ROOT / "data").iterdir() if path.is_dir() and path.name[0] != "."]
OURS = {"cluster", "frames", "serve", "spanish", "tables"}
"""The extras that the package itself imports."""
ALLOWED = re.compile(
    r"(0BSD|Apache([- ](Software )?License)?([- ]2\.0)?( License 2\.0)?"
    r"|BSD([- ][23]-Clause)?( License)?"
    r"|[23]-Clause BSD License|BSL-1\.0|CC0-1\.0|CNRI-Python|ISC|MIT(-0)?( License)?|MPL-2\.0"
    r"|Mozilla Public License 2\.0 \(MPL 2\.0\)|PSF-2\.0|Python Software Foundation License"
    r"|Public Domain|Unlicense|Zlib|Apache-2\.0 WITH LLVM-exception)"
)
EXCEPTIONS = {
    "docutils": "public domain and BSD; one file for editors is GPL, and is not imported",
    "udapi": "comes with Stanza, whose evaluation uses it; nothing of ours imports it",
    "udtools": "comes with Stanza, whose evaluation uses it; nothing of ours imports it",
}
INSTALLED = {canonicalize_name(one.metadata["Name"]): one for one in distributions()}
DURATIONS = read_durations()
PARTS = {
    (file, piece): part_of(file, DAYS, DURATIONS, piece)
    for file in DURATIONS
    for piece in range(slices_of(file, DURATIONS))
}


def _name(requirement):
    return canonicalize_name(Requirement(requirement).name)


def _built(kind, source, folder):
    command = (sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder))
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (file,) = folder.iterdir()
    return file


def test_a_source_distribution_has_the_pages_that_no_repository_has(tmp_path):
    """Built from a copy of the few files that it takes, where git would ignore the pages."""
    for name in (".gitignore", "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        copy(ROOT / name, tmp_path / name)
    version = tmp_path / "python" / "ists_asp" / "_version.py"
    pages = tmp_path / "docs" / "reference"
    for folder in (version.parent, pages):
        folder.mkdir(parents=True)
    copy(ROOT / version.relative_to(tmp_path), version)
    (pages / "commands.md").write_text("# Commands\n", encoding="utf-8")
    file = _built("sdist", tmp_path, tmp_path / "built")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"docs/reference/commands.md", "python/ists_asp/_version.py"} <= names


@pytest.mark.slow
def test_the_wheel_has_the_package_encodings_rules_data_licences_and_nothing_else(tmp_path):
    with ZipFile(_built("wheel", ROOT, tmp_path)) as archive:
        names = set(archive.namelist())
    folders = [ROOT / folder for folder in ("asp", "lp_rules", "data", "docs")]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    expected = {f"ists_asp/share/{path.relative_to(ROOT).as_posix()}" for path in files}
    share = {name for name in names if name.startswith("ists_asp/share/")}
    assert share == {name for name in expected if not NOT_SHIPPED.search(name)}
    cards = {f"ists_asp/share/data/{folder.name}/README.md" for folder in DATA}
    modules = {path.relative_to(ROOT / "python").as_posix() for path in SOURCES}
    assert {*modules, *cards, "ists_asp/py.typed"} <= names
    licences = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}
    tops = {name.split("/")[0] for name in names}
    assert tops == {"ists_asp", f"ists_asp-{__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or "/train/" in name]


def test_constraints_pin_what_the_package_asks_for():
    assert all(re.fullmatch(r"\d[0-9a-z.]*", version) for version in PINNED.values())
    extras = [PROJECT["optional-dependencies"][extra] for extra in ("test", "dev")]
    for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]:
        requirement = Requirement(text)
        if canonicalize_name(requirement.name) != PROJECT["name"]:
            assert requirement.specifier.contains(PINNED[canonicalize_name(requirement.name)])
    assert "torch" in PINNED


def test_what_is_imported_is_asked_for():
    """An environment that has more than that would not show what is missing."""
    extras = [PROJECT["optional-dependencies"][extra] for extra in sorted(OURS)]
    named = {name for texts in (PROJECT["dependencies"], *extras) for name in map(_name, texts)}
    # What these bring themselves.
    named |= {_name(text) for name in named for text in requires(name) or ()}
    providers = packages_distributions()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for top in {name.partition(".")[0] for name in names}:
                if top in providers and top != "ists_asp":
                    assert named & set(map(canonicalize_name, providers[top])), (path, top)


def licences(metadata):
    """The licences of a distribution, as its metadata tell them; all have to be kept."""
    told = metadata.get("License-Expression")
    if not told:
        classified = [
            line.rpartition(" :: ")[2]
            for line in metadata.get_all("Classifier", [])
            if line.startswith("License :: ") and not line.endswith("OSI Approved")
        ]
        told = " AND ".join(classified) or (metadata.get("License") or "").split("\n")[0]
    # Of several to choose from one will do.
    return [part.split(" OR ") for part in re.sub(r"[()](?!MPL|$)", "", told).split(" AND ")]


@pytest.mark.parametrize("name", [name for name in PINNED if name in INSTALLED])
def test_a_licence_is_allowed(name):
    if name in EXCEPTIONS:
        imported = re.compile(rf"^\s*(import|from) {name}\b", re.MULTILINE)
        assert not [path for path in SOURCES if imported.search(path.read_text("utf-8"))]
        return
    for choice in licences(INSTALLED[name].metadata):
        assert any(ALLOWED.fullmatch(one.strip()) for one in choice), f"{name}: {choice}"


def test_what_is_installed_for_tests_is_looked_at():
    # .ci/run looks again once the tools of style and documentation are installed as well.
    assert len(PINNED.keys() & INSTALLED) > 0.6 * len(PINNED)
    assert EXCEPTIONS.keys() <= PINNED.keys()


def test_the_page_says_what_each_dependency_is_for_and_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == __version__
    page = (ROOT / "docs/explanation/dependencies.md").read_text("utf-8")
    named = re.findall(r"^\| ([a-z0-9]+) \|", page, re.MULTILINE)
    wanted = {re.match("[a-z0-9-]+", text)[0] for text in PROJECT["dependencies"]}
    assert wanted <= set(named)


def test_nothing_of_ours_reads_a_pickle():
    """Pickles run code; workers send them through pipes of their own, which nobody else can."""
    reads = re.compile(r"pickle\.loads?\(|torch\.load\(|allow_pickle\s*=\s*True|marshal\.load")
    lines = [line for path in SOURCES for line in path.read_text("utf-8").splitlines()]
    # With weights only, torch takes nothing but tensors.
    assert [line for line in filter(reads.search, lines) if "weights_only=True" not in line] == []


@pytest.mark.parametrize(
    ("find", "name"),
    [(resources.asp_dir, "asp"), (resources.rules_dir, "lp_rules"), (resources.data_dir, "data")],
)
def test_the_checkouts_folder_or_an_installed_one_is_found(find, name, tmp_path, monkeypatch):
    assert find() == ROOT / name
    package = tmp_path / "site-packages" / "ists_asp"
    (package / "share" / name).mkdir(parents=True)
    (tmp_path / name).mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert find() == package / "share" / name
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "a" / "b" / "ists_asp")
    with pytest.raises(ResourceError) as caught:
        find()
    assert re.fullmatch(f".*folder {name}/ of ists-asp is missing.*Reinstall.*", str(caught.value))


def test_each_slice_of_a_file_has_one_part_and_so_has_a_new_file():
    assert set(PARTS.values()) == set(range(1, DAYS + 1))
    light = Counter(part_of(f"light {number}", DAYS, DURATIONS) for number in range(1000))
    assert sorted(light) == list(range(1, DAYS + 1))
    assert max(light.values()) < 150


@pytest.mark.parametrize("bench", [True, False])
def test_all_parts_take_about_as_long(bench):
    loads = Counter(dict.fromkeys(range(1, DAYS + 1), 0.0))
    for (file, _), part in PARTS.items():
        assert (ROOT / file).is_file()
        if file.startswith("tests/workbench/") == bench:
            loads[part] += DURATIONS[file] / slices_of(file, DURATIONS)
    assert max(loads.values()) - min(loads.values()) <= 80


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file} {mutant.old}")
def test_the_line_is_there(mutant):
    assert mutant.broken(ROOT) != (ROOT / mutant.file).read_text("utf-8")
    assert all((ROOT / tests).exists() for tests in mutant.tests.split())


def test_there_are_forty_mutants():
    assert len(set(MUTANTS)) == len(MUTANTS) >= 40
