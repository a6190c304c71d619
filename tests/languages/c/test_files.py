"""Programs of several files, in several languages, with what their compiler is told."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.errors import InputError, UsageError
from ouroboros.languages import grouped, load
from ouroboros.settings import Settings
from ouroboros.verdict.report import Verdict
from tests.cli.helpers import ouro

MAIN = """
#include <pthread.h>
#include <assert.h>
#include "counter.h"

static void *worker(void *argument) { add(); return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    add();
    pthread_join(thread, 0);
    assert(counter == 2 * STEP);
}
"""
HEADER = "extern int counter;\nvoid add(void);\n"
ADD = '#include "counter.h"\nint counter;\nvoid add(void) { __atomic_fetch_add(&counter, STEP, __ATOMIC_SEQ_CST); }\n'
RACING = '#include "counter.h"\nint counter;\nvoid add(void) { counter += STEP; }\n'
CPP = """extern "C" {
#include "counter.h"
int counter;
void add() { auto step = [] { counter += STEP; }; step(); }
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "counter.h").write_text(HEADER)
    for name, text in (("main.c", MAIN), ("add.c", ADD), ("racing.c", RACING), ("add.cc", CPP)):
        (tmp_path / name).write_text(text)
    return tmp_path


def settings(folder: Path, *others: str) -> Settings:
    files = [str(folder / name) for name in others]
    return {"beside": files, "includes": [str(folder / "include")], "flags": ["-Wall '-DSTEP=3'"]}


@pytest.mark.parametrize(
    ("other", "verdict"), [("add.c", Verdict.HOLDS), ("racing.c", Verdict.VIOLATED), ("add.cc", Verdict.VIOLATED)]
)
def test_several_files_are_one_program(folder: Path, other: str, verdict: Verdict) -> None:
    report = check(load(folder / "main.c", settings=settings(folder, other)))
    assert report.verdict is verdict


def test_files_that_a_compiler_has_read_already_go_together_with_sources(folder: Path) -> None:
    clang = next((found for name in ("clang", "clang-14") if (found := shutil.which(name))), None)
    if clang is None:
        pytest.skip("there is no clang that writes bitcode")
    for suffix, flags in (("bc", ["-c"]), ("ll", ["-S"])):
        target = folder / f"compiled.{suffix}"
        command = [clang, "-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", *flags, "-DSTEP=3"]
        command += [f"-I{folder / 'include'}", str(folder / "add.c"), "-o", str(target)]
        subprocess.run(command, check=True)
        assert check(load(folder / "main.c", settings=settings(folder, target.name))).verdict is Verdict.HOLDS


def test_what_is_missing_or_there_twice_is_told(folder: Path) -> None:
    with pytest.raises(InputError, match="no body: add"):
        load(folder / "main.c", settings=settings(folder))
    with pytest.raises(InputError, match=r"do not go together.*counter"):
        load(folder / "main.c", settings=settings(folder, "add.c", "racing.c"))
    with pytest.raises(InputError, match=r"none\.c: a program is compiled from its file"):
        load(folder / "main.c", settings=settings(folder, "none.c"))
    with pytest.raises(UsageError, match="--cflags 'a: no closing quotation"):
        load(folder / "main.c", settings={"flags": ["'a"]})


def test_the_files_of_a_language_where_that_is_so_are_grouped() -> None:
    assert grouped(["a.c", "m.dve", "b.cpp", "m.dve", "c.ll"]) == [("a.c", "b.cpp", "c.ll"), ("m.dve",), ("m.dve",)]


def test_the_command_line(folder: Path) -> None:
    given = ["-I", folder / "include", "--cflags", "-DSTEP=1"]
    files = [folder / "main.c", folder / "racing.c"]
    found = ouro("check", *files, *given)
    assert found.code == 1
    assert "racing.c:3" in found.out
    found = ouro("check", files[0])
    assert found.code == 2
    assert "'counter.h' file not found" in found.err
    found = ouro("states", *files, "nothing.dve")
    assert found.code == 2
    assert "this is about one model" in found.err
    (folder / "model.dve").write_text("process P { state s; init s; }\nsystem async;\n")
    found = ouro("info", folder / "model.dve", "-I", "include")
    assert found.code == 2
    assert "-I means nothing for" in found.err


BROKEN_DEBUG = """
define i32 @main() !dbg !5 {
  call void @g(), !dbg !9
  ret i32 0
}
define void @g() { ret void }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "main", file: !1, line: 1, type: !6, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!9 = !DILocation(line: 2, scope: !1)
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("define i32 @main() { %a = add i32 %a, 1\n ret i32 %a }", "Only PHI nodes may reference their own value"),
        ("define i32 @main() { ret i32 %x }", "use of undefined value"),
        ("hello", "expected top-level entity"),
    ],
)
def test_a_broken_module_is_told_and_ends_nothing(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.ll"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load(path)


def test_broken_debug_information_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "broken.ll"
    path.write_text(BROKEN_DEBUG)
    assert check(load(path)).verdict is Verdict.HOLDS
