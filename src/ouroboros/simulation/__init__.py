"""One run of a model at a time, by the reference interpreter: at random, by hand, or as a trace says."""
