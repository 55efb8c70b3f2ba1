"""Rule bases by name: a folder, a git revision of this repository, or `.` for the present one."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from py_bridge.errors import BattlejudgeError, quoted
from py_bridge.knowledge import KnowledgeBase, knowledge_base, rule_files
from py_bridge.paths import base

_PARTS = ("rules", "facts/vocabulary", "facts/rulings", "queries")


@contextmanager
def rule_base(name: str) -> Iterator[KnowledgeBase]:
    """Yield the rule base called `name`.

    A folder that holds rules/ is read as it is; rules/ alone may be missing its facts and queries,
    which then are the present ones. `.` and `present` mean the rule base that comes with the
    package. Anything else is taken as a git revision. Raises BattlejudgeError.
    """
    if name in (".", "present"):
        yield knowledge_base()
    elif Path(name).is_dir():
        yield _of_folder(Path(name), name)
    else:
        with TemporaryDirectory() as folder:
            _check_out(name, Path(folder))
            yield _of_folder(Path(folder), name)


def _of_folder(folder: Path, name: str) -> KnowledgeBase:
    root = folder.parent if folder.name == "rules" else folder
    if not (root / "rules").is_dir():
        raise BattlejudgeError(
            f"{name}: no folder rules in it; right would be one that holds rules"
        )
    own, present = rule_files(root), base()
    files = list(own)
    for part in _PARTS[1:]:
        if not any(file.is_relative_to(root / part) for file in own):
            files += [f for f in rule_files() if f.is_relative_to(present / part)]
    return KnowledgeBase(files)


def _check_out(revision: str, folder: Path) -> None:
    """Unpack the rules, facts and queries of a git revision. Raises BattlejudgeError."""
    command = ["git", "-C", str(base()), "archive", revision, *_PARTS]
    try:
        packed = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BattlejudgeError(
            f"{quoted(revision)} is neither a folder nor a revision of this repository; "
            "right would be a folder that holds rules, a git revision, or . for the present rules"
        ) from error
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
