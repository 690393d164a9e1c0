"""einops: tensors rearranged, repeated, reduced and multiplied as a pattern says, and layers that do so.

All of it is done by methods of torch (`reshape`, `permute`, `expand`, `einsum` ...), so gradients go through it.
"""

from __future__ import annotations

from gradlint.knowledge.packs import Call, Chosen, Computed, LibraryClass, Pack, Python, Several

TRANSFORMS = "einops/einops.py:"
LAYERS = "einops/layers/torch.py:"

REDUCED = tuple(
    (name, Computed(by, ("tensor",), itself=True))
    for name, by in (
        ("mean", "torch.mean"),
        ("sum", "torch.sum"),
        ("max", "torch.amax"),
        ("min", "torch.amin"),
        ("prod", "torch.prod"),
    )
)

pack = Pack(
    library="einops",
    version="einops==0.8.1",
    roots=("einops",),
    classes=(
        LibraryClass(
            ("einops.layers.torch.Rearrange",),
            kind="module",
            open=False,
            test="test_layers_of_einops_have_no_parameters_but_the_mixing_one",
        ),
        LibraryClass(
            ("einops.layers.torch.Reduce",),
            kind="module",
            open=False,
            test="test_layers_of_einops_have_no_parameters_but_the_mixing_one",
        ),
        LibraryClass(
            ("einops.layers.torch.EinMix",),
            kind="module",
            own=True,
            open=False,
            test="test_layers_of_einops_have_no_parameters_but_the_mixing_one",
        ),
    ),
    functions=(
        Call(
            "einops.rearrange",
            ("tensor", "pattern"),
            gives=Computed("torch.reshape", ("tensor",), itself=True),
            test="test_einops_rearranges_by_views_and_copies",
        ),
        Call(
            "einops.repeat",
            ("tensor", "pattern"),
            gives=Computed("torch.reshape", ("tensor",), itself=True),
            test="test_einops_rearranges_by_views_and_copies",
        ),
        Call(
            "einops.reduce",
            ("tensor", "pattern", "reduction"),
            gives=Chosen("reduction", REDUCED),
            test="test_einops_reduces_differentiably",
        ),
        Call("einops.einsum", gives=Computed("torch.einsum"), test="test_einops_multiplies_by_einsum"),
        Call(
            "einops.pack",
            ("tensors", "pattern"),
            gives=Several((Computed("torch.cat", ("tensors",)), Python("list"))),
            test="test_einops_packs_a_new_tensor",
        ),
        Call("einops.unpack", ("tensor", "packed_shapes", "pattern"), source="einops/packing.py:unpack"),
        Call("einops.parse_shape", ("x", "pattern"), gives=Python("dict"), source=TRANSFORMS + "parse_shape"),
        Call("einops.asnumpy", ("tensor",), source=TRANSFORMS + "asnumpy"),
    ),
)
