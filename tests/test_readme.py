"""The README shows what the commands print today.

Run as a program, this file writes their present output into the README.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
BLOCKS = _BLOCK.findall(README.read_text(encoding="utf-8"))
# What asks the rules many things: played scripts, and all cases of a ruling.
_LONG = re.compile(r"^\$ battlejudge (play|rulings) ", re.MULTILINE)


def _printed(block: str) -> str:
    """Return a console block with the output that its commands print now."""
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    with tempfile.TemporaryDirectory() as folder:
        command = Path(folder) / "battlejudge"
        code = "from py_bridge.cli import main; main()"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
        command.chmod(0o755)
        environment = {
            **os.environ,
            "PATH": f"{folder}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
        }
        outputs = [
            subprocess.run(
                ["sh", "-c", one], cwd=ROOT, env=environment, capture_output=True, check=False
            ).stdout.decode()
            for one in commands
        ]
    return "".join(f"$ {one}\n{out}" for one, out in zip(commands, outputs, strict=True))


def test_the_readme_shows_commands() -> None:
    assert len(BLOCKS) > 5


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(
            block,
            id=block.splitlines()[0],
            marks=[pytest.mark.slow] if _LONG.search(block) else [],
        )
        for block in BLOCKS
    ],
)
def test_the_readme_shows_what_the_commands_print(block: str) -> None:
    assert block == _printed(block)


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    README.write_text(_BLOCK.sub(lambda match: _printed(match[0]), text), encoding="utf-8")
