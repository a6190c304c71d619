"""`python -m ouroboros` is `ouro`."""

from ouroboros.cli import main

main()
