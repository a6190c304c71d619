"""A network of machines on one: namespaces with addresses of their own as hosts, and ranks of one search on them.

As root: `python bench/network.py [MODEL] [--hosts 2,3,4] [--kills 3]`. Hosts are joined by a bridge; nothing but TCP
goes from one to another, and each is started by a launcher that goes into its namespace, where a cluster has ssh or
srun. First the counts on all numbers of hosts are compared with those of one process; then the ranks of a host are
killed in the middle of a search that is saved: the run must end within seconds, with an exit code of the launcher that
is no verdict, the checkpoint must be whole, and `ouro resume` on the other hosts must come to the same counts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PREFIX, BRIDGE, NETWORK = "ouro-host", "ouro-net", "10.77.0"
MOST_SECONDS_TO_END = 15.0
DECIDED = (0, 1)

LAUNCHER = f"""#!/bin/sh
# Called as ssh is: options, then the host, then what to run there.
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1; shift
exec ip netns exec {PREFIX}${{host##*.}} sh -c "$*"
"""


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def address(host: int) -> str:
    return f"{NETWORK}.{host}"


@contextmanager
def hosts(count: int) -> Iterator[None]:
    """So many namespaces on one bridge; those that an interrupted run has left are replaced."""
    take_down()
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("link", "set", BRIDGE, "up")
        for host in range(1, count + 1):
            name, outside = f"{PREFIX}{host}", f"ouro-v{host}"
            ip("netns", "add", name)
            ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", outside, "master", BRIDGE, "up")
            ip("-n", name, "addr", "add", f"{address(host)}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield
    finally:
        take_down()


def take_down() -> None:
    there = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout.split()
    for name in there:
        if name.startswith(PREFIX):
            ip("netns", "del", name)
    subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True, check=False)


def started(on: list[int], launcher: Path, *arguments: str) -> subprocess.Popen[str]:
    """`ouro` with one rank on each of these hosts; the first of them has the launcher."""
    mpiexec = Path(sys.executable).parent / "mpiexec"
    command = [
        *("ip", "netns", "exec", f"{PREFIX}{on[0]}", str(mpiexec if mpiexec.exists() else shutil.which("mpiexec"))),
        *("-launcher", "ssh", "-launcher-exec", str(launcher), "-iface", "eth0"),
        *("-hosts", ",".join(map(address, on)), "-n", str(len(on)), "-ppn", "1"),
        *(sys.executable, "-m", "ouroboros", *arguments),
    ]
    environment = {**os.environ, "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment
    )


def counts(text: str) -> tuple[Any, ...]:
    found = json.loads(text)
    return tuple(found[name] for name in ("states", "transitions", "deadlocks", "depth"))


def ranks_on(host: int) -> list[int]:
    """The processes of a host that are ranks of a search."""
    listed = subprocess.run(["ip", "netns", "pids", f"{PREFIX}{host}"], capture_output=True, text=True, check=True)
    found = []
    for pid in map(int, listed.stdout.split()):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"ouroboros" in words and Path(os.fsdecode(words[0])).name.startswith("python"):
            found.append(pid)
    return found


def killed_and_resumed(model: str, launcher: Path, whole: tuple[Any, ...], after: float) -> None:
    """One of three hosts dies, so long after the first checkpoint was there."""
    with tempfile.TemporaryDirectory() as folder:
        saved = str(Path(folder) / "run")
        run = started([1, 2, 3], launcher, "states", model, "--checkpoint", saved, "--every", "1s")
        while run.poll() is None and not any(Path(saved).glob("*/manifest.json")):
            time.sleep(0.01)
        time.sleep(after)
        victims = ranks_on(2)
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        died = time.monotonic()
        _, error = run.communicate(timeout=120)
        seconds = time.monotonic() - died
        if not victims:
            print(f"  nothing was left to be killed after {after:.1f} s: choose a larger model")
            return
        resumed = started([1, 3], launcher, "resume", saved, "--json", "-")
        told, complaint = resumed.communicate(timeout=300)
        same = resumed.returncode == 0 and counts(told) == whole
        print(f"  killed after {after:.1f} s: ended {seconds:.1f} s later with code {run.returncode}, resumed: {same}")
        if run.returncode in DECIDED or seconds > MOST_SECONDS_TO_END or not same:
            print(error[-2000:], complaint[-2000:], file=sys.stderr)
            sys.exit("a host that died was not survived")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default=str(ROOT / "examples" / "dve" / "robots.dve"))
    parser.add_argument("--hosts", default="2,3,4")
    parser.add_argument("--kills", type=int, default=3)
    given = parser.parse_args()
    if os.geteuid():
        sys.exit("network namespaces are made by root")
    numbers = [int(number) for number in given.hosts.split(",")]
    alone = subprocess.run(
        [sys.executable, "-m", "ouroboros", "states", given.model, "--json", "-"],
        capture_output=True,
        text=True,
        check=True,
    )
    whole = counts(alone.stdout)
    print(f"one process: {whole}")
    with tempfile.TemporaryDirectory() as folder, hosts(max(3, *numbers)):
        launcher = Path(folder) / "into_namespace"
        launcher.write_text(LAUNCHER)
        launcher.chmod(0o755)
        for number in numbers:
            begun = time.monotonic()
            run = started(list(range(1, number + 1)), launcher, "states", given.model, "--json", "-")
            told, error = run.communicate(timeout=300)
            if run.returncode or counts(told) != whole:
                sys.exit(f"{number} hosts: code {run.returncode}, {told[:200]} {error[-2000:]}")
            print(f"{number} hosts: the same, in {time.monotonic() - begun:.1f} s", flush=True)
        for kill in range(given.kills):
            killed_and_resumed(given.model, launcher, whole, 0.2 * kill)


if __name__ == "__main__":
    main()
