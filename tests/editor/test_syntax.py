"""The highlighting files of `editors/` know the words that the front ends know."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ouroboros.languages import LANGUAGES
from ouroboros.languages.murphi.lex import KEYWORDS as MURPHI
from ouroboros.languages.promela.read.tokens import KEYWORDS as PROMELA

EDITORS = Path(__file__).parents[2] / "editors"
DVE = set(
    re.findall(
        r'"([a-z]+)"',
        (Path(__file__).parents[2] / "src/ouroboros/languages/dve/grammar.lark").read_text(),
    )
)
WORDS = {"dve": DVE, "promela": set(PROMELA), "murphi": set(MURPHI)}
PACKAGE = json.loads((EDITORS / "vscode" / "package.json").read_text())


def patterns(language: str) -> list[dict[str, str]]:
    grammar = json.loads((EDITORS / "vscode" / "syntaxes" / f"{language}.tmLanguage.json").read_text())
    return list(grammar["patterns"])


@pytest.mark.parametrize("language", WORDS)
def test_every_keyword_is_highlighted_and_no_name_is(language: str) -> None:
    coloured = [each for each in patterns(language) if each["name"].startswith(("keyword", "storage", "constant"))]
    rules = [re.compile(each["match"]) for each in coloured if "match" in each]
    for word in WORDS[language]:
        assert any(rule.fullmatch(word) for rule in rules), word
        assert not any(found.group() != word for rule in rules for found in rule.finditer(f"my_{word}_name")), word
    vim = (EDITORS / "vim" / "syntax" / f"{language}.vim").read_text()
    assert set(WORDS[language]) <= set(re.findall(r"\w+", vim))


@pytest.mark.parametrize("language", WORDS)
def test_comments_are_told_from_code(language: str) -> None:
    (line,) = (each["match"] for each in patterns(language) if each["name"].startswith("comment.line"))
    text = "x -- y" if language == "murphi" else "x // y"
    found = re.search(line, text)
    assert found is not None
    assert found.start() == 2


def test_the_extension_knows_every_suffix() -> None:
    known = {each["id"]: set(each["extensions"]) for each in PACKAGE["contributes"]["languages"]}
    assert known == {name: set(LANGUAGES[name].suffixes) for name in WORDS}
    for each in PACKAGE["contributes"]["grammars"]:
        assert (EDITORS / "vscode" / each["path"]).is_file()
    for each in PACKAGE["contributes"]["languages"]:
        json.loads((EDITORS / "vscode" / each["configuration"]).read_text())
