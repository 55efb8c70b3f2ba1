"""Where the knowledge base lies."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def base() -> Path:
    """Return the folder that holds rules/, facts/ and queries/.

    An installed wheel carries it inside the package, as py_bridge/base. In a checkout, also one
    that is installed as editable, it is the root of the repository.
    """
    packaged = _PACKAGE / "base"
    return packaged if packaged.is_dir() else _PACKAGE.parent
