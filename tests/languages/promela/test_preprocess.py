"""Macros, includes and conditions; and every place in what they make is one in what the user wrote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.promela.read.parse import parse_model
from ouroboros.languages.promela.read.preprocess import preprocess
from ouroboros.ltl.parse import parse_span
from ouroboros.source import Source
from tests.languages.promela.models import checked, source


def words(text: str, **definitions: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]+", preprocess(source(text), definitions).text)


def places(text: str) -> list[tuple[str, int, str]]:
    """Each word of the result, with the line and the text that it stands for."""
    result = preprocess(source(text), {})
    spans = [(match[0], result.span(*match.span())) for match in re.finditer(r"\w+|[^\w\s]", result.text)]
    return [(word, span.line, span.text) for word, span in spans]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("#define N 3\nN + N", "3 + 3"),
        ("#define f(a, b) a * b\nf(1 + 2, g(3, 4))", "1 + 2 * g ( 3 , 4 )"),
        ("#define glue(a) a##_x\nglue(k)", "k_x"),
        ("#define long 1 + \\\n 2\nlong", "1 + 2"),
        ("#ifdef A\nyes\n#else\nno\n#endif", "no"),
        ("#define A\n#ifdef A\nyes\n#else\nno\n#endif", "yes"),
        ("#if 1 + 1 == 2 && !defined(B)\nyes\n#elif 1\nno\n#endif", "yes"),
        ("#ifndef A\n#define A 7\n#endif\nA", "7"),
        ("#define A 1\n#undef A\nA", "A"),
        ("#define A A + 1\nA", "A + 1"),
        ('# 12 "other.pml"\nx', "x"),
        ("#line 12\nx", "x"),
        ("#define N 3\nq??<x>; q??(x)", "q ??< x >; q ??( x )"),
        ("x /* a\n b */ y // c\n#define N\nz", "x y z"),
        ("#define minus -1\n-minus", "- - 1"),
        ("#define CR 1\r\nCR\r\n", "1"),
    ],
)
def test_text(text: str, result: str) -> None:
    assert words(text) == result.split()


def test_definitions_from_outside() -> None:
    assert words("N + M", N="3", M="(1 + 1)") == ["3", "+", "(", "1", "+", "1", ")"]
    assert words("#if N > 2\nyes\n#endif", N="3") == ["yes"]


def test_what_is_defined_from_outside_wins() -> None:
    assert words("#define N 4\nN", N="3") == ["3"]
    assert words("N\n#undef N\n#define N 4\nN", N="3") == ["3", "3"]
    assert words("#ifndef N\n#define N 4\n#endif\nN", N="3") == ["3"]
    assert words("#define f(x) x\nf(1)", **{"f(x)": "x + x"}) == ["1", "+", "1"]


@pytest.mark.parametrize("text", ["#define M 4\nM", "#define M 4\nM /* N */ NN"])
def test_what_nothing_uses_is_not_defined_from_outside(text: str) -> None:
    with pytest.raises(UsageError, match=r"-D N: model.pml uses no such macro; it defines M$"):
        words(text, N="3")
    with pytest.raises(UsageError, match=r"-D N: model.pml uses no such macro; it defines none$"):
        words("x", N="3")


def test_macros_that_grow_without_end() -> None:
    doubling = "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(36))
    with pytest.raises(InputError, match="the macros expand to too long a text") as refused:
        words(f"#define A0 x\n{doubling}\nA36")
    assert refused.value.span
    assert refused.value.span.text == "A36"
    nested = "f(" * 36 + "x" + ")" * 36
    with pytest.raises(InputError, match="the macros expand to too long a text"):
        words(f"#define f(x) x x\n{nested}")


def test_nothing_happens_without_a_directive() -> None:
    text = source("byte x; // no # at the beginning of a line\n")
    assert preprocess(text, {}).text is text.text


def test_what_comes_out_of_a_macro_stands_where_it_is_used() -> None:
    text = "#define inc(v) v = v + N\n#define N 3\nbyte x;\n  inc(x); N"
    assert places(text)[3:] == [
        ("x", 4, "x"),
        ("=", 4, "inc(x)"),
        ("x", 4, "x"),
        ("+", 4, "inc(x)"),
        ("3", 4, "inc(x)"),
        (";", 4, ";"),
        ("3", 4, "N"),
    ]


def test_columns_survive_comments_conditions_and_continued_lines() -> None:
    text = "#define N 1\n/* a\n b */ x /* c */ y // d\n#if 0\nno\n#endif\n\tz \\\n  N w"
    assert places(text) == [("x", 3, "x"), ("y", 3, "y"), ("z", 7, "z"), ("1", 8, "N"), ("w", 8, "w")]


def test_includes_are_relative_and_keep_their_places(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "model.pml").write_text('#include "inner/types.h"\nbyte x = N;\ninit { wrong }\n')
    (tmp_path / "inner" / "types.h").write_text('#include "constants.h"\n\nbyte y;\n')
    (tmp_path / "inner" / "constants.h").write_text("#define N 3\n")
    path = tmp_path / "model.pml"
    with pytest.raises(InputError, match="wrong is not declared") as caught:
        parse_model(Source(str(path), path.read_text()))
    assert str(caught.value.span) == f"{path}:3:8"
    path.write_text('#include "inner/types.h"\nbyte y;\n')
    with pytest.raises(InputError, match="y is already declared") as caught:
        parse_model(Source(str(path), path.read_text()))
    assert str(caught.value.span) == f"{path}:2:6"
    assert f"{tmp_path}/inner/types.h:3:6" in str(caught.value.hint)


def test_an_error_in_an_include_points_there(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("byte x\n\n  byte !\n")
    path = tmp_path / "model.pml"
    with pytest.raises(InputError) as caught:
        parse_model(Source(str(path), '#include "part.h"\ninit { skip }'))
    assert str(caught.value.span) == f"{tmp_path}/part.h:3:8"


def test_formulas_are_expanded_and_their_places_are_not() -> None:
    model = checked("#define p (x == 1)\nbyte x;\nltl f {\n  [] p -> <> (x > 2)\n}\ninit { skip }")
    parsed = parse_span(model.formulas[0].formula)
    first, second = parsed.atoms
    assert "".join(first.text.split()) == "x==1"
    assert (first.span.line, first.span.column) == (4, 6)
    assert (second.text, second.span.line, second.span.column) == ("x > 2", 4, 15)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('byte x;\n#include "absent.h"', 2, "there is no file absent.h"),
        ("#include", 1, "a file name is expected"),
        ("#if\n#endif", 1, "can make no sense"),
        ("x\n#ifdef\n#endif", 2, "can make no sense"),
        ("#if 1 +\n#endif", 1, "could not evaluate"),
        ("x\n#else", 2, "misplaced #else"),
        ("#if 1\nx", 1, "unterminated #if"),
        ("#define f(x) x\n f(1, 2)", 2, "requires 1 arguments"),
        ("#define", 1, "can make no sense"),
        ("#definde N 1", 1, "unknown directive #definde"),
        ("x\n#error no good", 2, "#error no good"),
    ],
)
def test_bad_directives(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        preprocess(source(text), {})
    assert message in caught.value.message
    assert caught.value.span is not None
    assert caught.value.span.line == line


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text('#include "model.pml"\n')
    with pytest.raises(InputError, match="nested more than"):
        parse_model(Source(str(path), path.read_text()))


def test_line_markers_say_where_an_error_is() -> None:
    text = '# 1 "first.pml"\nbyte x;\n# 40 "second.pml" 2\nactive proctype P() {\n  x = y\n}\n'
    with pytest.raises(InputError) as error:
        parse_model(source(text), {})
    assert error.value.span
    assert str(error.value.span) == "second.pml:41:7"
    assert error.value.span.source.line_text(41) == "  x = y"
