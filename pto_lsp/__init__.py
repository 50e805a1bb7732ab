"""Language server and linter for the PyPTO tile DSL: everything that talks to people and editors."""

__version__ = "0.1.0"
