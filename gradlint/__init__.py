"""gradlint: a linter that knows autograd."""

__version__ = "0.1.0"
