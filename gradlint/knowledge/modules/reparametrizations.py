"""Functions that replace a parameter of a module: normalisation of weights, parametrizations, pruning."""

from __future__ import annotations

from gradlint.knowledge.schema import ReparametrizationRow

INSIDE = "parametrizations.weight."
PRUNE = "torch.nn.utils.prune."
PARAMETRIZATIONS = "torch.nn.utils.parametrizations."

ROWS = (
    ReparametrizationRow(
        "torch.nn.utils.weight_norm", "torch.nn.utils.weight_norm(m)", ("weight_g", "weight_v"), asks=True
    ),
    ReparametrizationRow(
        "torch.nn.utils.spectral_norm", "torch.nn.utils.spectral_norm(m)", ("weight_orig",), ("weight_u", "weight_v")
    ),
    ReparametrizationRow(
        f"{PARAMETRIZATIONS}weight_norm",
        f"{PARAMETRIZATIONS}weight_norm(m)",
        (f"{INSIDE}original0", f"{INSIDE}original1"),
    ),
    ReparametrizationRow(
        f"{PARAMETRIZATIONS}spectral_norm",
        f"{PARAMETRIZATIONS}spectral_norm(m)",
        (f"{INSIDE}original",),
        (f"{INSIDE}0._u", f"{INSIDE}0._v"),
    ),
    ReparametrizationRow(
        f"{PARAMETRIZATIONS}orthogonal",
        f"{PARAMETRIZATIONS}orthogonal(m)",
        (f"{INSIDE}original",),
        (f"{INSIDE}0.base",),
    ),
    ReparametrizationRow(
        "torch.nn.utils.parametrize.register_parametrization",
        "torch.nn.utils.parametrize.register_parametrization(m, 'weight', torch.nn.Tanh())",
        (f"{INSIDE}original",),
    ),
    *(
        ReparametrizationRow(f"{PRUNE}{name}", f"{PRUNE}{name}(m, 'weight'{more})", ("weight_orig",), ("weight_mask",))
        for name, more in {
            "identity": "",
            "l1_unstructured": ", 0.5",
            "random_unstructured": ", 0.5",
            "ln_structured": ", 0.5, 2, 0",
            "random_structured": ", 0.5, 0",
            "custom_from_mask": ", torch.ones(2, 2)",
        }.items()
    ),
)
RESTORING = (
    ("torch.nn.utils.remove_weight_norm", "torch.nn.utils.weight_norm", False),
    ("torch.nn.utils.remove_spectral_norm", "torch.nn.utils.spectral_norm", False),
    ("torch.nn.utils.prune.remove", f"{PRUNE}l1_unstructured", True),
    ("torch.nn.utils.parametrize.remove_parametrizations", f"{PARAMETRIZATIONS}weight_norm", False),
    ("torch.nn.utils.parametrize.remove_parametrizations", f"{PARAMETRIZATIONS}spectral_norm", True),
    ("torch.nn.utils.parametrize.remove_parametrizations", f"{PARAMETRIZATIONS}orthogonal", True),
    (
        "torch.nn.utils.parametrize.remove_parametrizations",
        "torch.nn.utils.parametrize.register_parametrization",
        True,
    ),
)
"""Functions that put a computed parameter back, what they undo, and whether the parameter that it was computed from is
the one that is put back, with its gradient: so it is where there was but one, unless the norm of it is undone by the
functions of old."""
