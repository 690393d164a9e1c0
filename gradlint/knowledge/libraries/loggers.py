"""Loggers, plotters and savers: they read numbers off what they are passed, differentiate nothing, keep no graph.

What they do with a tensor was read: they detach it, take its number or run under `no_grad`. Who imports one of them may
work with torch or not.
"""

from __future__ import annotations

from gradlint.knowledge.packs import NOTHING_AT_ALL, Anything, Call, Gift, LibraryClass, New, Pack, calls

TORCH = "torch==2.13.0 torch/utils/tensorboard/writer.py:SummaryWriter"
TENSORBOARDX = "tensorboardX==2.6.5 tensorboardX/writer.py:SummaryWriter"
RUN = "wandb==0.31.0 wandb/sdk/wandb_run.py:Run"
FLUENT = "mlflow==3.18.0 mlflow/tracking/fluent.py:"
PYPLOT = "matplotlib==3.11.2 matplotlib/pyplot.py:"

WRITTEN = (
    "add_hparams add_scalar add_scalars add_histogram add_histogram_raw add_image add_images add_image_with_boxes "
    "add_figure add_video add_audio add_text add_embedding add_pr_curve add_pr_curve_raw add_mesh "
    "add_custom_scalars add_custom_scalars_marginchart add_custom_scalars_multilinechart flush close"
)
"""The methods of both writers but `add_graph`, which runs a module."""


def _functions(prefix: str, names: str, gives: Gift, source: str) -> tuple[Call, ...]:
    """Functions that do nothing to their arguments, by their names in one string, read in the file at `source`."""
    return tuple(Call(prefix + name, gives=gives, source=source + name) for name in names.split())


def _writer(*paths: str, source: str) -> LibraryClass:
    return LibraryClass(paths, members=calls(WRITTEN, NOTHING_AT_ALL, source), source=source)


pack = Pack(
    library="loggers",
    version="",
    roots=("torch.utils.tensorboard", "tensorboardX", "wandb", "mlflow", "matplotlib"),
    on_torch=False,
    classes=(
        _writer("torch.utils.tensorboard.SummaryWriter", "torch.utils.tensorboard.writer.SummaryWriter", source=TORCH),
        _writer("tensorboardX.SummaryWriter", "tensorboardX.writer.SummaryWriter", source=TENSORBOARDX),
        LibraryClass(
            ("wandb.Run", "wandb.sdk.wandb_run.Run"),
            members=calls("log save finish define_metric alert log_artifact log_code", Anything(), RUN),
            source=RUN,
        ),
        LibraryClass(("wandb.Image",), source="wandb==0.31.0 wandb/sdk/data_types/image.py:Image"),
        LibraryClass(("wandb.Video",), source="wandb==0.31.0 wandb/sdk/data_types/video.py:Video"),
        LibraryClass(("wandb.Histogram",), source="wandb==0.31.0 wandb/sdk/data_types/histogram.py:Histogram"),
    ),
    functions=(
        Call("wandb.init", gives=New("wandb.Run"), source="wandb==0.31.0 wandb/sdk/wandb_init.py:init"),
        *_functions("wandb.", "log save define_metric alert log_artifact", Anything(), RUN + "."),
        Call("wandb.finish", gives=NOTHING_AT_ALL, source="wandb==0.31.0 wandb/sdk/wandb_run.py:finish"),
        *_functions(
            "mlflow.",
            "set_experiment start_run end_run active_run log_param log_params log_metric log_metrics set_tag set_tags "
            "log_artifact log_artifacts log_text log_dict log_figure log_image",
            Anything(),
            FLUENT,
        ),
        *_functions(
            "matplotlib.pyplot.",
            "plot scatter bar barh hist hist2d imshow matshow pcolormesh contour contourf semilogx semilogy loglog "
            "errorbar fill_between boxplot violinplot stem step text title suptitle xlabel ylabel xlim ylim xticks "
            "yticks legend grid colorbar tight_layout axis axhline axvline savefig imsave show pause draw clf cla "
            "close figure subplot subplots gca gcf",
            Anything(),
            PYPLOT,
        ),
    ),
)
