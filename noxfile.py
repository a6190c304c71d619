"""What is done again and again: `nox -l` lists it, `nox -s NAME` does one of it in an environment of its own."""

from __future__ import annotations

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]

nox.options.sessions = ["lint", "types", "docs", "tests"]
nox.options.error_on_missing_interpreters = False


@nox.session
def lint(session: nox.Session) -> None:
    """Style and format."""
    session.install("ruff>=0.9")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Types, strictly."""
    session.install("-e", ".[test]")
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation as a site, in `site/`; a warning is an error."""
    session.install("-e", ".[docs]")
    session.run("mkdocs", "build", "--strict")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests, or what is named behind `--`, with the installed package."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def package(session: nox.Session) -> None:
    """Source archive and wheel are built, installed in an empty environment, and run."""
    session.install("-e", ".[test]")
    session.run("pytest", "-n", "0", "-m", "distribution", "tests/test_distribution.py")
