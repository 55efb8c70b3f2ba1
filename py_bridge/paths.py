"""Where the knowledge base lies."""

from pathlib import Path

from py_bridge.errors import BattlejudgeError, nearest, quoted

_PACKAGE = Path(__file__).resolve().parent


def base() -> Path:
    """Return the folder that holds rules/, facts/ and queries/.

    An installed wheel carries it inside the package, as py_bridge/base. In a checkout, also one
    that is installed as editable, it is the root of the repository.
    """
    packaged = _PACKAGE / "base"
    return packaged if packaged.is_dir() else _PACKAGE.parent


def shipped(folder: str, suffix: str) -> list[str]:
    """Return the names, without suffix, of the files in a folder of queries/."""
    return sorted(file.stem for file in (base() / "queries" / folder).glob(f"*{suffix}"))


def named_file(kind: str, name: str, folder: str, suffix: str) -> Path:
    """Return the file that a user names: one in a folder of queries/, or with suffix one of theirs.

    `kind` is what messages call it. Raises BattlejudgeError for a name that nothing there has.
    """
    if name.endswith(suffix):
        return Path(name)
    path = base() / "queries" / folder / f"{name}{suffix}"
    if not path.is_file():
        names = shipped(folder, suffix)
        right = ", ".join(nearest(name, names) or names)
        raise BattlejudgeError(f"no {kind} {quoted(name)}; right would be {right}")
    return path
