"""Systems with fewer states: without what nobody reads, without what nobody reads again, and with merged steps."""

from __future__ import annotations

from ouroboros.reduce.dead import without_dead
from ouroboros.reduce.merging import merged
from ouroboros.reduce.unread import without_unread
from ouroboros.system.layout import Field
from ouroboros.system.model import Reduced, ReductionKind, System


def smaller(
    system: System, observed: frozenset[Field], kinds: frozenset[ReductionKind], runs: bool = False
) -> Reduced | None:
    """Reduce a system by some kinds of reduction, for questions about states or whole `runs` that read only the given
    fields; None where that makes no difference. Merging is for questions that do not count steps, unread variables are
    for those without cycles.
    """
    if system.deadlock == "stuttering":
        # A step that changes only what is forgotten, or that is two which cancel out, would lead back to its state.
        return None
    used: set[ReductionKind] = set()
    origins: tuple[tuple[int, ...], ...] = tuple((number,) for number in range(len(system.actions)))
    now = system
    if "unread variables" in kinds and (forgetful := without_unread(now, observed)):
        used.add("unread variables")
        now = forgetful
    # Steps of alike values are to stay alike, whichever of them are looked at first.
    alike = system.symmetry is not None and bool(system.symmetry.sets)
    if "dead variables" in kinds and not alike and (tidy := without_dead(now, observed)):
        used.add("dead variables")
        now = tidy
    if "merging" in kinds and not alike and (shorter := merged(now, observed, runs)):
        used.add("merging")
        now, origins = shorter
    return Reduced(now, frozenset(used), origins) if used else None
