"""`python -m leastnoise`: the command, where its script is not on the path."""

from leastnoise.cli.main import main

if __name__ == "__main__":
    main()
