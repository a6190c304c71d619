"""The ranks of an MPI run agree that they all have the same model, before they depend on each other.

Each rank reads the file on its own machine. If one cannot, or reads another text, all must know, or they would wait for
it for ever.
"""

from __future__ import annotations

from ouroboros.engine.team import Team
from ouroboros.errors import OuroborosError, UsageError
from ouroboros.languages import Model, load


def load_together(team: Team, path: str) -> Model:
    if team.exchange != "mpi":
        return load(path)
    model: Model | None = None
    failure: OuroborosError | None = None
    try:
        model = load(path)
    except OuroborosError as error:
        failure = error
    failed = _total(team, int(failure is not None))
    if failure:
        raise failure
    if failed or model is None:
        raise UsageError(f"{failed} of {team.size} ranks cannot read {path}: it must be there for every rank")
    # Equal to the mean for every rank only if all are equal.
    identity = int(model.system.source.sha256[:12], 16)
    differs = _total(team, identity) != identity * team.size
    if _total(team, int(differs)):
        raise UsageError(f"{path} is not the same for all ranks: copy one version to every machine")
    return model


def _total(team: Team, value: int) -> int:
    import numpy as np

    return team.run(lambda exchange, budget: int(exchange.total(np.array([value], np.int64))[0]), memory=0)
