"""What a model says of itself: its lesson, what to ask of it, and what the answers are."""
