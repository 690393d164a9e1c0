"""Agreement: programs that nobody wrote by hand, run by torch and by gradlint, and compared name by name, line by line.

`python -m gradlint.testing.agreement --programs N --seed S` writes N programs and prints what came of them.

* `writing` writes programs of the kind people write, trying each statement on torch as it goes;
* `vocabulary` is what they are written in;
* `comparing` runs one on both sides and says where they disagree;
* `shrinking` takes away all that a disagreement does not need.
"""
