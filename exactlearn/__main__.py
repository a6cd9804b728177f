"""`python -m exactlearn`: the command line."""

from exactlearn.cli import main

main()
