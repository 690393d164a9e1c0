"""The command that writes documentation out of the rules, or says whether it is up to date."""

from __future__ import annotations

import click

from gradlint import terminal
from gradlint.commands import CLEAN, FOUND, counted, loading
from gradlint.report.entry import safe_name


@click.command(short_help="Write the pages of all rules as a site, or their table into a file.")
@click.option("--site", metavar="FOLDER", help="Write the site here; files of the same names are replaced.")
@click.option("--write", metavar="FILE", help="Bring the table of rules in this Markdown file up to date.")
@click.option("--check", metavar="FILE", help="Tell whether that table is up to date: 0 if it is, else 1.")
def docs(site: str | None, write: str | None, check: str | None) -> int:
    """Write documentation of the rules that are installed.

    A site has a page for each rule, with wrong and right code and what torch says, and a search by code, name and the
    words of an error. It is plain files that refer to each other: they can be read from the disk, and put on any
    server. In a Markdown file the table stands between the lines `<!-- gradlint rules -->` and `<!-- end of the table
    -->`; where the first has the word `families` as well, it is one of families.
    """
    if site is None and write is None and check is None:
        raise click.UsageError("name what to write: `--site`, `--write` or `--check`")
    if site is not None:
        from gradlint import site as building

        pages = building.write(site, loading.rules())
        terminal.say(f"wrote {counted(pages, 'page')} to {safe_name(site)}")
    if write is not None:
        text, current = _read(write)
        if text != current:
            with open(write, "w", encoding="utf-8", newline="") as file:
                file.write(current)
        terminal.say(f"{'wrote' if text != current else 'nothing to change in'} {safe_name(write)}")
    if check is not None:
        text, current = _read(check)
        if text != current:
            terminal.say(f"{safe_name(check)} is out of date; `gradlint docs --write {safe_name(check)}` mends it")
            return FOUND
    return CLEAN


def _read(name: str) -> tuple[str, str]:
    """The text of a Markdown file, and what it is with the table of now."""
    from gradlint import pages

    with open(name, encoding="utf-8", newline="") as file:
        text = file.read()
    current = pages.with_table(text, loading.rules())
    if current is None:
        raise click.ClickException(
            f"{safe_name(name)} has no table; put `<!-- gradlint rules -->` and `<!-- end of the table -->` into it"
        )
    return text, current
