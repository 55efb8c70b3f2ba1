"""What a user gets: the wheel, its command, and a command line that starts quickly."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from py_bridge import __version__, paths

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = ("facts", "queries", "rules")
# Expensive to import, and useless for printing a help text.
HEAVY = {"clingo", "jsonschema_rs", "networkx", "yaml"}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that has to succeed, with no Python path but its own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def top_level_imports(importtime: str) -> set[str]:
    """Names of the top-level packages in what `python -X importtime` wrote."""
    lines = [line for line in importtime.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def files_below(folder: Path) -> dict[str, bytes]:
    """Content of every file of the knowledge base below folder, by its path from there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for name in FOLDERS
        for path in (folder / name).rglob("*")
        if path.is_file()
    }


def test_base_holds_the_knowledge_base() -> None:
    assert paths.base() == REPOSITORY
    assert {name.partition("/")[0] for name in files_below(paths.base())} == set(FOLDERS)


def test_help_imports_nothing_heavy() -> None:
    code = "from py_bridge.cli import main; main()"
    done = run(sys.executable, "-X", "importtime", "-c", code, "--help", cwd=REPOSITORY)
    imported = top_level_imports(done.stderr)
    assert {"py_bridge", "click"} <= imported
    assert imported & HEAVY == set()


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The sdist, the wheel built from it, and the wheel built from the checkout."""
    folder = tmp_path_factory.mktemp("archives")
    run(sys.executable, "-m", "build", "--outdir", folder / "a", REPOSITORY, cwd=folder)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / "b", REPOSITORY, cwd=folder)
    (sdist,) = (folder / "a").glob("*.tar.gz")
    (from_sdist,) = (folder / "a").glob("*.whl")
    (from_checkout,) = (folder / "b").glob("*.whl")
    return sdist, from_sdist, from_checkout


@pytest.fixture(scope="module")
def installed(archives: tuple[Path, Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a fresh virtual environment that holds the wheel."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    venv.create(folder, with_pip=True)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", archives[1], cwd=folder)
    return folder / "bin"


@pytest.mark.slow
def test_wheel_carries_the_knowledge_base(archives: tuple[Path, Path, Path]) -> None:
    prefix = "py_bridge/base/"
    with zipfile.ZipFile(archives[1]) as wheel:
        names = wheel.namelist()
        carried = {
            name.removeprefix(prefix): wheel.read(name) for name in names if name.startswith(prefix)
        }
    assert carried == files_below(REPOSITORY)
    assert {name.partition("/")[0] for name in names} == {
        "py_bridge",
        f"battlejudge-{__version__}.dist-info",
    }
    assert "py_bridge/py.typed" in names


@pytest.mark.slow
def test_sdist_builds_the_same_wheel(archives: tuple[Path, Path, Path]) -> None:
    sdist, from_sdist, from_checkout = archives
    assert from_sdist.read_bytes() == from_checkout.read_bytes()
    with tarfile.open(sdist) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {"LICENSE", "Makefile", "README.md", "tests/test_packaging.py"} <= names


@pytest.mark.slow
def test_installed_command_answers_from_any_folder(installed: Path, tmp_path: Path) -> None:
    version = run(installed / "battlejudge", "--version", cwd=tmp_path)
    assert __version__ in version.stdout
    usage = run(installed / "battlejudge", "--help", cwd=tmp_path)
    assert usage.stdout.startswith("Usage: battlejudge ")
    assert usage.stderr == ""


@pytest.mark.slow
def test_installed_bridge_finds_its_knowledge_base(installed: Path, tmp_path: Path) -> None:
    code = "from py_bridge import paths; print(paths.base())"
    base = Path(run(installed / "python", "-c", code, cwd=tmp_path).stdout.strip())
    assert base.is_relative_to(installed.parent)
    assert files_below(base) == files_below(REPOSITORY)


@pytest.mark.slow
def test_installed_help_imports_nothing_heavy(installed: Path, tmp_path: Path) -> None:
    script = installed / "battlejudge"
    done = run(installed / "python", "-X", "importtime", script, "--help", cwd=tmp_path)
    imported = top_level_imports(done.stderr)
    assert {"py_bridge", "click"} <= imported
    assert imported & HEAVY == set()
