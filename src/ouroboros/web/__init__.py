"""The workbench: a model in the browser. `docs/workbench.md` has the protocol between the page and this server."""
