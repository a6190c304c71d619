"""What can be explored: graphs of states, of one protocol; and wrappers, which make another graph of a graph."""
