"""Files of formulas, and what their definitions mean in a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.errors import InputError
from ouroboros.properties.formulas.ltl_file import parse_formulas, read_source
from ouroboros.properties.formulas.reading import from_formula
from ouroboros.properties.formulas.watched import Watched
from ouroboros.source import Source, Span

from ..trace.handmade import counter


def properties(text: str) -> list[Watched]:
    file = parse_formulas(Source("some.ltl", text))
    return [from_formula(counter(3), span, file.definitions) for span in file.properties]


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        properties(text)
    return caught.value


def test_definitions_and_properties() -> None:
    first, second = properties(
        """
        // One-line comment: #property nothing
        #define home turn == 0 /* a comment over
        two lines #define */
        # property G(F(home))

        #property home // as a formula
        """
    )
    assert (first.name, str(first.formula)) == ("G(F(home))", "[]<>home")
    assert (second.name, second.propositions[0].name) == ("home", "home")
    span = second.propositions[0].span
    assert span is not None
    assert (span.text, str(span)) == ("turn == 0", "some.ltl:3:22")


def test_a_definition_may_use_others_and_be_a_formula() -> None:
    (watched,) = properties(
        "#define soon F(home || away)\n#define home turn == 0\n#define away B == 1\n#property G soon"
    )
    assert str(watched.formula) == "[]<>(home || away)"


def test_a_definition_that_the_model_cannot_read_may_be_a_formula() -> None:
    # The handmade language has no implication.
    (watched,) = properties("#define follows turn == 0 -> B == 0\n#property G follows")
    assert str(watched.formula) == '[]("turn == 0" -> "B == 0")'


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("#property G(turn == 0", "some.ltl:1:12", "is not closed"),
        ("\n#property G(turm == 0)", "some.ltl:2:13", "unknown name turm"),
        ("#define p turm == 0\n#property G p", "some.ltl:1:11", "unknown name turm"),
        ("#define p turn == 0 && turm == 0\n#property p", "some.ltl:1:24", "unknown name turm"),
        ("#define a b\n#define b !a\n#property a", "some.ltl:2:12", "the definition of a uses a"),
        ("#define p turn == 0\n#define p turn == 1\n#property p", "some.ltl:2:9", "defined twice, first in line 1"),
        ("#define U turn == 0\n#property U", "some.ltl:1:9", "word of the logic"),
        ("#define p(x) x == 0\n#property p(1)", "some.ltl:1:9", "no parameters"),
        ("#define 3 turn == 0", "some.ltl:1:9", "a name is expected"),
        ("#define p  \n#property p", "some.ltl:1:10", "the expression that p stands for is expected"),
        ("#property // nothing\n", "some.ltl:1:10", "a formula is expected"),
        ("G(turn == 0)", "some.ltl:1:1", "a #define or a #property is expected"),
        ("#include <other>", "some.ltl:1:1", "a #define or a #property is expected"),
    ],
)
def test_what_is_wrong_is_shown_in_its_place(text: str, place: str, message: str) -> None:
    error = refused(text)
    assert str(error.span) == place
    assert message in error.message


def test_a_file_without_a_property() -> None:
    assert "there is no #property" in refused("#define p turn == 0\n").message


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_source(tmp_path / "nowhere.ltl")
    with pytest.raises(InputError, match="directory"):
        read_source(tmp_path)
    (tmp_path / "binary.ltl").write_bytes(b"#property \xff")
    with pytest.raises(InputError, match="UTF-8"):
        read_source(tmp_path / "binary.ltl")


def test_more_atoms_than_a_valuation_has_bits() -> None:
    def formula(count: int) -> Watched:
        text = " && ".join(f"turn == {number}" for number in range(count))
        return from_formula(counter(3), Span(Source("--ltl", f"[] ({text})"), 0, len(text) + 5))

    assert len(formula(60).propositions) == 60
    with pytest.raises(InputError, match="61 different atoms, and at most 60"):
        formula(61)
