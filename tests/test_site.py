"""The site of the rules: whole, linked, searchable, and safe whatever the rules say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gradlint import cli, pages, registry, site
from gradlint.events import RequiresGradChanged
from gradlint.proving.examples import without_markers
from gradlint.registry import rules
from gradlint.rule import Findings, Rule
from gradlint.site.index import errors

RULES = rules()
NODE = shutil.which("node")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of all rules."""
    folder = tmp_path_factory.mktemp("site")
    assert site.write(str(folder), RULES) == len(RULES) + 1
    return folder


class Page(HTMLParser):
    """What a page refers to, the text in it, its programs, and the elements that are still open."""

    VOID = frozenset({"meta", "link", "input", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.programs: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "pre":
            self.programs.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "pre" in self.open:
            self.programs[-1] += data


def page_of(built: Path, rule: Rule) -> Page:
    return Page((built / "rules" / f"{rule.name}.html").read_text(encoding="utf-8"))


def data(built: Path) -> list[dict[str, object]]:
    text = (built / "rules.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const RULES = ").rstrip().removesuffix(";"))


# ---- the pages


def test_all_links_lead_to_files_of_the_site(built: Path):
    for path in built.rglob("*.html"):
        page = Page(path.read_text(encoding="utf-8"))
        assert page.open == []
        for link in page.links:
            assert ":" not in link and not link.startswith("/")
            assert (path.parent / link).resolve().is_relative_to(built.resolve())
            assert (path.parent / link).is_file()


def test_the_first_page_leads_to_every_rule(built: Path):
    links = Page((built / "index.html").read_text(encoding="utf-8")).links
    assert {f"rules/{rule.name}.html" for rule in RULES} <= set(links)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_has_wrong_and_right_code_and_what_torch_does(built: Path, rule: Rule):
    page = page_of(built, rule)
    assert rule.code in page.text and pages.summary(rule).replace("`", "").replace("*", "") in page.text
    for given in rule.evidence:
        assert without_markers(pages.written(given.example)).rstrip("\n") in page.programs
    assert "What torch does" in page.text
    for words in errors(rule):
        assert words in page.text


def test_a_page_shows_what_is_reported(built: Path):
    page = page_of(built, next(rule for rule in RULES if rule.code == "GRD304"))
    assert "GRD304 backward() raises: scale was modified in place after exp saved it for backward" in page.text


# ---- the search


def test_the_index_has_every_rule_with_its_errors(built: Path):
    rows = {row["code"]: row for row in data(built)}
    assert list(rows) == [rule.code for rule in RULES]
    for rule in RULES:
        assert rows[rule.code]["name"] == rule.name
        assert rows[rule.code]["errors"] == errors(rule)


def test_every_rule_whose_line_raises_is_found_by_an_error():
    assert [rule.code for rule in RULES if rule.effect == "error" and not errors(rule)] == []


def found(built: Path, queries: list[str]) -> list[list[str]]:
    """The codes that the search of the site finds for each query."""
    script = (
        f"const {{ find }} = require({json.dumps(str(built / 'search.js'))});"
        f"{(built / 'rules.js').read_text(encoding='utf-8')}"
        f"const found = {json.dumps(queries)}.map((query) => find(RULES, query).map((rule) => rule.code));"
        "process.stdout.write(JSON.stringify(found));"
    )
    assert NODE is not None
    ran = subprocess.run([NODE, "-"], input=script, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(ran.stdout)


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_every_rule_is_found_by_code_name_and_error(built: Path):
    asked = [(rule, query) for rule in RULES for query in (rule.code, rule.name, rule.code.lower())]
    for (rule, query), codes in zip(asked, found(built, [query for _, query in asked]), strict=True):
        assert codes[0] == rule.code, query
    asked = [(rule, error) for rule in RULES for error in errors(rule)]
    whole = [f"RuntimeError: before {error.replace(' ... ', ' [3, 4] ')} and behind." for _, error in asked]
    for query in ([error for _, error in asked], whole):
        for (rule, error), codes in zip(asked, found(built, query), strict=True):
            assert rule.code in codes, error


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_a_search_finds_what_is_asked_for_alone(built: Path):
    pasted = "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after"
    ones = found(built, [pasted, "GRD70", "zero_grad step", "no such words at all", "  ", "(("])
    assert ones[0] == ["GRD503", "GRD505", "GRD508"]
    assert ones[1] and all(code.startswith("GRD70") for code in ones[1])
    assert "GRD702" in ones[2]
    assert ones[3:] == [[], [], []]


# ---- text that is no HTML


def planted() -> Rule:
    """A rule whose every text looks like HTML or ends a script."""
    rule = Rule("ABC101", "planted-rule", "a < b & `<i>` </script>", help="use `<b>`", effect="no effect")
    rule.page = "A list<int> & `a < b` </script><script>alert(1)</script>.\n\n## Why <it>\n\nBecause x < y && y > z."
    rule.consequence = consequence

    @rule.on(RequiresGradChanged)
    def check(event: RequiresGradChanged) -> Findings:
        yield rule.at(event.node)

    rule.bad(compared)
    return rule


def consequence(returned):
    """It is <b>bold</b>."""
    return bool(returned)


def compared():
    import torch

    x = torch.ones(1 < 2, requires_grad=True)  # ABC101
    return (
        "<script>alert(1)</script>"
        if x < 1
        else """&amp;
</pre>"""
    )


def test_what_rules_say_is_text_and_no_html(tmp_path: Path):
    site.write(str(tmp_path), [planted()])
    text = (tmp_path / "rules" / "planted-rule.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert text.count("<script") == 2 and "alert(1)</script>" not in text
    assert "A list<int> & a < b </script><script>alert(1)</script>." in page.text
    assert "It is <b>bold</b>" in page.text and "a < b & <i> </script>" in page.text
    assert without_markers(pages.written(compared)).rstrip("\n") in page.programs
    assert "</script>" not in (tmp_path / "rules.js").read_text(encoding="utf-8")
    assert data(tmp_path)[0]["summary"] == pages.summary(planted())


def test_a_row_of_code_is_html_of_its_own():
    rows = site.layout.code("x = '''a\nb'''\n\"\"\"c\n", frozenset({1, 2})).split("\n")
    assert [row.count("<mark>") for row in rows] == [1, 1, 0, 0]
    for row in rows[1:2]:
        assert Page(row).open == []


# ---- the command


def test_the_command_writes_the_site(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch):
    monkeypatch.setattr(registry, "rules", lambda: RULES[:2])
    assert cli.run(["docs", "--site", str(tmp_path / "a" / "b")]) == cli.CLEAN
    assert "wrote 3 pages" in capsys.readouterr().err
    assert sorted(os.listdir(tmp_path / "a" / "b")) == ["index.html", "rules", "rules.js", "search.js", "style.css"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "file").write_text("")
    assert cli.run(["docs", "--site", str(tmp_path / "file" / "site")]) == cli.WRONG
    assert "file" in capsys.readouterr().err


TABLED = "# Title\n\n<!-- gradlint rules -->\n| old |\n<!-- end of the table -->\n\nrest <!-- a comment -->\n"


def test_the_table_in_a_markdown_file_is_kept_up_to_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(registry, "rules", lambda: RULES[:2])
    page = tmp_path / "README.md"
    page.write_text(TABLED)
    assert cli.run(["docs", "--check", str(page)]) == cli.FOUND
    assert "out of date" in capsys.readouterr().err and page.read_text() == TABLED
    assert cli.run(["docs", "--write", str(page)]) == cli.CLEAN
    assert page.read_text() == TABLED.replace("| old |\n", pages.markdown(RULES[:2]))
    assert cli.run(["docs", "--check", str(page), "--write", str(page)]) == cli.CLEAN
    assert "nothing to change" in capsys.readouterr().err


def test_a_file_without_a_table_and_a_command_without_a_task_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "README.md").write_text("# Title\n")
    assert cli.run(["docs", "--check", str(tmp_path / "README.md")]) == cli.WRONG
    assert "has no table" in capsys.readouterr().err
    assert cli.run(["docs"]) == cli.WRONG
    assert "`--site`" in capsys.readouterr().err


def test_an_ordinary_run_loads_nothing_of_the_site(tmp_path: Path):
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.ones(3, requires_grad=True)\nx += 1\n")
    code = (
        "import sys\n"
        "from gradlint.cli import run\n"
        f"assert run([{str(tmp_path)!r}, '--isolated', '--no-cache', '-j', '1']) == 1\n"
        "assert not [name for name in sys.modules if name.startswith('gradlint.site')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, stdout=subprocess.DEVNULL)
