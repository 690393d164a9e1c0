"""Settings that modules of torch keep from their construction, and the names that every module has."""

from __future__ import annotations

SIZES = frozenset(
    "in_features out_features in1_features in2_features in_channels out_channels num_features num_channels "
    "num_embeddings embedding_dim embed_dim kdim vdim head_dim num_heads nhead d_model hidden_size input_size "
    "proj_size num_layers groups num_groups num_parameters n_classes n_clusters".split()
)
"""Attributes of layers that are whole numbers."""

SETTINGS = frozenset(
    "activation_relu_or_gelu add_zero_attn affine align_corners alpha approximate batch_first beta bias bias_k bias_v "
    "bidirectional blank ceil_mode count_include_pad cutoffs delta dilation dim div_value divisor_override "
    "downscale_factor dropout elementwise_affine enable_nested_tensor end_dim eps full head_bias head_size "
    "ignore_index include_last_offset init inplace k keepdim kernel_size label_smoothing lambd log_input log_target "
    "lower margin mask_check max_norm max_val min_val mode momentum name negative_slope nonlinearity norm norm_first "
    "norm_type normalized_shape output_padding output_ratio output_size p padding padding_idx padding_mode "
    "process_group recompute_scale_factor reduction return_indices scale_factor scale_grad_by_freq shortlist_size "
    "size sparse start_dim stride swap threshold track_running_stats transposed unflattened_size upper "
    "upscale_factor use_nested_tensor value zero_infinity".split()
)
"""Attributes of layers that are other plain Python objects: numbers, flags, words, None, tuples of them."""

MODULE_NAMES = frozenset(
    "T_destination call_super_init dump_patches extra_repr forward get_extra_state mtia register_backward_hook "
    "register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook "
    "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_post_hook "
    "register_state_dict_pre_hook set_extra_state set_submodule training".split()
)
"""Attributes that every module has, beside the methods that are followed."""
