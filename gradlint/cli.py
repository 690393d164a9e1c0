"""The command line: what is asked for, what is printed where, and which code the process ends with.

Commands import what they need when they run, so that `--version` and `--help` load neither LibCST nor rules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from gradlint import CACHE_VARIABLE, __version__, signals, terminal
from gradlint.commands import CLEAN as CLEAN
from gradlint.commands import FOUND as FOUND
from gradlint.commands import STDIN, counted, docs, listed, loading, looking, rules
from gradlint.commands import WRONG as WRONG
from gradlint.commands.helping import Grouped, Overview
from gradlint.report import FORMATS
from gradlint.report.entry import safe_name

if TYPE_CHECKING:
    from gradlint.report.entry import Entry
    from gradlint.run import Outcome
    from gradlint.settings import Request, Settings

LISTS = ("select", "ignore", "extend_select", "extend_ignore", "exclude", "extend_exclude", "fixable", "unfixable")
CONFIDENCES = ("certain", "likely", "possible")

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def run(args: Sequence[str]) -> int:
    """Do what the arguments ask for and give the exit code; no error leaves as a traceback."""
    terminal.prepare()
    try:
        with signals.sigterm_raised():
            code = cli.main(_with_command(args), prog_name="gradlint", standalone_mode=False)
        return code if isinstance(code, int) else CLEAN
    except click.exceptions.NoArgsIsHelpError as error:
        terminal.say(error.format_message())
        return WRONG
    except click.NoSuchOption as error:
        terminal.complain(f"no option `{error.option_name}`{_nearest(error.option_name, error.possibilities or ())}")
        _hint(error)
        return WRONG
    except click.ClickException as error:
        terminal.complain(error.format_message())
        _hint(error)
        return WRONG
    except (KeyboardInterrupt, click.Abort) as error:
        terminal.complain("interrupted")
        return signals.exit_code(error)
    except OSError as error:
        terminal.complain(": ".join(str(part) for part in (error.filename, error.strerror or error) if part))
        return WRONG
    except Exception as error:  # whatever goes wrong is told in a line
        terminal.complain(f"internal error: {_one_line(error)}; please report it with the command you ran")
        return WRONG


def _with_command(args: Sequence[str]) -> list[str]:
    """The arguments with `check` in front, unless they begin with a command or ask about gradlint itself."""
    if args and (args[0] in cli.commands or args[0] in ("--version", "--help", "-h")):
        return list(args)
    return ["check", *args]


def _hint(error: click.ClickException) -> None:
    if isinstance(error, click.UsageError) and error.ctx is not None and type(error) is not click.UsageError:
        terminal.say(f"try `{error.ctx.command_path} --help`")


def _nearest(word: str, known: Iterable[str]) -> str:
    """The one of these that was meant, if it is clear which."""
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.75)
    return f"; did you mean `{near[0]}`?" if near else ""


def _meant_command(paths: Sequence[str]) -> str:
    """Return the command that was meant by the first path, if there is none of that name."""
    near = _nearest(paths[0], cli.commands) if paths and not os.path.lexists(paths[0]) else ""
    return near.removeprefix("; ").replace("`", "`gradlint ", 1)


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


@click.group(cls=Overview, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="gradlint %(version)s")
def cli() -> None:
    """Find gradient-handling mistakes in PyTorch code.

    `gradlint src/` is short for `gradlint check src/`; `gradlint check --help` has all options.
    """


# ---- check


def _several(name: str, text: str) -> Callable[[CommandT], CommandT]:
    return click.option(name, multiple=True, metavar="RULES", help=text)


_cache_dir = click.option(
    "--cache-dir", metavar="FOLDER", envvar=CACHE_VARIABLE, help="Where the cache is. [.gradlint_cache]"
)


_LEVELS = f"Minimum confidence to report: {', '.join(CONFIDENCES)}. [likely]"
_FORMATS = f"{', '.join(FORMATS)}. [full on a terminal, else concise]"


@cli.command(cls=Grouped, short_help="Lint files and folders (the default command).")
@click.argument("paths", nargs=-1, type=click.Path(readable=False, path_type=str))
@_several("--select", "Report these rules: codes, prefixes, names or ALL; comma lists, repeatable.")
@_several("--ignore", "Do not report these rules.")
@_several("--extend-select", "Report these rules besides those that are selected.")
@_several("--extend-ignore", "Do not report these rules besides those that are ignored.")
@click.option("--min-confidence", type=click.Choice(CONFIDENCES), metavar="LEVEL", help=_LEVELS)
@click.option("--target-torch", metavar="X.Y", help="The version of torch that the code is for. [the newest known]")
@click.option("--fix", is_flag=True, help="Make safe fixes and report what is left.")
@click.option("--unsafe-fixes/--no-unsafe-fixes", default=None, help="Make fixes as well that may change what works.")
@click.option("--diff", is_flag=True, help="Show what fixes would change and write nothing.")
@click.option("--show-fixes", is_flag=True, help="Print what was fixed.")
@_several("--fixable", "Fix findings of these rules only.")
@_several("--unfixable", "Fix no findings of these rules.")
@click.option("--output-format", type=click.Choice(tuple(FORMATS)), metavar="FORMAT", help=_FORMATS)
@click.option("--output-file", metavar="FILE", help="Write the report to a file.")
@click.option("--statistics", is_flag=True, help="Count findings per rule instead of listing them.")
@click.option("--stdin-filename", metavar="FILE", help="File name to assume for stdin (path `-`).")
@click.option("--exit-zero", is_flag=True, help="End with 0 where findings would make it 1.")
@click.option("--config", metavar="FILE", help="Use this configuration for all files.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
@click.option("-j", "--jobs", type=click.IntRange(1), help="How many processes lint. [as many as there are cores]")
@click.option("--no-cache", is_flag=True, help="Neither look into the cache nor write to it.")
@_cache_dir
@click.option("--force-exclude", is_flag=True, help="Exclude paths even when they are named here.")
@click.option("--exclude", multiple=True, metavar="PATTERNS", help="Replace the default excludes by these.")
@click.option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Exclude these paths as well.")
@click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Exclude what git ignores. [yes]")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Print per-file details.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to paint. [auto]")
@click.option("--show-files", is_flag=True, help="List the files that would be linted.")
@click.option("--baseline", metavar="FILE", help="Do not report the findings that this file accepts.")
@click.option("--update-baseline", is_flag=True, help="Accept all that is found: write it to the baseline.")
@click.option("--add-noqa", is_flag=True, help="Silence all that is found, by `# noqa` comments in the files.")
@click.option("--show-settings", is_flag=True, help="Print the settings that hold for each path.")
def check(paths: tuple[str, ...], **options: Any) -> int:
    """Lint files and folders; `-` reads from stdin. Without a path, the current folder.

    Ends with 0 if there is nothing to report, 1 if there are findings or files that could not be linted, 2 if gradlint
    was asked for something it cannot do (a path that does not exist, an unknown rule, a bad configuration).
    """
    from gradlint import run as running

    progress = terminal.Progress(quiet=options["quiet"])
    told = _Told(options, progress)
    if options["show_settings"]:
        return _show_settings(paths, options, told)
    try:
        request = _request(paths, options)
        if options["add_noqa"]:
            outcome = _add_noqa(request, progress)
        else:
            outcome = running.lint(request, loading.installed, progress, told if told.may_be_partial else None)
    except running.Refused as error:
        raise click.ClickException(str(error)) from error
    finally:
        progress.end()
    _tell(outcome, options, told, onto_stdout=options["fix"] and STDIN in paths)
    _tell_besides(outcome, options)
    if hint := _meant_command(paths):
        terminal.say(hint)
    if outcome.interrupted is not None:
        terminal.complain(f"interrupted: {outcome.interrupted.done}")
        return outcome.interrupted.exit_code
    if outcome.problems:
        return WRONG
    if options["exit_zero"] or options["show_files"]:
        return CLEAN
    return FOUND if (outcome.changed if options["diff"] else outcome.entries) else CLEAN


def _tell_besides(outcome: Outcome, options: dict[str, Any]) -> None:
    """Say what a run has to say besides its report."""
    for note in () if options["quiet"] else outcome.notes:
        terminal.say(note)
    for warning in outcome.warnings:
        terminal.warn(warning)
    if outcome.tracebacks:
        _tell_tracebacks(outcome.tracebacks, verbose=options["verbose"])
    for problem in outcome.problems:
        terminal.complain(problem)


def _add_noqa(request: Request, progress: terminal.Progress) -> Outcome:
    """Return the findings that are left after all of the first were silenced in the files."""
    from gradlint import annotating, run

    if run.STDIN in request.paths:
        raise click.ClickException("`--add-noqa` changes files, and `-` is none; name the file")
    for option, asked in (("--update-baseline", request.update_baseline), ("--fix", request.fix)):
        if asked:
            raise click.ClickException(f"`--add-noqa` and `{option}` exclude each other; choose one")
    outcome, added = annotating.add_noqa(request, lambda one: run.lint(one, loading.installed, progress))
    progress.end()
    terminal.say(f"added `# noqa` to {counted(added.rows, 'row')} in {counted(len(added.files), 'file')}")
    return replace(outcome, problems=(*outcome.problems, *added.problems))


def _show_settings(paths: tuple[str, ...], options: dict[str, Any], told: _Told) -> int:
    """Print what holds for each path, or for the current folder."""
    from gradlint import run as running
    from gradlint.files import here
    from gradlint.report import settings as report

    shown = [(options["stdin_filename"] or "stdin.py") if path == "-" else path for path in paths or (".",)]
    for path in shown:
        if path in paths and not os.path.lexists(path):
            raise click.ClickException(f"{safe_name(path)}: no such file or folder")

    def tell(settings: Settings, cache_dir: str) -> str:
        chosen = told.format(settings.configs.of(here()).output_format)
        return "\n".join(report.report(path, settings, chosen, cache_dir) for path in shown)

    try:
        terminal.write(running.shown(_request((), options), loading.installed, tell))
    except running.Refused as error:
        raise click.ClickException(str(error)) from error
    return CLEAN


def _request(paths: tuple[str, ...], options: dict[str, Any]) -> Request:
    from gradlint.finding import Confidence
    from gradlint.limits import cores
    from gradlint.settings import Request

    least = options["min_confidence"]
    return Request(
        paths=paths or (".",),
        stdin=_stdin() if STDIN in paths else b"",
        stdin_filename=options["stdin_filename"],
        min_confidence=Confidence[least.upper()] if least else None,
        target_torch=options["target_torch"],
        config=options["config"],
        isolated=options["isolated"],
        force_exclude=options["force_exclude"],
        respect_gitignore=options["respect_gitignore"],
        only_list=options["show_files"],
        jobs=options["jobs"] or cores(),
        cache=not options["no_cache"],
        fix=options["fix"] or options["diff"],
        diff=options["diff"],
        unsafe_fixes=options["unsafe_fixes"],
        cache_dir=options["cache_dir"],
        baseline=options["baseline"],
        update_baseline=options["update_baseline"],
        **{name: listed(options[name]) for name in LISTS},
    )


def _stdin() -> bytes:
    """Return the bytes of stdin, or so many of them that they are too many."""
    from gradlint.reading import MOST_CONFIGURED

    if sys.stdin is None:
        raise click.ClickException("nothing can be read for `-`: stdin is closed")
    return sys.stdin.buffer.read(MOST_CONFIGURED + 1)


class _Told:
    """The report, in parts: what is final is told while the rest is still linted."""

    def __init__(self, options: dict[str, Any], progress: terminal.Progress) -> None:
        self._options, self._progress = options, progress
        whole = "output_file", "statistics", "show_files", "fix", "diff"
        self.may_be_partial = not any(options[name] for name in whole)
        self.entries = 0

    def format(self, configured: str | None) -> str:
        """The name of the format."""
        usual = "full" if not self._options["output_file"] and terminal.is_terminal(sys.stdout) else "concise"
        return self._options["output_format"] or configured or usual

    def __call__(self, entries: Sequence[Entry], configured: str | None) -> None:
        from gradlint import report

        if entries and (chosen := self.format(configured)) in report.PARTED:
            self._progress.end()
            terminal.write(self.text(entries, chosen))

    def text(self, entries: Sequence[Entry], chosen: str) -> str:
        """The text of the next entries."""
        from gradlint import report

        file = self._options["output_file"]
        painted = file is None and terminal.wants_colour(self._options["color"], sys.stdout, os.environ)
        plain = report.DETAILED if self._options["verbose"] else report.FORMATS
        formats = report.STATISTICS if self._options["statistics"] else plain
        between = report.PARTED.get(chosen, "") if self.entries and entries else ""
        self.entries += len(entries)
        columns = terminal.columns(sys.stdout, report.COLUMNS) if file is None else report.COLUMNS
        return between + formats[chosen](entries, painted, columns)


def _tell(outcome: Outcome, options: dict[str, Any], told: _Told, *, onto_stdout: bool) -> None:
    """Write the files that would be linted, the report, or what fixes change: of what came over stdin that is what is
    asked for, and the report goes to stderr."""
    if options["show_files"]:
        terminal.write("".join(f"{safe_name(path)}\n" for path in outcome.files))
        _tell_details(outcome, options)
        return
    if options["diff"]:
        terminal.write("".join(change.diff() for change in outcome.changed))
    elif onto_stdout:
        terminal.write_bytes(outcome.stdin)
        _report(outcome, options, told, terminal.say_text)
    else:
        _report(outcome, options, told, terminal.write)
    if options["show_fixes"] and outcome.changed:
        from gradlint.changes import tally

        terminal.say_text(tally(outcome.changed))


_UNBOUND = 1_000_000
"""The width of what no terminal shows."""


def _report(outcome: Outcome, options: dict[str, Any], told: _Told, write: Callable[[str], None]) -> None:
    from gradlint import report
    from gradlint.report.wrapping import wrapped

    file, chosen = options["output_file"], told.format(outcome.output_format)
    text = told.text(outcome.entries[told.entries :], chosen)
    if file is None:
        write(text)
    else:
        _save(text, file)
    _tell_details(outcome, options)
    if not options["quiet"] and chosen in report.FOR_PEOPLE and (outcome.files or not outcome.problems):
        terminal.say("\n".join(wrapped(_summary(outcome), terminal.columns(sys.stderr, _UNBOUND))))
        if chosen == "full" and (code := _explained(outcome)):
            terminal.say(f"`gradlint rule {code}` explains the first")


def _tell_details(outcome: Outcome, options: dict[str, Any]) -> None:
    for line in outcome.told if options["verbose"] else ():
        terminal.say(line)


def _tell_tracebacks(tracebacks: tuple[str, ...], *, verbose: bool) -> None:
    """The tracebacks of internal errors go to stderr, or into a file whose name is told."""
    import tempfile

    text = "\n".join(tracebacks)
    if verbose:
        terminal.say(text)
        return
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", prefix="gradlint-", suffix=".txt", delete=False
        ) as file:
            file.write(text)
    except OSError:
        terminal.say(text)
        return
    terminal.say(f"the traceback of the internal error is in {file.name}")


def _save(text: str, file: str) -> None:
    try:
        with open(file, "w", encoding="utf-8", errors="backslashreplace") as output:
            output.write(text)
    except OSError as error:
        raise click.ClickException(f"cannot write the report to {file}: {error.strerror or error}") from error


def _explained(outcome: Outcome) -> str:
    """The code of the first finding, where a rule made it."""
    code = outcome.entries[0].finding.code if outcome.entries else ""
    return "" if code.startswith("GRD0") else code


def _summary(outcome: Outcome) -> str:
    """Return the counts of a run, in a line that no tool takes for a finding."""
    found = len(outcome.entries)
    if not outcome.files:
        return "no Python files found"
    if not found:
        return f"nothing to report in {counted(len(outcome.files), 'file')}{_about_fixes(outcome)}"
    touched = len({entry.path for entry in outcome.entries})
    return f"{counted(found, 'finding')} in {counted(touched, 'file')}{_about_fixes(outcome)}"


def _about_fixes(outcome: Outcome) -> str:
    """Return the numbers of findings that were fixed, and that can be."""
    cured = sum(len(change.cured) for change in outcome.changed)
    safe, unsafe = outcome.fixable
    said = [f"{cured} fixed"] if cured else []
    said += [f"{safe} can be fixed with `--fix`"] if safe else []
    said += [f"{unsafe}{' more' if safe else ''} with `--fix --unsafe-fixes`"] if unsafe else []
    return "".join(f"; {each}" for each in said)


# ---- clean


@cli.command(short_help="Remove the cache.")
@_cache_dir
@click.option("--config", metavar="FILE", help="Use this configuration.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
def clean(cache_dir: str | None, **options: Any) -> int:
    """Remove the cache of the project one stands in. Nothing is removed that is no cache of gradlint's."""
    from gradlint.files import displayed
    from gradlint.run import Refused, clean
    from gradlint.settings import Request

    try:
        folder, was_there = clean(Request(cache_dir=cache_dir, **options))
    except Refused as error:
        raise click.ClickException(str(error)) from error
    terminal.say(f"{'removed' if was_there else 'there is no cache at'} {safe_name(displayed(folder))}")
    return CLEAN


for command in (
    looking.coverage,
    looking.trace,
    looking.explain_error,
    rules.list_rules,
    rules.explain,
    rules.prove,
    rules.new,
    docs.docs,
):
    cli.add_command(command)
