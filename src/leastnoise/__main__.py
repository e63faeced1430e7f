"""`python -m leastnoise`: the command, where its script is not on the path."""

from leastnoise.cli.main import command

if __name__ == "__main__":
    command()
