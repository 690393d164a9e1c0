"""The text of `--help`: the options of `check` in groups, and the common ones beside the commands."""

from __future__ import annotations

import click

GROUPS: dict[str, tuple[str, ...]] = {
    "Rules": (
        "select", "ignore", "extend_select", "extend_ignore", "min_confidence", "target_torch", "fix", "unsafe_fixes",
        "fixable", "unfixable", "baseline", "update_baseline", "add_noqa",
    ),
    "Files": (
        "exclude", "extend_exclude", "force_exclude", "respect_gitignore", "config", "isolated", "stdin_filename",
        "show_files", "show_settings",
    ),
    "Output": (
        "output_format", "output_file", "statistics", "diff", "show_fixes", "color", "quiet", "verbose", "exit_zero",
    ),
}  # fmt: skip
"""The options of `check` by what they are about; all others come last."""
OTHER = "Other"
COMMON = ("select", "ignore", "min_confidence", "fix", "diff", "output_format", "exclude", "config", "statistics")
"""The options that most people need."""


class Grouped(click.Command):
    """A command whose options are listed in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group."""
        left = {param.name: param for param in self.get_params(ctx)}
        for title, names in GROUPS.items():
            _section(title, [left.pop(name) for name in names if name in left], ctx, formatter)
        _section(OTHER, list(left.values()), ctx, formatter)


class Overview(click.Group):
    """The group of all commands, which tells of the options of the one that is meant where none is named."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the group, the commands, and the common options of `check`."""
        super().format_options(ctx, formatter)
        check = self.commands["check"]
        known = {param.name: param for param in check.params}
        _section("Common options of check", [known[name] for name in COMMON], ctx, formatter)


def _section(title: str, params: list[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter) -> None:
    rows = [row for param in params if (row := param.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
