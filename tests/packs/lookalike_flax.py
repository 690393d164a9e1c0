# flax: what is called `nn` here has nothing to do with torch.
import jax.numpy as jnp
from flax import linen as nn
from flax import nnx


class Net(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.features)(x)


reveal(nn.Dense(3))  # Instance[flax.linen.Dense]
reveal(jnp.zeros(3))  # Instance[jax.numpy.zeros]
reveal(jnp.zeros(3).T)  # Instance[jax.numpy.zeros.T]
net = Net(features=3)
reveal(net)  # Instance[?]


def evaluate(model: nnx.Module, loader):
    model.eval()
    reveal(model)  # Instance[flax.nnx.Module]
    for batch in loader:
        y = model(batch)
    return y


def predict(model, x):
    model.eval()
    reveal(model)  # Instance[?]
    return model(x)
