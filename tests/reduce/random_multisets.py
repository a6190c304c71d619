"""Random Murphi models with multisets, of elements of a scalarset and of numbers, where slots may be seen."""

from __future__ import annotations

from random import Random

HEADER = """
type
  pid: scalarset(2);
  some: multiset [3] of pid;
  numbers: multiset [4] of 0 .. 2;
  parcel: record in_it: multiset [3] of 0 .. 2; end;
var
  bag: some; spare: some; plain: numbers; extra: numbers; parcels: multiset [2] of parcel;
  a: array [pid] of 0 .. 2; x: pid; n: 0 .. 2; b: boolean;

procedure fill(var to_fill: numbers); begin for i: pid do multisetadd(a[i], to_fill); end; end;

procedure fill_box(var box: parcel); begin for i: pid do multisetadd(a[i], box.in_it); end; end;

procedure refill(p: pid; q: pid; again: 0 .. 1);
begin
  if again = 1 then refill(p, q, 0); return; end;
  REFILL
end;

function filled(): numbers;
var local: numbers;
begin
  undefine local; fill(local); return local;
end;

function same(p: pid; q: pid): boolean;
var local: some;
begin
  undefine local; multisetadd(p, local); multisetadd(q, local); return SAME;
end;

startstate
var empty: parcel;
begin
  undefine bag; undefine spare; undefine plain; undefine extra; undefine parcels; undefine x; undefine empty;
  for i: pid do a[i] := 0; end; n := 0; b := false;
  multisetadd(0, plain); multisetadd(1, plain); multisetadd(1, extra); multisetadd(2, extra);
  multisetadd(empty, parcels); multisetadd(1, empty.in_it); multisetadd(empty, parcels);
end;

ruleset p: pid; q: pid do
  rule "give" p != q & a[p] = a[q] ==> begin
    a[p] := 1; a[q] := 2; multisetadd(p, bag); multisetadd(q, bag); multisetadd(q, spare); end;
"""
CHANGES = (
    "undefine bag;",
    "clear plain;",
    "undefine plain;",
    "bag := spare;",
    "spare := bag;",
    "plain := extra;",
    "extra := plain;",
    "bag := some_local;",
    "some_local := bag;",
    "plain := number_local;",
    "number_local := plain;",
    "undefine some_local;",
    "undefine number_local;",
    "plain := filled();",
    "fill(plain);",
    "fill(number_local);",
    "for i: pid do multisetadd(i, bag); end;",
    "for i: pid do multisetadd(i, some_local); end;",
    "for i: pid do multisetadd(a[i], extra); end;",
    "for i: pid do if a[i] = 1 then multisetadd(a[i], extra); end; end;",
    "multisetadd(p, bag);",
    "multisetadd(q, bag);",
    "multisetadd(p, some_local);",
    "multisetadd(q, some_local);",
    "multisetadd(1, plain);",
    "multisetadd(2, number_local);",
    "multisetremove(u, bag);",
    "multisetremove(w, plain);",
    "multisetremove(0, plain);",
    "multisetremovepred(s: bag, bag[s] = p);",
    "multisetremovepred(s: plain, plain[s] = n);",
    "multisetremovepred(s: plain, s = 0);",
    "multisetremovepred(s: number_local, number_local[s] = 1);",
    "bag[u] := q;",
    "plain[w] := 2;",
    "plain[0] := 0;",
    "refill(p, q, 1);",
    "undefine box;",
    "fill_box(box);",
    "multisetadd(box, parcels);",
    "box := parcels[h];",
    "parcels[h] := box;",
    "for i: pid do multisetadd(a[i], parcels[h].in_it); end;",
    "multisetremove(h, parcels);",
)
LOOKS = (
    "x := bag[u];",
    "n := plain[w];",
    "n := plain[0];",
    "n := number_local[0];",
    "n := extra[1];",
    "b := bag[u] = p;",
    "b := isundefined(plain[1]);",
    "b := plain = extra;",
    "b := number_local = plain;",
    "b := same(p, q);",
    "n := multisetcount(s: plain, plain[s] = 1) > 0 ? 1 : 0;",
    "n := multisetcount(s: plain, s = 0 & plain[s] = 1) > 0 ? 1 : 0;",
    "n := multisetcount(s: plain, plain[s] = plain[0]) = 1 ? 1 : 0;",
    "b := multisetcount(s: bag, bag[s] = p) = 1;",
    "b := multisetcount(s: some_local, some_local[s] = q) = 1;",
    "n := parcels[h].in_it[0];",
    "n := parcels[0].in_it[1];",
    "n := box.in_it[0];",
)
AROUND = (
    "alias one: plain[w] do BODY n := one; end;",
    "alias one: plain[1] do BODY n := one; end;",
    "alias one: bag[u] do BODY x := one; end;",
    "if b then BODY else BODY end;",
    "n := 0; while n < 1 do BODY n := n + 1; end;",
    "for i: pid do if a[i] = 1 then BODY end; end;",
)


def random_multiset_model(seed: int) -> str:
    random = Random(seed)

    def statements() -> str:
        found: list[str] = []
        for _ in range(random.randint(1, 4)):
            change = random.choice(AROUND if random.random() < 0.15 else CHANGES)
            while "BODY" in change:
                change = change.replace("BODY", random.choice(CHANGES) + random.choice((*CHANGES, *LOOKS)), 1)
            found.append(change)
        return "\n    ".join([*found, *(random.choice(LOOKS) for _ in range(2))])

    same = random.choice(("local = bag", "bag = spare", "local = local", "spare != bag"))
    names = ("u]", "w]", "h]", "(u", "(w", "(h", "local", "box", "refill")
    anywhere = [item for item in (*CHANGES, *LOOKS) if not any(name in item for name in names)]
    text = HEADER.replace("SAME", same).replace("REFILL", " ".join(random.choice(anywhere) for _ in range(3)))
    for number in range(random.randint(1, 2)):
        guard = random.choice(("a[p] = 1", "a[p] = 1 & a[q] = 2", "plain != extra", "same(p, q)", "p != q & a[q] != 0"))
        choices = [f"choose {name}: {of} do " for name, of in (("u", "bag"), ("w", "plain"), ("h", "parcels"))]
        text += f'  {"".join(choices)}\n  rule "tried {number}" {guard} ==>\n'
        text += "    var some_local: some; number_local: numbers; box: parcel;\n"
        text += f"  begin\n    {statements()}\n  end; {'end; ' * len(choices)}\n"
    text += "end;\n"
    if random.random() < 0.2:
        text += random.choice(("assume n < 2;\n", "assume plain != extra;\n", "assume isundefined(plain[2]);\n"))
    return text + random.choice(("invariant !b;", "invariant n != 1;", "invariant plain = extra;"))
