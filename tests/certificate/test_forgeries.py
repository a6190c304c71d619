"""Certificates that were tampered with, by someone who knows the format and computes the checksum anew."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ouroboros.certificate.format import Certificate, CertificateWriter, Section, decoded, encoded, read_certificate
from tests.certificate.models import CERTIFIED, write
from tests.cli.helpers import Ran, ouro

STATES = "states of DVE"
RUNS = "a formula of DVE"


class Case:
    """A certificate in the hands of a forger."""

    def __init__(self, name: str, folder: Path) -> None:
        model = CERTIFIED[name]
        self.model = write(model, folder)
        self.file = folder / "p.cert"
        assert ouro("check", self.model, "--certificate", self.file, *model.options).code == 0
        self.original = read_certificate(self.file)

    def rows(self, part: int = 0) -> list[list[int]]:
        section = self.original.sections[part]
        return [row for block in section.blocks for row in decoded(block, section.content["words"]).tolist()]

    def forge(self, rows: list[list[int]], part: int = 0) -> Ran:
        sections = list(self.original.sections)
        blocks = [encoded(np.array(rows, np.uint64))] if rows else []
        sections[part] = Section(sections[part].content, blocks)
        return self.present(Certificate(self.original.terms, tuple(sections)))

    def present(self, certificate: Certificate) -> Ran:
        writer = CertificateWriter(self.file)
        writer.terms(certificate.terms)
        for section in certificate.sections:
            writer.section(section.content)
            for block in section.blocks:
                writer._record(b"B", block)
        writer.finish()
        return self.verified()

    def verified(self) -> Ran:
        ran = ouro("verify-certificate", self.model, self.file)
        assert ran.code in (0, 1, 2), ran
        assert bool(ran.err) == (ran.code == 2)
        return ran

    def altered(self, **terms: object) -> Ran:
        return self.present(Certificate({**self.original.terms, **terms}, self.original.sections))


@pytest.fixture(params=[STATES, RUNS, "states of Promela", "a formula of Promela", "states of Murphi"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return Case(request.param, tmp_path)


def test_the_forger_can_copy(case: Case) -> None:
    assert case.forge(case.rows()).code == 0


def test_every_state_is_needed(case: Case) -> None:
    rows = case.rows()
    assert len(rows) > 5
    for missing in Random(1).sample(range(len(rows)), min(len(rows), 15)):
        ran = case.forge(rows[:missing] + rows[missing + 1 :])
        assert ran.code == 1, ran
        assert "not in the set" in ran.out
        assert "in the state " in ran.out


def test_no_states_are_no_evidence(case: Case) -> None:
    assert "an initial state is not in the set" in case.forge([]).out


def test_a_state_may_not_be_there_twice(case: Case) -> None:
    rows = case.rows()
    ran = case.forge([*rows, rows[0]])
    assert ran.code == 1
    assert "a state is there twice" in ran.out


def test_states_that_no_run_reaches_must_be_right_too(tmp_path: Path) -> None:
    case = Case(STATES, tmp_path)
    rows = case.rows()
    random, codes = Random(3), set()
    for _ in range(100):
        ran = case.forge([*rows, [word ^ 1 << random.randrange(20) for word in random.choice(rows)]])
        assert ran.code in (0, 1), ran
        codes.add(ran.out.split(": ")[0])
    assert "not valid" in codes


@pytest.mark.parametrize("name", [RUNS, "a formula that depends on ends", "a never claim", "a formula of Murphi"])
def test_every_rank_is_checked(name: str, tmp_path: Path) -> None:
    """Raised above all others, a rank is wrong if anything leads to its state."""
    case = Case(name, tmp_path)
    part = next(at for at, section in enumerate(case.original.sections) if section.content["kind"] == "runs")
    rows = case.rows(part)
    greatest = max(row[-1] for row in rows)
    refused = 0
    tried = Random(2).sample(list(enumerate(rows)), min(len(rows), 20))
    for number, row in tried:
        ran = case.forge([*rows[:number], [*row[:-1], greatest + 2], *rows[number + 1 :]], part)
        if ran.code:
            assert "the rank does not decrease" in ran.out
            refused += 1
    # Nothing leads to the initial state, or only it does itself.
    assert refused >= len(tried) - 1


def test_equal_ranks_are_not_enough(tmp_path: Path) -> None:
    case = Case(RUNS, tmp_path)
    assert max(row[-1] for row in case.rows()) > 0
    ran = case.forge([[*row[:-1], 5] for row in case.rows()])
    assert ran.code == 1
    assert "the rank does not decrease: 5 in an accepting state, 5 in a successor of it" in ran.out


def test_another_model_is_refused(case: Case) -> None:
    case.model.write_text(case.model.read_text() + "\n")
    ran = case.verified()
    assert ran.code == 1
    assert "it is about another model" in ran.out


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (STATES, "inside = inside - 1, turn = 1", "turn = 1"),
        (STATES, "assert works: inside == 1", "assert works: inside == 0"),
        (RUNS, "waits -> works { guard turn == 0;", "waits -> waits { guard turn == 0;"),
        ("states of Promela", "assert(inside == 1)", "assert(inside == 0)"),
        ("states of Promela", "rounds < 3", "rounds < 2"),
        ("states of Murphi", 'invariant "in the ring" at <= n', 'invariant "in the ring" at < n'),
    ],
)
def test_the_hash_of_another_model_does_not_help(name: str, old: str, new: str, tmp_path: Path) -> None:
    case = Case(name, tmp_path)
    text = case.model.read_text()
    assert old in text
    case.model.write_text(text.replace(old, new))
    ran = case.altered(sha256=sha256(case.model.read_bytes()).hexdigest())
    assert ran.code == 1, ran


@pytest.mark.parametrize("formula", ["<>[] turn == 1", "[]<> inside == 2", "[](P.works -> <> turn == 2)", "P.works"])
def test_another_formula_is_refused(formula: str, tmp_path: Path) -> None:
    """Even if the sections say that they are about it."""
    case = Case(RUNS, tmp_path)
    ran = case.altered(ltl=[formula])
    assert ran.code == 1
    assert "it has states for" in ran.out
    wanted = _section_of(case, formula)
    ran = case.present(Certificate({**case.original.terms, "ltl": [formula]}, (wanted,)))
    assert ran.code in (1, 2), ran


def _section_of(case: Case, formula: str) -> Section:
    """The old states under the name, and with the automaton, of another formula."""
    from ouroboros.languages import load
    from ouroboros.properties.asking import Question, ask

    model = load(case.model)
    [(family, properties)] = ask(model, Question({"ltl": [formula]})).families
    [(content, _)] = family.claims(properties, model.system)
    old = case.original.sections[0]
    return Section({**content, "words": old.content["words"]}, old.blocks)


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        (STATES, {"properties": ["assertions"]}),
        (STATES, {"invariants": ["inside == 0"]}),
        (STATES, {"invariants": ["nonsense"]}),
        (STATES, {"properties": ["nonsense"]}),
        (STATES, {"ltl": ["<> inside == 1"]}),
        (STATES, {"grown": [0]}),
        (STATES, {"deadlock": "off"}),
        ("states of Promela", {"grown": [999]}),
        ("states of Promela", {"definitions": {"N": "3"}}),
        ("an overflow that wraps", {"overflow": "error"}),
        ("a deadlock that is allowed", {"deadlock": None}),
        ("a deadlock that is allowed", {"deadlock": "stuck"}),
        ("a formula of Promela", {"properties": ["end-states"]}),
    ],
)
def test_other_terms_are_refused(name: str, terms: dict[str, object], tmp_path: Path) -> None:
    case = Case(name, tmp_path)
    ran = case.altered(**terms)
    assert ran.code == 1, ran


@pytest.mark.parametrize(
    "change",
    [
        {"overflow": "ignore"},
        {"grown": ["x"]},
        {"ltl": "x"},
        {"ltl": [1]},
        {"definitions": {"N": 3}},
        {"formula_files": [["only a name"]]},
        {"something": "more"},
    ],
)
def test_terms_that_cannot_be_understood(change: dict[str, object], tmp_path: Path) -> None:
    ran = Case(STATES, tmp_path).altered(**change)
    assert ran.code == 2
    assert "the terms of the certificate" in ran.err


def test_a_section_may_not_be_left_out(tmp_path: Path) -> None:
    case = Case("a formula of Promela", tmp_path)
    for left in range(2):
        ran = case.present(Certificate(case.original.terms, case.original.sections[left : left + 1]))
        assert ran.code == 1
        assert "they are needed for assertions, end-states; p" in ran.out


def test_sections_may_not_change_places(tmp_path: Path) -> None:
    case = Case("a formula of Promela", tmp_path)
    assert case.present(Certificate(case.original.terms, case.original.sections[::-1])).code == 1


@pytest.mark.parametrize("name", [STATES, RUNS, "a formula of Promela"])
def test_altered_bytes_with_the_right_checksum(name: str, tmp_path: Path) -> None:
    """Whatever is altered, it is refused, or the states are still the same, and what it shows is still true."""
    case = Case(name, tmp_path)
    data = case.file.read_bytes()[:-32]
    states = [{tuple(row) for row in case.rows(part)} for part in range(len(case.original.sections))]
    random, refused = Random(5), 0
    for _ in range(150):
        at = random.randrange(len(data))
        forged = data[:at] + bytes([data[at] ^ random.randrange(1, 256)]) + data[at + 1 :]
        case.file.write_bytes(forged + sha256(forged).digest())
        if case.verified().code:
            refused += 1
            continue
        case.original = read_certificate(case.file)
        for part, known in enumerate(states):
            content = case.original.sections[part].content
            words = content["words"] - (content["kind"] == "runs")
            assert {tuple(row[:words]) for row in case.rows(part)} >= {row[:words] for row in known}
    assert refused > 100


@pytest.mark.parametrize("make", [lambda data: data[:-1], lambda data: data[: len(data) // 2], lambda data: b"text\n"])
def test_files_that_are_no_certificates(make: Callable[[bytes], bytes], tmp_path: Path) -> None:
    case = Case(STATES, tmp_path)
    case.file.write_bytes(make(case.file.read_bytes()))
    ran = case.verified()
    assert ran.code == 2
    assert str(case.file) in ran.err
