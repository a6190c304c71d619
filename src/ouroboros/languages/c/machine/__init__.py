"""From the instructions of a program to machine code that makes the successors of a state."""
