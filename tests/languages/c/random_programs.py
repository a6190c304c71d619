"""Random C programs without threads, which do what they do whatever the compiler: nothing in them is undefined.

Reckless ones may overflow, divide by zero or shift too far: then they must be stopped there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

INTEGERS = {
    "signed char": 8,
    "unsigned char": 8,
    "short": 16,
    "unsigned short": 16,
    "int": 32,
    "unsigned": 32,
    "long": 64,
    "unsigned long": 64,
    "long long": 64,
    "_Bool": 1,
}
FLOATS = ("float", "double")


@dataclass
class Scope:
    """What can be named, with its type."""

    scalars: list[tuple[str, str]] = field(default_factory=list)
    constants: list[tuple[str, str]] = field(default_factory=list)
    """Which can be read only: counters of loops."""
    floats: list[tuple[str, str]] = field(default_factory=list)
    arrays: list[tuple[str, str, int]] = field(default_factory=list)
    pointers: list[tuple[str, str]] = field(default_factory=list)


class Generator:
    def __init__(self, seed: int, *, reckless: bool = False, first_name: int = 0) -> None:
        self.random = Random(seed)
        self.reckless = reckless
        self.globals = Scope()
        self.functions: list[tuple[str, str, list[str]]] = []
        self.names = first_name
        self.loops = 0

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def program(self, main: str) -> str:
        lines = self._global_variables()
        for _ in range(self.random.randint(1, 4)):
            lines += self._function()
        lines += [f"int {main}(void) {{", *self._body(Scope(), 3, "int")]
        lines += self._show()
        return "\n".join([*lines, "}", ""])

    def _type(self) -> str:
        return self.random.choice(list(INTEGERS))

    def _global_variables(self) -> list[str]:
        random, scope, lines = self.random, self.globals, []
        for _ in range(random.randint(2, 5)):
            kind, name = self._type(), self.name("g")
            lines.append(f"{kind} {name} = {self._literal(kind)};")
            scope.scalars.append((name, kind))
        for _ in range(random.randint(1, 3)):
            kind, name, size = self._type(), self.name("a"), random.randint(2, 7)
            values = ", ".join(self._literal(kind) for _ in range(random.randint(1, size)))
            lines.append(f"{kind} {name}[{size}] = {{{values}}};")
            scope.arrays.append((name, kind, size))
        kind = random.choice(FLOATS)
        name = self.name("d")
        lines.append(f"{kind} {name} = {random.randint(-9, 9)}.25;")
        scope.floats.append((name, kind))
        lines += self._structures()
        for target, kind in list(scope.scalars)[:2]:
            name = self.name("p")
            lines.append(f"{kind} *{name} = &{target};")
            scope.pointers.append((name, kind))
        return lines

    def _structures(self) -> list[str]:
        random, scope = self.random, self.globals
        tag, name = self.name("S"), self.name("s")
        fields = [f"{self._type()} f{index};" for index in range(random.randint(2, 4))]
        bits = [f"{random.choice(['unsigned', 'int'])} b{index} : {random.randint(2, 17)};" for index in range(2)]
        inner = "struct { short x; long y; } in;"
        lines = [f"struct {tag} {{ {' '.join([*fields, *bits, inner])} double z; }};", f"struct {tag} {name}[2];"]
        for index in (0, 1):
            for each in fields:
                kind, field_name = each.rstrip(";").rsplit(" ", 1)
                scope.scalars.append((f"{name}[{index}].{field_name}", kind))
            # Bit fields are narrower than their type: what is stored is cut, as it is for both.
            scope.scalars += [(f"{name}[{index}].b0", "int"), (f"{name}[{index}].b1", "int")]
            scope.scalars += [(f"{name}[{index}].in.x", "short"), (f"{name}[{index}].in.y", "long")]
        union = self.name("u")
        lines.append(f"union {{ unsigned long all; unsigned char bytes[8]; unsigned short halves[4]; }} {union};")
        scope.scalars.append((f"{union}.all", "unsigned long"))
        scope.arrays += [(f"{union}.bytes", "unsigned char", 8), (f"{union}.halves", "unsigned short", 4)]
        return lines

    def _literal(self, kind: str) -> str:
        random, bits = self.random, INTEGERS[kind]
        if bits == 1:
            return str(random.randint(0, 1))
        if random.random() < 0.6:
            return str(random.randint(0, 9))
        low, high = (0, (1 << bits) - 1) if kind.startswith("unsigned") else (-(1 << bits - 1) + 1, (1 << bits - 1) - 1)
        return f"{random.choice([low, high, random.randint(low, high)])}{'UL' if kind == 'unsigned long' else 'L'}"

    # Expressions.

    def _scalar(self, scope: Scope, *, write: bool) -> tuple[str, str]:
        random = self.random
        choices: list[tuple[str, str]] = [*scope.scalars, *self.globals.scalars]
        if not write:
            choices += scope.constants
        pick = random.random()
        if pick < 0.3:
            name, kind, size = random.choice([*scope.arrays, *self.globals.arrays])
            return f"{name}[(unsigned)({self._simple(scope)}) % {size}]", kind
        if pick < 0.42:
            name, kind = random.choice([*scope.pointers, *self.globals.pointers])
            return f"(*{name})", kind
        return random.choice(choices)

    def _simple(self, scope: Scope) -> str:
        choices = [*scope.scalars, *self.globals.scalars, *scope.constants]
        return self.random.choice(choices)[0] if self.random.random() < 0.8 else str(self.random.randint(0, 20))

    def expression(self, scope: Scope, depth: int) -> tuple[str, str]:
        """An expression of an integer type, and that type as far as it is known."""
        random = self.random
        if depth == 0 or random.random() < 0.15:
            if random.random() < 0.7:
                return self._scalar(scope, write=False)
            kind = self._type()
            return f"(({kind}){self._literal(kind)})", kind
        left, right = self.expression(scope, depth - 1)[0], self.expression(scope, depth - 1)[0]
        kind = random.choice(["int", "unsigned", "long", "unsigned long"])
        wide = "unsigned" if kind in ("int", "unsigned") else "unsigned long"
        bits = 32 if wide == "unsigned" else 64
        pick = random.randrange(12)
        if pick < 3:
            operator = random.choice("+-*")
            if self.reckless and random.random() < 0.6:
                return f"(({kind})({left}) {operator} ({kind})({right}))", kind
            return f"(({kind})(({wide})({left}) {operator} ({wide})({right})))", kind
        if pick == 3:
            return f"({left} {random.choice(['&', '|', '^'])} {right})", "long"
        if pick == 4:
            operator = random.choice("/%")
            if self.reckless and random.random() < 0.6:
                return f"(({kind})({left}) {operator} ({kind})({right}))", kind
            divisor = f"(({kind})(({kind})({right}) & 63) + 1)"
            return f"(({kind})({left}) {operator} {divisor})", kind
        if pick == 5:
            amount = f"(({right}) & {bits - 1})"
            if self.reckless and random.random() < 0.6:
                amount = f"({right})"
            if random.random() < 0.5:
                return f"(({kind})({left}) >> {amount})", kind
            return f"(({wide})({left}) << {amount})", wide
        if pick == 6:
            return f"({left} {random.choice(['<', '>', '<=', '>=', '==', '!='])} {right})", "int"
        if pick == 7:
            return f"({left} {random.choice(['&&', '||'])} {right})", "int"
        if pick == 8:
            return f"({self.expression(scope, 0)[0]} ? {left} : {right})", "long"
        if pick == 9:
            return f"({random.choice(['!', '~'])}({left}))", "long"
        if pick == 10 and self.functions:
            return self._call(scope, depth), "long"
        narrow = self._type()
        if random.random() < 0.25:
            return f"(({narrow})({self._float(scope)} < {random.randint(-5, 5)}))", narrow
        return f"(({narrow})({left}))", narrow

    def _call(self, scope: Scope, depth: int) -> str:
        name, _, parameters = self.random.choice(self.functions)
        return f"{name}({', '.join(self.expression(scope, min(1, depth - 1))[0] for _ in parameters)})"

    def _float(self, scope: Scope) -> str:
        """A number that stays small: what is not exact is rounded the same way by all."""
        name, kind = self.random.choice([*scope.floats, *self.globals.floats])
        operator = self.random.choice(["+", "-", "*"])
        whole = f"({kind})((int)({self._simple(scope)}) % 16)"
        return f"({name} {operator} {whole} / ({kind})3)"

    # Statements.

    def _function(self) -> list[str]:
        random = self.random
        result, name = self._type(), self.name("f")
        scope = Scope()
        parameters = []
        for _ in range(random.randint(0, 3)):
            kind, parameter = self._type(), self.name("x")
            parameters.append(kind)
            scope.scalars.append((parameter, kind))
        given = ", ".join(f"{kind} {parameter}" for parameter, kind in scope.scalars) or "void"
        lines = [f"{result} {name}({given}) {{", *self._body(scope, 2, result)]
        lines += [f"  return ({result})({self.expression(scope, 2)[0]});", "}"]
        self.functions.append((name, result, parameters))
        return lines

    def _body(self, scope: Scope, depth: int, result: str) -> list[str]:
        random, lines = self.random, []
        for _ in range(random.randint(1, 3)):
            kind, name = self._type(), self.name("v")
            lines.append(f"  {kind} {name} = {self.expression(scope, 1)[0]};")
            scope.scalars.append((name, kind))
        if random.random() < 0.7:
            kind, name, size = self._type(), self.name("l"), random.randint(2, 6)
            lines.append(f"  {kind} {name}[{size}] = {{{self._literal(kind)}}};")
            scope.arrays.append((name, kind, size))
            pointer = self.name("q")
            lines.append(f"  {kind} *{pointer} = {name} + {random.randrange(size)};")
            scope.pointers.append((pointer, kind))
        if random.random() < 0.4:
            kind, name = random.choice(FLOATS), self.name("e")
            lines.append(f"  {kind} {name} = {self._float(scope)};")
            scope.floats.append((name, kind))
        for _ in range(random.randint(2, 5)):
            lines += self._statement(scope, depth)
        return lines

    def _statement(self, scope: Scope, depth: int) -> list[str]:
        random = self.random
        pick = random.randrange(10) if depth else random.randrange(5)
        if pick < 3:
            target, _ = self._scalar(scope, write=True)
            operator = random.choice(["=", "=", "^=", "|=", "&="])
            return [f"  {target} {operator} {self.expression(scope, 2)[0]};"]
        if pick == 3:
            value = self._scalar(scope, write=False)[0]
            return [f'  printf("%ld %x\\n", (long){value}, (unsigned)({self.expression(scope, 1)[0]}));']
        if pick == 4:
            name = random.choice([*scope.floats, *self.globals.floats])[0]
            return [f"  {name} = {self._float(scope)};", f"  if ({name} > 1000 || {name} < -1000) {name} = 1.5;"]
        if pick in (5, 6):
            return [
                f"  if ({self.expression(scope, 2)[0]}) {{",
                *self._statement(scope, depth - 1),
                "  } else {",
                *self._statement(scope, depth - 1),
                "  }",
            ]
        if pick in (7, 8) and self.loops < 2:
            return self._loop(scope, depth)
        return self._switch(scope, depth)

    def _loop(self, scope: Scope, depth: int) -> list[str]:
        random, counter = self.random, self.name("i")
        self.loops += 1
        inner = Scope(scope.scalars, [*scope.constants, (counter, "int")], scope.floats, scope.arrays, scope.pointers)
        body = [*self._statement(inner, depth - 1), *self._statement(inner, depth - 1)]
        self.loops -= 1
        way_out = random.choice(["break", "continue"])
        body.insert(1, f"  if ({self.expression(inner, 1)[0]} == {random.randint(0, 3)}) {way_out};")
        count = random.randint(1, 5)
        if random.random() < 0.3:
            return [f"  int {counter} = {count};", f"  do {{ {counter}--;", *body, f"  }} while ({counter} > 0);"]
        return [f"  for (int {counter} = 0; {counter} < {count}; {counter}++) {{", *body, "  }"]

    def _switch(self, scope: Scope, depth: int) -> list[str]:
        random = self.random
        lines = [f"  switch ((int)({self.expression(scope, 1)[0]}) & 7) {{"]
        for case in random.sample(range(8), random.randint(1, 4)):
            lines += [f"  case {case}: {{", *self._statement(scope, max(0, depth - 1)), "  }"]
            if random.random() < 0.7:
                lines.append("  break;")
        return [*lines, "  default: {", *self._statement(scope, 0), "  } }"]

    def _show(self) -> list[str]:
        """All that is left is printed, byte by byte where it is an array."""
        lines = ["  unsigned sum = 0;"]
        for name, _ in self.globals.scalars:
            lines += [f'  printf("%ld,", (long){name});', f"  sum = sum * 31 + (unsigned){name};"]
        for name, _, size in self.globals.arrays:
            lines.append(f'  for (int i = 0; i < {size}; i++) printf("%lx ", (unsigned long){name}[i]);')
        for name, _ in self.globals.floats:
            lines.append(f'  printf("%.9g", (double){name});')
        copied = self.globals.arrays[0][0]
        lines += [f"  unsigned char copy[sizeof {copied}]; memcpy(copy, {copied}, sizeof copy);"]
        lines += ["  for (unsigned i = 0; i < sizeof copy; i++) sum += copy[i];"]
        return [*lines, '  printf("%u\\n", sum);', "  return sum & 127;"]


_INCLUDES = "#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n"


def reckless_program(seed: int) -> str:
    return _INCLUDES + Generator(seed, reckless=True).program("main")


def random_programs(seeds: range) -> str:
    """Several programs one after the other, as one, which is compiled faster."""
    mains = [f"program_{seed}" for seed in seeds]
    texts = [Generator(seed, first_name=n * 1000).program(mains[n]) for n, seed in enumerate(seeds)]
    calls = [f'  printf("program {seed}\\n"); sum += {main}();' for seed, main in zip(seeds, mains, strict=True)]
    return "\n".join([_INCLUDES, *texts, "int main(void) {", "  int sum = 0;", *calls, "  return sum & 127;", "}", ""])
