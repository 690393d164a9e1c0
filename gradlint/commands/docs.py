"""The command that writes documentation out of the rules."""

from __future__ import annotations

import click

from gradlint import terminal
from gradlint.commands import CLEAN, counted, loading
from gradlint.report.entry import safe_name


@click.command(short_help="Write the pages of all rules as a site.")
@click.option(
    "--site", metavar="FOLDER", required=True, help="Where the site goes; files of the same names are replaced."
)
def docs(site: str) -> int:
    """Write a page for each rule, with wrong and right code and what torch says, and an index that can be searched.

    The pages are plain files that refer to each other: they can be read from the disk, and put on any server.
    """
    from gradlint import site as building

    pages = building.write(site, loading.rules())
    terminal.say(f"wrote {counted(pages, 'page')} to {safe_name(site)}")
    return CLEAN
