"""The command line."""

import click

from py_bridge import __version__


@click.group()
@click.version_option(__version__)
def main() -> None:
    """Answer questions about the battle phase, with the rulings behind each answer."""
