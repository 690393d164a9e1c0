"""Libraries whose names look like torch's and that have nothing to do with autograd.

Their modules derive from nothing of torch's: each row names the base class that was read. Keras is not among them,
for with torch as its backend its layers are torch's modules.
"""

from __future__ import annotations

from gradlint.knowledge.packs import LibraryClass, Pack

BASES = (
    ("flax.linen.Module", "flax==0.12.8 flax/linen/module.py:Module"),
    ("flax.nnx.Module", "flax==0.12.8 flax/nnx/module.py:Module"),
    ("jax.Array", "jax==0.10.2 jax/_src/array.py:ArrayImpl"),
    ("haiku.Module", "dm-haiku==0.0.17 haiku/_src/module.py:Module"),
    ("equinox.Module", "equinox==0.13.8 equinox/_module/_module.py:Module"),
    ("optax.GradientTransformation", "optax==0.2.8 optax/_src/base.py:GradientTransformation"),
    ("mxnet.gluon.Block", "mxnet==1.9.1 mxnet/gluon/block.py:Block"),
    ("tensorflow.Module", "tensorflow/tensorflow@cf79fcad5ae0 tensorflow/python/module/module.py:Module"),
    ("paddle.nn.Layer", "PaddlePaddle/Paddle@75b449025c3f python/paddle/nn/layer/layers.py:Layer"),
    ("mlx.nn.Module", "ml-explore/mlx@e3c06c04b030 python/mlx/nn/layers/base.py:Module"),
)

pack = Pack(
    library="look-alikes",
    version="",
    roots=tuple(dict.fromkeys(path.partition(".")[0] for path, _ in BASES)),
    classes=tuple(LibraryClass((path,), kind="foreign", source=source) for path, source in BASES),
    foreign=True,
)
