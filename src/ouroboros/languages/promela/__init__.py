"""Promela, the language of Spin."""

from __future__ import annotations

from collections.abc import Mapping

from ouroboros.languages.promela.model import PromelaModel
from ouroboros.languages.promela.read.parse import parse_model
from ouroboros.source import Source
from ouroboros.system.model import Overflow


def load(source: Source, overflow: Overflow = "wrap", definitions: Mapping[str, str] | None = None) -> PromelaModel:
    """Read a model; raises InputError with the place in `source`. Values always wrap, as they do in Spin.

    `definitions` are macros that are defined beforehand.
    """
    return PromelaModel(source, parse_model(source, definitions))
