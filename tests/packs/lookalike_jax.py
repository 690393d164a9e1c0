# jax: where torch is not imported, what is made of its things is its too.
import jax
import jax.numpy as jnp

x = jnp.zeros(3)
reveal(x[0])  # Instance[jax.numpy.zeros]
reveal(x * 2)  # Instance[jax.numpy.zeros]
reveal(1 - x)  # Instance[jax.numpy.zeros]
for row in x:
    reveal(row)  # Instance[jax.numpy.zeros]
a, b = jax.value_and_grad(lambda y: y.sum())(x)
reveal(a)  # Instance[jax.value_and_grad]
