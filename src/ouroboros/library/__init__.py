"""What `import ouroboros` offers: models, questions, reports, traces and state graphs, for programs and notebooks."""
