"""What can only be seen from outside: start-up, signals, pipes, ranks, bugs."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .helpers import MODELS

OURO = [sys.executable, "-m", "ouroboros"]
EXAMPLES = Path(__file__).parents[2] / "examples"
HEAVY = ("numba", "llvmlite", "lark", "numpy", "rich", "mpi4py")

ENDLESS = """
byte a; byte b; byte c; byte d; byte e;
process P {
  state s;
  init s;
  trans
    s -> s { effect a = a + 1; }, s -> s { effect b = b + 1; }, s -> s { effect c = c + 1; },
    s -> s { effect d = d + 1; }, s -> s { effect e = e + 1; };
}
system async;
"""


def run(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("statement", ["import ouroboros", "import ouroboros.cli", "import ouroboros.languages"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    program = f"{statement}; import sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(sys.executable, "-c", program).stdout == "[]\n"


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
def test_little_address_space_is_no_failure(algorithm: str) -> None:
    """`ulimit -v` counts what is reserved, and hardly ever touched."""
    program = f"""
import resource
from ouroboros.cli import main
resource.setrlimit(resource.RLIMIT_AS, ({3 << 30}, {3 << 30}))
main()
"""
    options = ("--ltl", "[](Left.trying -> <> Left.inside)", "--algorithm", algorithm)
    ran = run(sys.executable, "-c", program, "check", EXAMPLES / "dve" / "dekker.dve", *options)
    assert ran.returncode == 1, ran.stdout + ran.stderr


def test_help_loads_nothing_heavy() -> None:
    ran = run(sys.executable, "-X", "importtime", "-m", "ouroboros", "--help")
    assert "Usage: ouro" in ran.stdout
    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert not imported & set(HEAVY)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted by /proc")
def test_a_search_starts_no_threads() -> None:
    program = """
import atexit, os, sys
os.environ.pop("OPENBLAS_NUM_THREADS", None)
from ouroboros.cli import main
atexit.register(lambda: print(len(os.listdir("/proc/self/task")), "thread", file=sys.stderr))
main(["states", sys.argv[1]])
"""
    ran = run(sys.executable, "-c", program, MODELS / "ring.dve")
    assert ran.stderr.splitlines()[-1] == "1 thread", ran.stdout


def test_a_mistake_in_a_model_is_told_without_the_compiler(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pml"
    broken.write_text("active proctype P() { x = 1 }\n")
    ran = run(sys.executable, "-X", "importtime", "-m", "ouroboros", "check", broken)
    assert ran.returncode == 2
    assert f"{broken}:1:23" in ran.stderr
    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert not imported & {"numba", "llvmlite"}


@pytest.mark.parametrize("choice", [(), ("--algorithm", "ndfs", "--ltl", "[]<> true")])
def test_kernels_are_read_without_what_compiles_them(choice: tuple[str, ...]) -> None:
    """Numba was loaded at every start, and half of all that it can compile with some kernels."""
    command = ["-m", "ouroboros", "check", MODELS / "philosophers.dve", *choice]
    run(sys.executable, *command)
    ran = run(sys.executable, "-X", "importtime", *command)
    assert ran.returncode in (0, 1), ran.stderr
    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "llvmlite" in imported
    assert "numba" not in imported


def test_what_a_shell_did_before_it_became_ouro_is_not_counted(tmp_path: Path) -> None:
    """It was, also against --time: the process is as old as the shell."""
    report = tmp_path / "report.json"
    check = [*OURO, "check", str(MODELS / "philosophers.dve"), "--time", "60s", "--json", str(report)]
    started = time.monotonic()
    run("sh", "-c", f"sleep 3 && exec {shlex.join(check)}")
    assert 0 < json.loads(report.read_text())["seconds"] < time.monotonic() - started - 3


def test_version() -> None:
    from ouroboros import __version__

    assert run(*OURO, "--version").stdout == f"ouro, version {__version__}\n"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{' '.join(OURO)} check {MODELS / 'philosophers.dve'}"
    ran = run("bash", "-c", f"{command} | true; echo ${{PIPESTATUS[0]}}")
    assert ran.stdout == "1\n"
    assert ran.stderr == ""


def wait_until_loaded(process: subprocess.Popen[str]) -> None:
    """Until it has begun with its command: before, Python itself is what is interrupted."""
    maps = Path(f"/proc/{process.pid}/maps")
    while maps.exists() and "_multiarray_umath" not in maps.read_text():
        time.sleep(0.05)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_says_so(tmp_path: Path, workers: int) -> None:
    model = tmp_path / "endless.dve"
    model.write_text(ENDLESS)
    command = [*OURO, "states", str(model), "--workers", str(workers), "--memory", "4G"]
    # By then it searches, or on a slow machine it still prepares to: the same is expected of both.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until_loaded(process)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    assert out == ""


def test_a_bug_of_ours_is_called_so() -> None:
    program = """
import ouroboros.languages
def broken(path): raise ZeroDivisionError("oh no")
ouroboros.languages.load = broken
from ouroboros.cli import main
main(["info", "model.dve"])
"""
    ran = run(sys.executable, "-c", program, OUROBOROS_DEBUG="")
    assert ran.returncode == 4
    assert "This is a bug in Ouroboros" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Traceback" in run(sys.executable, "-c", program, OUROBOROS_DEBUG="1").stderr


@pytest.mark.parametrize(("encoding", "arrow"), [("ascii", "?"), ("utf-8", "→")])
def test_any_terminal_encoding_will_do(encoding: str, arrow: str) -> None:
    ran = subprocess.run(
        [*OURO, "check", str(MODELS / "handshake.dve")],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        timeout=120,
        check=False,
    )
    assert ran.returncode == 1
    assert f"Sender {arrow} Receiver" in ran.stdout.decode(encoding)


def launcher() -> str | None:
    """The MPI launcher of this environment: beside the interpreter, or on the path."""
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


@pytest.fixture(scope="session")
def mpiexec() -> str:
    """It may be missing on a developer's machine, but not where it counts."""
    found = launcher()
    if found is None or importlib.util.find_spec("mpi4py") is None:
        if os.environ.get("CI"):
            pytest.fail("MPI is not installed")
        pytest.skip("MPI is not installed")
    return found


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["check", MODELS / "ring.dve"], 0, "2 MPI ranks"),
        (["check", MODELS / "philosophers.dve"], 1, "2 MPI ranks"),
        (["check", MODELS / "property.dve"], 0, "2 MPI ranks"),
        (["check", MODELS / "stuck.dve"], 1, "cycle, repeated for ever"),
        (["check", MODELS / "ring.dve", "--ltl", "<>[] turn == 3", "--algorithm", "map"], 1, "2 MPI ranks"),
        (["check", MODELS / "ring.dve", "--ltl", "<> turm == 3"], 2, "unknown variable"),
        (["check", MODELS / "ring.dve", "--ltl", "<> turn == 3", "--algorithm", "ndfs"], 2, "is sequential"),
        (["check", MODELS / "ring.dve", "--ltl-file", "nowhere.ltl"], 2, "there is no such file"),
        (["check", "nowhere.dve"], 2, "there is no such file"),
        (["check", MODELS / "ring.dve", "--time", "soon"], 2, "is no duration"),
        (["check", MODELS / "ring.dve", "--workers", "2"], 2, "start more ranks"),
        (["check", MODELS / "ring.dve", "--property", "x"], 2, "choose from"),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else "",
)
def test_ranks_speak_with_one_voice(mpiexec: str, arguments: list[object], code: int, said: str) -> None:
    ran = run(mpiexec, "-n", 2, *OURO, *arguments)
    assert ran.returncode == code
    assert (ran.stdout + ran.stderr).count(said) == 1
