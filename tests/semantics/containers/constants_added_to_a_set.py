# A constant that was added to a set was one of any number, and one that was popped was taken to be there still.
import torch

start = torch.ones(2, requires_grad=True)


class Shelf:
    def __init__(self):
        self.raw, self.logs = {}, set()

    def put(self, key, log=False):
        if key not in self.raw:
            self.raw[key] = torch.ones(2, requires_grad=True)
            if log:
                self.logs.add(key)
        return self.raw[key].exp() if key in self.logs else self.raw[key]


shelf = Shelf()
reveal(shelf.put("rate", log=True), shelf.put("shift"), shelf.put("rate"))
shelf.logs.discard("rate")
reveal(shelf.put("rate"))
shelf.logs.update({"shift"})
reveal(shelf.put("shift"))

left, right = {1, 2}, {2, 3}
last = left.pop()
reveal(start if last in left else start.exp())
either = right.symmetric_difference({2})
reveal(start if 2 in either else start.exp())
right.symmetric_difference_update({3})
reveal(start if 3 in right else start.exp())
none = set()
none.intersection_update({4})
none.difference_update({5})
reveal(start if 4 in none or 5 in none else start.exp())
one, other = {"a", "b"}
reveal(start if one == "a" else start.exp())
