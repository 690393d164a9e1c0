"""What gradlint costs beside a bare parse and beside other linters, over the same files, on one machine.

`python -m tests.bench` builds environments in a scratch folder (gradlint as it is here in one, the pinned peers in
another, torch in none), downloads pinned packages as corpora, and runs commands as a user would type them. Of each run
it takes wall time, CPU time of the whole process tree and peak resident memory, and prints medians. Commands take
turns, round by round, so that a disturbance of the machine meets all of them. No test asserts a time.
"""
