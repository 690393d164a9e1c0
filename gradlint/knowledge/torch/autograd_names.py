"""Autograd's vocabulary: the attribute names by which a program speaks of gradients, graphs and what is trained.

Names that more often mean something else (`update`, `scale`, `append`) are left out.
"""

from __future__ import annotations

from gradlint.knowledge.index import paths

METHOD = "torch.Tensor."

OF_TENSORS = frozenset(
    (
        "requires_grad requires_grad_ grad grad_fn is_leaf retains_grad retain_grad backward detach detach_ data item "
        "tolist numpy clone register_hook register_post_accumulate_grad_hook"
    ).split()
) | {
    path.removeprefix(METHOD)
    for path in paths("operations")
    if path.startswith(METHOD) and path.endswith("_") and "__" not in path
}
"""The attributes that tensors alone have."""

OF_TENSORS_AND_MODULES = frozenset("to cuda cpu float double half bfloat16 requires_grad_".split())

OF_MODULES = frozenset(
    (
        "parameters named_parameters buffers named_buffers modules named_modules children named_children train eval "
        "training zero_grad state_dict load_state_dict register_buffer register_parameter register_module add_module "
        "register_forward_hook register_forward_pre_hook register_full_backward_hook forward apply"
    ).split()
)
OF_OPTIMIZERS = frozenset("step zero_grad param_groups add_param_group state_dict load_state_dict".split())
OF_SCALERS = frozenset("unscale_ get_scale".split())
OF_FUNCTIONS = frozenset(
    (
        "save_for_backward saved_tensors mark_dirty mark_non_differentiable needs_input_grad set_materialize_grads "
        "clip_grad_norm_ clip_grad_value_ is_grad_enabled autocast"
    ).split()
)
"""The names of autograd's own functions and of the members of a custom one's context."""

VOCABULARY = (
    OF_TENSORS
    | OF_TENSORS_AND_MODULES
    | OF_MODULES
    | OF_OPTIMIZERS
    | OF_SCALERS
    | OF_FUNCTIONS
    | {path.rpartition(".")[2] for path in paths("contexts")}
)

NAMESPACES = frozenset({"torch.cuda", "torch.cpu", "torch.utils.data"})
"""Modules of torch that are called like something in the vocabulary."""
