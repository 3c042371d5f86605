"""The wheel holds what it should, and the tested versions fit what the package asks for."""

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from shutil import copy
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ists_asp import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOT_SHIPPED = re.compile(r"(^|/)(__pycache__|\.[^/]+|train|bundle|build\w*\.py)(/|$)")


OURS = {"cluster", "frames", "serve", "spanish", "tables"}
"""The extras that the package itself imports."""


def _name(requirement):
    return canonicalize_name(Requirement(requirement).name)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def names(wheel):
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


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
    command = (sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", "built")
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (file,) = (tmp_path / "built").iterdir()
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"docs/reference/commands.md", "python/ists_asp/_version.py"} <= names


@pytest.mark.parametrize("folder", ["asp", "lp_rules", "data"])
def test_the_wheel_has_encodings_rules_and_data(names, folder):
    relative = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
    expected = {path.as_posix() for path in relative if not NOT_SHIPPED.search(path.as_posix())}
    share = "ists_asp/share/"
    found = {name.removeprefix(share) for name in names if name.startswith(f"{share}{folder}/")}
    assert found == expected


def test_the_wheel_has_the_package(names):
    package = ROOT / "python"
    modules = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    assert modules | {"ists_asp/py.typed"} <= names


def test_the_wheel_has_licences_and_cards(names):
    licences = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}
    for folder in (ROOT / "data").iterdir():
        if folder.is_dir() and not folder.name.startswith("."):
            assert f"ists_asp/share/data/{folder.name}/README.md" in names


def test_the_wheel_has_nothing_else(names):
    tops = {name.split("/")[0] for name in names}
    assert tops == {"ists_asp", f"ists_asp-{__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or "/train/" in name]


def test_constraints_pin_what_the_package_asks_for():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert all(re.fullmatch(r"\d[0-9a-z.]*", version) for version in pins.values())
    versions = {canonicalize_name(name): version for name, version in pins.items()}
    extras = [PROJECT["optional-dependencies"][extra] for extra in ("test", "dev")]
    for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]:
        requirement = Requirement(text)
        if canonicalize_name(requirement.name) != PROJECT["name"]:
            assert requirement.specifier.contains(versions[canonicalize_name(requirement.name)])
    assert "torch" in versions


def test_what_is_imported_is_asked_for():
    """An environment that has more than that would not show what is missing."""
    extras = [PROJECT["optional-dependencies"][extra] for extra in sorted(OURS)]
    named = {name for texts in (PROJECT["dependencies"], *extras) for name in map(_name, texts)}
    # What these bring themselves.
    named |= {_name(text) for name in named for text in requires(name) or ()}
    providers = packages_distributions()
    for path in sorted((ROOT / "python").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for top in {name.partition(".")[0] for name in names}:
                if top in providers and top != "ists_asp":
                    assert named & set(map(canonicalize_name, providers[top])), (path, top)


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == __version__
