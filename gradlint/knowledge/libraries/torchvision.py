"""torchvision: builders of models, which come in train mode with all parameters requiring grad, and their parts; what
shows images, all of it without gradients."""

from __future__ import annotations

from gradlint.knowledge.packs import NOTHING_AT_ALL, Call, LibraryClass, New, Pack, Python

BUILDERS = (
    ("alexnet", "alexnet"),
    ("convnext", "convnext_tiny convnext_small convnext_base convnext_large"),
    ("densenet", "densenet121 densenet161 densenet169 densenet201"),
    (
        "detection/faster_rcnn",
        "fasterrcnn_resnet50_fpn fasterrcnn_resnet50_fpn_v2 fasterrcnn_mobilenet_v3_large_320_fpn "
        "fasterrcnn_mobilenet_v3_large_fpn",
    ),
    ("detection/fcos", "fcos_resnet50_fpn"),
    ("detection/keypoint_rcnn", "keypointrcnn_resnet50_fpn"),
    ("detection/mask_rcnn", "maskrcnn_resnet50_fpn maskrcnn_resnet50_fpn_v2"),
    ("detection/retinanet", "retinanet_resnet50_fpn retinanet_resnet50_fpn_v2"),
    ("detection/ssd", "ssd300_vgg16"),
    ("detection/ssdlite", "ssdlite320_mobilenet_v3_large"),
    (
        "efficientnet",
        "efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3 efficientnet_b4 efficientnet_b5 "
        "efficientnet_b6 efficientnet_b7 efficientnet_v2_s efficientnet_v2_m efficientnet_v2_l",
    ),
    ("googlenet", "googlenet"),
    ("inception", "inception_v3"),
    ("maxvit", "maxvit_t"),
    ("mnasnet", "mnasnet0_5 mnasnet0_75 mnasnet1_0 mnasnet1_3"),
    ("mobilenetv2", "mobilenet_v2"),
    ("mobilenetv3", "mobilenet_v3_large mobilenet_v3_small"),
    ("optical_flow/raft", "raft_large raft_small"),
    ("quantization/googlenet", "googlenet"),
    ("quantization/inception", "inception_v3"),
    ("quantization/mobilenetv2", "mobilenet_v2"),
    ("quantization/mobilenetv3", "mobilenet_v3_large"),
    ("quantization/resnet", "resnet18 resnet50 resnext101_32x8d resnext101_64x4d"),
    (
        "quantization/shufflenetv2",
        "shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0",
    ),
    (
        "regnet",
        "regnet_y_400mf regnet_y_800mf regnet_y_1_6gf regnet_y_3_2gf regnet_y_8gf regnet_y_16gf regnet_y_32gf "
        "regnet_y_128gf regnet_x_400mf regnet_x_800mf regnet_x_1_6gf regnet_x_3_2gf regnet_x_8gf "
        "regnet_x_16gf regnet_x_32gf",
    ),
    (
        "resnet",
        "resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d resnext101_32x8d resnext101_64x4d "
        "wide_resnet50_2 wide_resnet101_2",
    ),
    ("segmentation/deeplabv3", "deeplabv3_resnet50 deeplabv3_resnet101 deeplabv3_mobilenet_v3_large"),
    ("segmentation/fcn", "fcn_resnet50 fcn_resnet101"),
    ("segmentation/lraspp", "lraspp_mobilenet_v3_large"),
    ("shufflenetv2", "shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0"),
    ("squeezenet", "squeezenet1_0 squeezenet1_1"),
    ("swin_transformer", "swin_t swin_s swin_b swin_v2_t swin_v2_s swin_v2_b"),
    ("vgg", "vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn"),
    ("video/mvit", "mvit_v1_b mvit_v2_s"),
    ("video/resnet", "r3d_18 mc3_18 r2plus1d_18"),
    ("video/s3d", "s3d"),
    ("video/swin_transformer", "swin3d_t swin3d_s swin3d_b"),
    ("vision_transformer", "vit_b_16 vit_b_32 vit_l_16 vit_l_32 vit_h_14"),
)
"""The builders by the file they are in; those of a folder are offered by the folder."""


NETWORK = "torch.nn.Module"
FEATURES = {"features": NETWORK, "classifier": NETWORK}
STAGES = {f"layer{index}": NETWORK for index in (1, 2, 3, 4)} | {"fc": "torch.nn.Linear"}
FOUND = {"backbone": NETWORK, "rpn": NETWORK, "roi_heads": NETWORK}
DENSE = {"backbone": NETWORK, "head": NETWORK}
SEGMENTED = {"backbone": NETWORK, "classifier": NETWORK}
WINDOWS = {"features": NETWORK, "norm": "torch.nn.LayerNorm", "head": "torch.nn.Linear"}

PARTS = {
    "alexnet": FEATURES,
    "convnext": FEATURES,
    "densenet": {"features": NETWORK, "classifier": "torch.nn.Linear"},
    "detection/faster_rcnn": FOUND,
    "detection/fcos": DENSE,
    "detection/keypoint_rcnn": FOUND,
    "detection/mask_rcnn": FOUND,
    "detection/retinanet": DENSE,
    "detection/ssd": DENSE,
    "detection/ssdlite": DENSE,
    "efficientnet": FEATURES,
    "googlenet": {"conv1": NETWORK, "fc": "torch.nn.Linear"},
    "inception": {"AuxLogits": NETWORK, "fc": "torch.nn.Linear"},
    "maxvit": {"stem": NETWORK, "blocks": NETWORK, "classifier": NETWORK},
    "mnasnet": {"layers": NETWORK, "classifier": NETWORK},
    "mobilenetv2": FEATURES,
    "mobilenetv3": FEATURES,
    "resnet": {"conv1": "torch.nn.Conv2d", "bn1": "torch.nn.BatchNorm2d"} | STAGES,
    "segmentation/deeplabv3": SEGMENTED,
    "segmentation/fcn": SEGMENTED,
    "segmentation/lraspp": SEGMENTED,
    "shufflenetv2": {"conv1": NETWORK, "conv5": NETWORK, "fc": "torch.nn.Linear"},
    "squeezenet": FEATURES,
    "swin_transformer": WINDOWS,
    "vgg": FEATURES,
    "video/resnet": {"stem": NETWORK} | STAGES,
    "video/s3d": FEATURES,
    "video/swin_transformer": {"patch_embed": NETWORK} | WINDOWS,
    "vision_transformer": {
        "conv_proj": "torch.nn.Conv2d",
        "encoder": NETWORK,
        "heads": NETWORK,
    },
}
"""The parts that programs freeze and replace, by the file of the builder: `named_children()` of what it gives, those
that hold layers as modules of any class."""


NORM, DROPOUT = "torch.nn.BatchNorm2d", "torch.nn.Dropout"
LAYERS = {
    "alexnet": {"classifier.0": DROPOUT},
    "densenet": {"features.norm0": NORM},
    "efficientnet": {"features.0.1": NORM, "classifier.0": DROPOUT},
    "googlenet": {"conv1.bn": NORM},
    "inception": {"Conv2d_1a_3x3.bn": NORM, "dropout": DROPOUT},
    "maxvit": {"stem.0.1": NORM},
    "mnasnet": {"layers.1": NORM, "classifier.0": DROPOUT},
    "mobilenetv2": {"features.0.1": NORM, "classifier.0": DROPOUT},
    "mobilenetv3": {"features.0.1": NORM, "classifier.2": DROPOUT},
    "segmentation/deeplabv3": {"classifier.0.project.3": DROPOUT},
    "segmentation/fcn": {"classifier.3": DROPOUT},
    "segmentation/lraspp": {"backbone.0.1": NORM},
    "shufflenetv2": {"conv1.1": NORM},
    "squeezenet": {"classifier.0": DROPOUT},
    "vgg": {"classifier.2": DROPOUT},
    "video/s3d": {"features.0.0.1": "torch.nn.BatchNorm3d", "classifier.0": DROPOUT},
    "video/resnet": {"stem.1": "torch.nn.BatchNorm3d"},
}
"""Layers further inside that compute something else in train mode: one of a kind, by its path in the network."""


NORMALISED = {"features.1": NORM}
"""The same of the variants of a network whose names end in `_bn`."""


def parts_of(file: str, name: str = "") -> dict[str, str]:
    """Return the classes of the parts of what a builder of a file gives, by their paths, those outside first."""
    found = dict(PARTS.get(file, {}))
    layers = LAYERS.get(file, {}) | (NORMALISED if name.endswith("_bn") else {})
    for path, cls in layers.items():
        names = path.split(".")
        for depth in range(1, len(names)):
            found.setdefault(".".join(names[:depth]), NETWORK)
        found[path] = cls
    return found


def _part(path: str, parts: dict[str, str]) -> New:
    """Return the part at a path, with those that lie in it; the network itself has none."""
    before = f"{path}." if path else ""
    inside = {other.removeprefix(before) for other in parts if other.startswith(before)}
    held = tuple((name, _part(before + name, parts)) for name in sorted(inside) if name and "." not in name)
    return New(parts.get(path, NETWORK), holding=held)


def _builder(file: str, name: str) -> Call:
    folder, _, stem = f"torchvision.models.{file.replace('/', '.')}".rpartition(".")
    return Call(
        f"{folder}.{name}",
        gives=New(NETWORK, mode="train", holding=_part("", parts_of(file, name)).holding),
        also=(f"{folder}.{stem}.{name}",),
        source=f"torchvision/models/{file}.py:{name}",
    )


IMAGE = Python("image")
"""An image of PIL: its pixels are numbers, which know of no graph."""

pack = Pack(
    library="torchvision",
    version="torchvision==0.28.0",
    roots=("torchvision",),
    classes=(
        LibraryClass(("torchvision.datasets.[A-Z]*",), source="torchvision/datasets/vision.py:VisionDataset"),
        LibraryClass(
            ("torchvision.transforms.Compose", "torchvision.transforms.v2.Compose"),
            source="torchvision/transforms/transforms.py:Compose",
        ),
        LibraryClass(
            ("torchvision.transforms.ToPILImage", "torchvision.transforms.v2.ToPILImage"),
            members=(Call("__call__", gives=IMAGE, source="torchvision/transforms/transforms.py:ToPILImage.__call__"),),
            source="torchvision/transforms/transforms.py:ToPILImage",
        ),
        LibraryClass(
            ("torchvision.transforms.[A-Z]*", "torchvision.transforms.v2.[A-Z]*"),
            source="torchvision/transforms/transforms.py:Resize",
        ),
    ),
    functions=(
        Call(
            "torchvision.models.get_model",
            gives=New("torch.nn.Module", mode="train"),
            source="torchvision/models/_api.py:get_model",
        ),
        Call("torchvision.utils.save_image", gives=NOTHING_AT_ALL, source="torchvision/utils.py:save_image"),
        Call(
            "torchvision.transforms.functional.to_pil_image",
            gives=IMAGE,
            also=("torchvision.transforms.v2.functional.to_pil_image",),
            source="torchvision/transforms/functional.py:to_pil_image",
        ),
        *(
            Call(f"torchvision.utils.{name}", source=f"torchvision/utils.py:{name}")
            for name in "make_grid draw_bounding_boxes draw_segmentation_masks draw_keypoints flow_to_image".split()
        ),
        Call("torchvision.models.list_models", gives=Python("list"), source="torchvision/models/_api.py:list_models"),
        *(_builder(file, name) for file, names in BUILDERS for name in names.split()),
    ),
)
