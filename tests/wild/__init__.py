"""Real code as the judge: packages of the index are linted, and every finding has been read by somebody.

`packages.toml` pins the packages, `judged.csv` holds what a reader said of each finding of the default rules:

* `true`: the author would change the code on seeing it;
* `arguable`: what is said is so, and the author may well leave it;
* `false`: the author would not want to hear it.

`python -m tests.wild` fetches what is missing, lints everything and compares. A finding that nobody has judged fails
the check; so does a share of unwanted findings (false and arguable) above one in twenty. A verdict whose finding is
gone is told. It asks the package index, so it is no part of the ordinary tests. `--checkouts` takes repositories
instead (see `repositories.py`), each with its `.git`, by which its folders are one project.
"""
