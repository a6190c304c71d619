"""One worker's share of a graph whose states know which fair actions are enabled in them."""

from __future__ import annotations

from ouroboros.graph.fair import FairGraph
from ouroboros.search.exploration import Alarm
from ouroboros.search.graph_search import EdgePolicy, GraphSearch
from ouroboros.search.worker import Worker


class FairSearch(GraphSearch):
    def __init__(
        self,
        graph: FairGraph,
        worker: Worker,
        edges: EdgePolicy,
    ) -> None:
        super().__init__(graph, worker, edges)
        self.fair = graph
        graph.attach(self.explorer.most_states)
        # Steps that are made again must not change what is known of the states.
        self.explorer.graph = graph.apart()

    def _alarm(self) -> Alarm:
        self.budget.claim("marks", self.explorer.store.count * self.fair.bytes_for_state)
        return super()._alarm()
