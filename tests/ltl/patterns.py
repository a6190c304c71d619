"""Formulas that people write: the patterns of Dwyer, Avrunin and Corbett (ICSE 1999), fairness, chains."""

from __future__ import annotations

DWYER = """
[]!p
<>r -> (!p U r)
[](q -> []!p)
[]((q && !r && <>r) -> (!p U r))
[](q && !r -> (!p W r))
<>p
!r W (p && !r)
[]!q || <>(q && <>p)
[](q && !r -> (!r W (p && !r)))
[](q && !r -> (!r U (p && !r)))
!p W (p W (!p W (p W []!p)))
<>r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))
<>q -> (!q U (q && (!p W (p W (!p W (p W []!p))))))
[]p
<>r -> (p U r)
[](q -> []p)
[]((q && !r && <>r) -> (p U r))
[](q && !r -> (p W r))
!p W s
<>r -> (!p U (s || r))
[]!q || <>(q && (!p W s))
[]((q && !r && <>r) -> (!p U (s || r)))
[](q && !r -> (!p W (s || r)))
[](p -> <>s)
<>r -> ((p -> (!r U (s && !r))) U r)
[](q -> [](p -> <>s))
[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))
[](q && !r -> ((p -> (!r U (s && !r))) W r))
<>p -> (!p U (s && !p && X(!p U t)))
<>r -> (!p U (r || (s && !p && X(!p U t))))
[]!q || (!q U (q && <>p -> (!p U (s && !p && X(!p U t)))))
[]((q && <>r) -> (!p U (r || (s && !p && X(!p U t)))))
[](q -> (<>p -> (!p U (r || (s && !p && X(!p U t))))))
<>(s && X<>t) -> (!s U p)
<>r -> (!(s && !r && X(!r U (t && !r))) U (r || p))
[]!q || (!q U (q && (<>(s && X<>t) -> (!s U p))))
[]((q && <>r) -> (!(s && !r && X(!r U (t && !r))) U (r || p)))
[](q -> (!(s && !r && X(!r U (t && !r))) U (r || p) || []!(s && X<>t)))
[](s && X<>t -> X<>(t && <>p))
<>r -> ((s && X(!r U t) -> X(!r U (t && <>p))) U r)
[](q -> [](s && X<>t -> X(!t U (t && <>p))))
[]((q && <>r) -> ((s && X(!r U t) -> X(!r U (t && <>p))) U r))
[](p -> <>(s && X<>t))
<>r -> ((p -> (!r U (s && !r && X(!r U t)))) U r)
[](q -> [](p -> (s && X<>t)))
[]((q && <>r) -> ((p -> (!r U (s && !r && X(!r U t)))) U r))
[](p -> <>(s && !z && X(!z U t)))
<>r -> ((p -> (!r U (s && !r && !z && X((!r && !z) U t)))) U r)
[](q -> [](p -> (s && !z && X(!z U t))))
""".strip().splitlines()


def families(largest: int) -> list[str]:
    """Families that grow with a parameter: fairness, until chains, and conjunctions of goals."""
    formulas = []
    for count in range(1, largest + 1):
        names = [f"p{index}" for index in range(count + 1)]
        fair = " && ".join(f"[]<>{name}" for name in names[:count])
        left, right, released = names[0], names[-1], names[-1]
        for name in names[1:]:
            left = f"({left}) U {name}"
        for name in reversed(names[:-1]):
            right = f"{name} U ({right})"
            released = f"{name} R ({released})"
        formulas += [
            fair,
            f"({fair}) -> []<>q",
            f"({fair}) -> [](r -> <>q)",
            " || ".join(f"<>[]{name}" for name in names[:count]),
            " && ".join(f"<>{name}" for name in names[:count]),
            " || ".join(f"[]{name}" for name in names[:count]),
            " && ".join(f"([]<>{name} || <>[]q{name})" for name in names[: min(count, 2)]),
            "<>(" + " && X<>(".join(names) + ")" * len(names),
            "[](p -> " + "X " * count + "q)",
            left,
            right,
            released,
        ]
    return formulas
