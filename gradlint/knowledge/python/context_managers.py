"""Context managers that leave the grad mode as it is."""

from __future__ import annotations

from gradlint.knowledge.schema import ManagerRow

_AUTOCAST = (
    ("torch.autocast", 2, "f('cpu', dtype=torch.bfloat16)"),
    ("torch.amp.autocast", 2, "f('cpu', dtype=torch.bfloat16)"),
    ("torch.amp.autocast_mode.autocast", 2, "f('cpu', dtype=torch.bfloat16)"),
    ("torch.cpu.amp.autocast", 0, "f(dtype=torch.bfloat16)"),
    ("torch.cuda.amp.autocast", 0, "f()"),
    ("torch.cuda.amp.autocast_mode.autocast", 0, "f()"),
)

ROWS = (
    *(ManagerRow(path, example, "itself", copies=True, enabled=at) for path, at, example in _AUTOCAST),
    ManagerRow("torch.autograd.graph.save_on_cpu", "f()", "none", copies=True),
    ManagerRow("torch.autograd.graph.saved_tensors_hooks", "f(torch.clone, torch.clone)", "none", copies=True),
    ManagerRow("torch.autograd.graph.allow_mutation_on_saved_tensors", "f()", copies=True),
    ManagerRow("torch.autograd.graph.disable_saved_tensors_hooks", "f('off')", "none"),
    ManagerRow("torch.autograd.set_detect_anomaly", "f(True)", "none"),
    ManagerRow("torch.autograd.detect_anomaly", "f()", "none"),
    ManagerRow("torch.autograd.set_multithreading_enabled", "f(True)", "none"),
    ManagerRow("torch.autograd.profiler.profile", "f()", "itself"),
    ManagerRow("torch.autograd.profiler.record_function", "f('step')", "itself"),
    ManagerRow("torch.profiler.profile", "f()", "itself"),
    ManagerRow("torch.profiler.record_function", "f('step')", "itself"),
    ManagerRow("torch.random.fork_rng", "f()", "none"),
    ManagerRow("torch.nn.attention.sdpa_kernel", "f(torch.nn.attention.SDPBackend.MATH)"),
    ManagerRow("torch.backends.cuda.sdp_kernel", "f()"),
    ManagerRow("torch.backends.cudnn.flags", "f(enabled=False)", "none"),
    ManagerRow("torch.nn.utils.parametrize.cached", "f()", "none"),
    ManagerRow("torch.cuda.stream", "f(None)", "none"),
    ManagerRow("torch.cuda.device_of", "f(torch.ones(1))", "none"),
    ManagerRow("warnings.catch_warnings", "f()", "none"),
    ManagerRow("contextlib.nullcontext", "f()", "argument"),
)
