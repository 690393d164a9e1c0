# todo: what came back is taken for a tensor as backward() is called on it, though it may be the number handed over.
same = eval("lambda one: one")
count = 0.0
count = same(count)
reveal(count)
count.backward()
