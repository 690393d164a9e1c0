"""gradlint: a linter that knows autograd."""

__version__ = "0.1.0"
CACHE_VARIABLE = "GRADLINT_CACHE_DIR"
"""The variable of the environment that says in which folder the cache is."""
