"""What gives plain Python things, and what neither changes nor keeps a tensor handed to it."""

from __future__ import annotations

from gradlint.knowledge.rows import PlainRow

TENSOR_ROWS = tuple(
    PlainRow(f"torch.Tensor.{name}", returns)
    for returns, names in (
        ("bool", "requires_grad is_leaf retains_grad is_cuda is_cpu is_sparse is_quantized is_meta is_mps is_xpu"),
        (
            "bool",
            "is_complex is_floating_point is_signed is_contiguous is_inference is_pinned is_shared is_conj is_neg",
        ),
        ("bool", "is_distributed is_nested is_mkldnn is_sparse_csr is_xla"),
        ("bool", "is_nonzero is_same_size is_set_to __bool__ __contains__"),
        ("int", "ndim nbytes itemsize output_nr dim ndimension numel nelement element_size data_ptr get_device"),
        ("int", "dense_dim sparse_dim const_data_ptr"),
        ("tuple", "dim_order"),
        ("int", "storage_offset __len__ __int__ __hash__"),
        ("float", "__float__"),
        ("str", "__repr__ __str__ __format__"),
        ("Size", "shape"),
        ("tuple", "stride"),
        ("dtype", "dtype"),
        ("device", "device"),
        ("layout", "layout"),
        ("storage", "untyped_storage"),
        ("RemovableHandle", "register_hook register_post_accumulate_grad_hook"),
    )
    for name in names.split()
)
"""Attributes and methods of tensors that give no tensor."""

HARMLESS_ROWS = tuple(
    PlainRow(prefix + name, returns)
    for prefix, returns, names in (
        ("builtins.", "none", "print exit quit breakpoint"),
        ("builtins.", "bool", "isinstance issubclass callable hasattr bool all any"),
        ("builtins.", "int", "len id hash int ord"),
        ("builtins.", "float", "float"),
        ("builtins.", "str", "str repr format ascii chr bin hex oct input"),
        ("builtins.", "iterator", "enumerate zip reversed iter"),
        ("builtins.", "container", "list tuple set frozenset sorted dict"),
        ("builtins.", "argument", "min max next"),
        ("builtins.", "range", "range"),
        ("builtins.", "", "type slice dir divmod complex bytes bytearray open"),
        (
            "math.",
            "float",
            "sqrt exp log log2 log10 log1p expm1 sin cos tan tanh atan atan2 pow fabs fsum hypot erf degrees radians",
        ),
        ("math.", "int", "floor ceil trunc gcd comb factorial isqrt"),
        ("math.", "bool", "isnan isinf isfinite isclose"),
        ("logging.", "none", "debug info warning error critical exception log basicConfig"),
        ("warnings.", "none", "warn simplefilter filterwarnings"),
        ("time.", "float", "time perf_counter monotonic process_time"),
        ("time.", "none", "sleep"),
        ("time.", "str", "strftime ctime"),
        ("random.", "none", "seed"),
        ("random.", "float", "random uniform gauss"),
        ("random.", "int", "randint randrange"),
        ("random.", "argument", "choice"),
        ("json.", "str", "dumps"),
        ("json.", "none", "dump"),
        ("pickle.", "bytes", "dumps"),
        ("pickle.", "none", "dump"),
        ("pprint.", "none", "pprint"),
        ("os.", "none", "makedirs mkdir remove chdir"),
        ("os.", "str", "getcwd getenv"),
        ("os.", "list", "listdir"),
        ("os.path.", "str", "join basename dirname abspath expanduser splitext"),
        ("os.path.", "bool", "exists isfile isdir"),
        ("sys.", "none", "exit"),
        ("gc.", "int", "collect"),
        ("itertools.", "iterator", "chain islice cycle repeat count product permutations combinations zip_longest"),
        ("tqdm.", "iterator", "tqdm trange"),
        ("tqdm.auto.", "iterator", "tqdm trange"),
        (
            "torch.",
            "none",
            "save set_printoptions set_default_dtype set_default_device set_num_threads use_deterministic_algorithms "
            "set_float32_matmul_precision",
        ),
        ("torch.nn.init.", "float", "calculate_gain"),
        ("torch.nn.init.", "tuple", "_calculate_fan_in_and_fan_out"),
        ("torch.nn.init.", "int", "_calculate_correct_fan"),
        ("torch.", "Generator", "manual_seed Generator"),
        ("torch.", "int", "seed initial_seed get_num_threads numel"),
        (
            "torch.",
            "bool",
            "is_tensor is_floating_point is_complex is_nonzero is_grad_enabled is_inference_mode_enabled is_storage",
        ),
        ("torch.", "device", "device"),
        ("torch.", "dtype", "promote_types result_type get_default_dtype"),
        ("torch.", "finfo", "finfo"),
        ("torch.", "iinfo", "iinfo"),
        ("torch.", "Size", "Size"),
        ("torch.cuda.", "bool", "is_available"),
        ("torch.cuda.", "int", "device_count current_device memory_allocated max_memory_allocated"),
        (
            "torch.cuda.",
            "none",
            "synchronize empty_cache manual_seed manual_seed_all set_device reset_peak_memory_stats",
        ),
        ("torch.testing.", "none", "assert_close"),
        ("torch.autograd.", "none", "set_detect_anomaly"),
        ("numpy.random.", "none", "seed"),
    )
    for name in names.split()
)
"""Functions through which no tensor changes and that keep none; tensors in what they return are those put in."""
