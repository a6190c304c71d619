"""The only right to receive from a channel or to send to it, which a process claims with `xr` or `xs`.

It has the right from its beginning to its death, to the channel that the name means at the moment. Whoever else does
what is claimed there fails, by itself, in a rendezvous or inside of a d_step. To look at a channel is nobody's right.
"""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.languages.promela.lower.channels import ChannelRef
from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.lower.fields import Fields, Instance
from ouroboros.languages.promela.lower.sites import Sites
from ouroboros.languages.promela.read import ast
from ouroboros.languages.promela.read.trees import nodes
from ouroboros.system.blocks import Block, Require
from ouroboros.system.expressions import Binary, Constant, Expression, Read, Unary, conjunction


class Rights:
    def __init__(self, model: ast.Model, fields: Fields, sites: Sites) -> None:
        self._sites = sites
        self._claims = [
            (instance, claim.operation, Meaning(fields, sites, instance).channel(access))
            for process in model.processes
            for claim in nodes(process.body)
            if isinstance(claim, ast.Exclusive)
            for instance in fields.instances.values()
            if instance.process is process
            for access in claim.channels
        ]

    def respected(self, meaning: Meaning, statement: ast.Send | ast.Receive) -> Block:
        """Fails where another process has claimed what this one is about to do."""
        if not self._claims:
            return ()
        operation = "xs" if isinstance(statement, ast.Send) else "xr"
        channel = meaning.channel(statement.channel)
        return tuple(
            Require(
                Unary("not", conjunction(there, same)),
                self._sites.site(
                    "channel", f"{owner.process.name} has claimed this channel with {operation}", statement.span
                ),
            )
            for owner, there, same in self._owners(meaning.instance, operation, channel)
        )

    def _owners(
        self, instance: Instance | None, operation: str, channel: ChannelRef
    ) -> Iterator[tuple[Instance, Expression, Expression]]:
        """Who may have the right instead, whether it is there, and whether it is the same channel."""
        for owner, claimed, theirs in self._claims:
            if claimed != operation or (instance and owner.pid == instance.pid):
                continue
            if not any(bank is each for bank, _ in channel.options for each, _ in theirs.options):
                continue
            there: Expression = Read(owner.location)
            match channel.number, theirs.number:
                case Constant(one), Constant(other):
                    if one == other:
                        yield owner, there, Constant(1)
                case one, Read(own, None) as other if own in owner.fields():
                    # What belongs to a process is zero when it is gone, and that is no channel. So this does not look
                    # at a place that changes with every step of its owner.
                    yield owner, other, Binary("==", one, other)
                case one, other:
                    yield owner, there, Binary("==", one, other)
