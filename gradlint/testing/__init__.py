"""The checks that hold rules to their claims, for our rules and anybody's pack."""
