"""Uses by which a program shows the kind of a thing: those that only one kind allows.

A use is written "name" for an attribute, "name()" for a method called without and "name(.)" with arguments, "()"
for a call of the thing itself ("(=)" besides where it is passed no data).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gradlint.knowledge.index import paths
from gradlint.knowledge.torch.autograd_names import METHOD, OF_TENSORS

TENSOR_ATTRIBUTES = (
    frozenset(
        path.partition(" ")[0].removeprefix(METHOD)
        for path in paths("operations", "attributes", "factories", "plain")
        if path.startswith(METHOD)
    )
    | OF_TENSORS
    | frozenset("size grad_dtype indices values coalesce pin_memory record_stream storage sparse_mask".split())
    | frozenset({"resize_", "resize_as_", "set_"})
)
"""The attributes of tensors, in whatever version."""

SAME_ATTRIBUTE = {"_grad": "grad"}
"""Second names of a tensor's attributes, with the first: the two hold the same object."""
ONLY_TENSORS = frozenset(name for name in TENSOR_ATTRIBUTES if name.endswith("_") and not name.endswith("__")) - {
    "requires_grad_"
} | frozenset(
    (
        "addcdiv addcmul addmm amax amin argwhere as_strided baddbmm bmm chunk clamp clamp_max clamp_min contiguous "
        "cummax cummin data_ptr diag_embed dim element_size expand_as index_add index_copy index_fill index_put "
        "index_select is_complex is_contiguous is_floating_point log_softmax logsumexp masked_fill masked_scatter "
        "masked_select matmul narrow ndimension nelement new_empty new_full new_ones new_tensor new_zeros numel "
        "permute register_post_accumulate_grad_hook repeat_interleave reshape_as retain_grad rsqrt scatter_add sigmoid "
        "softmax take_along_dim topk tril triu type_as unbind unflatten unsqueeze view_as"
    ).split()
)
"""Methods that nothing has but tensors: of what else programs hold, neither modules, optimizers, arrays and files nor
Python's own objects."""

SHAPED = frozenset({"shape", "ndim", "size()", "size(.)"})
MOVED = frozenset({"device", "to(.)", "cpu()", "cuda()", "cuda(.)", "float()", "half()", "double()", "clone()"})
"""The uses that make a thing with a shape a tensor: arrays cannot be moved or copied so, modules have no shape."""

CALLED = ("()", "(.)")
DETACH_DROPPED = "detach() dropped"
"""The use of a thing by a `detach()` whose result is dropped: files, sockets and finalizers are used so, tensors by
mistake. It shows a tensor only in a file that imports torch."""
OPTIONS_OF_BACKWARD = frozenset({"retain_graph", "create_graph", "retain_variables"})
"""Options that no `backward` has but that of a tensor and what wraps one; a wrapper is passed the tensor besides."""
TENSOR_USES = frozenset(name + call for name in ONLY_TENSORS for call in CALLED) | {
    "backward()", "detach()", DETACH_DROPPED, "requires_grad_()", "requires_grad", "grad", "grad_fn", "is_leaf",
    "size(.)", "long()",
    "(dim=)",
}  # fmt: skip
"""Each of these shows a tensor."""

METHODS_OF_TENSORS = frozenset(use.partition("(")[0] for use in TENSOR_USES if use.endswith(CALLED)) - {"size"}
"""Methods that show a tensor where they are called like that."""

MODULE_USES = frozenset(
    name + call
    for name in (
        "parameters named_parameters buffers named_buffers modules named_modules named_children register_buffer "
        "register_parameter register_forward_hook register_forward_pre_hook register_full_backward_hook"
    ).split()
    for call in CALLED
) | {"eval()", "children()"}
"""Each of these shows a module."""

MODULE_USES_WHEN_CALLED = frozenset(
    {"train()", "train(.)", "state_dict()", "load_state_dict(.)", "zero_grad()", "zero_grad(.)", "eval", "zero_grad"}
)
"""Each of these shows a module where the thing itself is called, too; `model.eval` without parentheses among them."""

MAKES_FIRST_STATE = frozenset(name + call for name in ("init_hidden", "initHidden") for call in CALLED)
"""The names of functions that make a recurrent network's first state: this shows one where it is called, too."""

APPLIED = frozenset({"()", "forward(.)"})
"""The ways of applying modules."""
CONFIGURED = "(=)"
"""The use of a thing by a call that passes it nothing, or literals: that makes something, and applies nothing."""

SWITCHES = frozenset({"requires_grad", "requires_grad_()", "requires_grad_(.)"})
"""The ways of setting the `requires_grad` of tensors and modules."""
SWITCHED_WHEN_CALLED = frozenset({"requires_grad", "()"})
"""Both show a module: tensors are not called, and no other function has the flag."""

LOADS = frozenset({"torch.load", "torch.jit.load"})
"""The functions that give modules, where their results are applied."""

OPTIMIZER_USES = frozenset({"param_groups", "add_param_group(.)"})
"""Each of these shows an optimizer; so does `zero_grad()` beside `step()`."""
CLEARS = frozenset({"zero_grad()", "zero_grad(.)"})
STEPS = frozenset({"step()", "step(.)"})

SCALER_USES = frozenset({"unscale_(.)"})
"""Each of these shows a GradScaler."""
SCALER_USES_TOGETHER = frozenset({"scale(.)", "step(.)", "update()"})
"""The uses that together show a GradScaler."""
SCHEDULER_USES = frozenset({"get_last_lr()"})
"""Each of these shows a learning-rate scheduler."""

FUNCTION_CONTEXT_USES = frozenset(
    "save_for_backward(.) saved_tensors mark_dirty(.) mark_non_differentiable(.) needs_input_grad "
    "set_materialize_grads(.)".split()
)
"""Each of these shows the context of a custom autograd function."""

_SHOWING = (
    *(TENSOR_USES, MOVED, MODULE_USES, MODULE_USES_WHEN_CALLED, MAKES_FIRST_STATE),
    *(OPTIMIZER_USES, CLEARS, SCALER_USES),
    *(SCALER_USES_TOGETHER, SCHEDULER_USES, FUNCTION_CONTEXT_USES),
)
TORCH_WORDS = (
    "torch", "grad", "backward", "dim",
    *sorted({f".{name}" for uses in _SHOWING for use in uses if (name := use.partition("(")[0])}),
)  # fmt: skip
"""Words one of which stands in a text, or in what it imports, where it has anything to do with torch: by their own
uses, nothing else shows a tensor, a module or an optimizer."""

ASKS_FOR_NONE = re.compile("no_?grad|(?<!un)freez|(?<!un)frozen")
ASKS_FOR_GRADIENTS = re.compile("requires_grad|trainable|with_grad|unfreez")
"""Names of options that request no gradients, and some."""

# ---- words in the names that people give: what a function is for, and what unseen code does with what it is passed

DIFFERENTIATES = frozenset(
    "accelerator adapt adversarial amp attack backprop backward captum closure fabric fit grad gradient gradients "
    "hessian jacobian learn minimize minimise optim optimise optimiser optimize optimizer penalty saliency scaler step "
    "train trainer training".split()
)
"""Words of code that computes gradients of what it is passed, or may mean to."""
STEP = "step"
STEPS_IN_TIME = frozenset(
    "decode decoder denoise diffusion encode env environment envs eval evaluate evaluation forward generate infer "
    "inference predict prediction reverse rollout sample simulate simulator test time valid validate validation".split()
)
"""Words of code that goes a step of a sequence, of an environment or of an evaluation: no step of an optimizer."""
CHANGES_FLAGS = frozenset(
    "clear disable enable fix fixed flag flags freeze freezed freezes freezing frozen grads lora lock peft prune "
    "pruning quantize requires require reset switch toggle trainable tune tuning unfreeze unfrozen unlock zero "
    "zerograd".split()
)
"""Words of code that sets the flags of parameters, clears their gradients, or puts others in their place."""
RESETS = frozenset(
    "aggregate assign average averaged clone copy init initial initialise initialize initialization load loads merge "
    "pretrained prune reinit reinitialize reload reset restart restore resume revert rewind rollback set sync "
    "synchronize".split()
)
"""Words of code that gives parameters other values than their optimizer left, or its state to an optimizer."""
READS = frozenset(
    (
        "acc accuracy ap auc ber bleu cer cider compare confusion cost count criterion dice display draw dump edit "
        "error evaluate evaluator f1 fid figure hist histogram image images imsave imshow imwrite iou kappa log "
        "logger loss map mape measure meter metric metrics miou mse objective perplexity plot precision print psnr "
        "recall record report rmse rouge save saver scalar scalars score scores scoring show ssim stat statistics "
        "stats summary vis visualise visualize wer write writer"
    ).split()
)
"""Words of code that reads what it is passed: it measures, shows, logs or saves, or gives what is computed from it."""
RECORDS = frozenset(
    "display log logger measure meter metric metrics monitor plot record recorder report scalar scalars stat "
    "statistics stats summary vis visualise visualize writer".split()
)
"""Words of what only shows or logs what is added to it."""
KEEPS = frozenset("add append appendleft extend insert push put store".split())
"""Words of methods that keep what they are passed in what they belong to."""
LOGARITHM = "log"
OF_PROBABILITIES = frozenset("lik likelihood likelihoods pi prob probabilities probability probs".split())
"""Words beside which `log` is the logarithm."""
CRITERIA = frozenset("criteria criterion criterions loss losses objective".split())
"""Words of what computes a loss from what it is passed."""
HANDLING = frozenset(
    "add append backward check collect display draw dump list log logger logging mean meter parse plot print process "
    "record reduce report save scale scaler send show smooth step store sum track update visualise visualize "
    "write writer".split()
)
"""Words of what does something with losses that others computed."""
SHOWING = frozenset("debug error histogram info log print scalar warn warning write".split())
"""Words of what shows or logs something as a statement, and keeps nothing of it."""
LIBRARIES_THAT_READ = frozenset(
    "PIL cv2 faiss imageio json librosa matplotlib nltk numpy pandas pickle sacrebleu scipy seaborn skimage sklearn "
    "soundfile tensorboard tensorboardX torchmetrics visdom wandb".split()
)
"""Libraries whose functions cannot differentiate through torch's graphs, or do not."""

EVALUATES = frozenset(
    "demo detect eval evaluate evaluation evaluator extract extraction generate generation infer inference inferencer "
    "predict prediction predictor test tester testing translate val valid validate validating validation "
    "validator visualise visualize visualization".split()
)
"""Words of functions and classes that use a network without training it."""
SWITCHES_MODES = EVALUATES | frozenset(
    "build calibrate create epoch load loader loop main mode phase profile restore resume run sample score setup "
    "start".split()
)
"""Words of code that may switch the modes of the networks it is passed, or gives them in another mode."""
SWITCHES_GRAD_MODE = EVALUATES | frozenset(
    "detach detached frozen freeze grad gradient gradients grads mode nograd".split()
)
"""Words of decorators and managers that may run what they are around in another grad mode."""
TRAINS = frozenset("fit learn optimise optimize pretrain train trainer training tune update".split())
"""Words of functions that train; one that also evaluates trains."""
PHASES = ("train", "training", "is_train", "is_training", "istrain", "phase", "mode", "split", "stage")
"""Parameters that say whether a function is to train, those first that say it most plainly."""


WORD = re.compile("[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]?(?=[^a-z]|$)|[a-z]+")


def words(name: str) -> frozenset[str]:
    """The words of a name in lower case: of `runValEpoch_2` run, val and epoch; of a dotted name all together."""
    return frozenset([part.lower() for part in WORD.findall(name)])


def differentiates(said: frozenset[str], whole: frozenset[str]) -> bool:
    """Return whether code with these words in its name computes gradients, or may mean to; `whole` are those of what
    it belongs to as well. A step in time (`decode_step`, `env.step`) is none that trains."""
    found = said & DIFFERENTIATES
    return bool(found) and not (found == {STEP} and whole & STEPS_IN_TIME and not whole & (DIFFERENTIATES - {STEP}))


def names_gradients(name: str) -> bool:
    """Return whether an attribute or a function of this name may compute gradients."""
    return ("backward" in name or "grad" in name or name in DERIVATIVES) and name not in WITHOUT_GRADIENTS


WITHOUT_GRADIENTS = frozenset(
    "autograd enable_grad grad_fn gradient_checkpointing is_grad_enabled no_grad set_grad_enabled".split()
)
"""Names that speak of gradients where none are computed."""
DERIVATIVES = frozenset("hessian hvp jacfwd jacobian jacrev jvp linearize vhp vjp".split())
"""Functions of torch that compute gradients and do not say so."""


def reads(said: frozenset[str], called: frozenset[str]) -> bool:
    """Return whether code with these words in its name reads what it is passed; `called` are those of what is called
    itself. What adds to something keeps it, unless that only shows or logs (`logger.add`)."""
    told = said & (RECORDS if called and called <= KEEPS else READS)
    return bool(told - {LOGARITHM} if said & OF_PROBABILITIES else told)


def is_criterion(name: str) -> bool:
    """Return whether what is called by this name computes a loss from what it is passed, and does nothing else."""
    said = words(name)
    return bool(said & CRITERIA) and not said & (HANDLING | DIFFERENTIATES)


PARTS = frozenset(
    "attention attn backbone bert block blocks bottleneck child classifier conv decoder dense discriminator embedder "
    "embeddings encoder extractor fc features generator gru head heads layer layers lstm mlp model module modules net "
    "downsample network neck pooler resnet roberta stage stages stem tower transformer trunk unet vgg vit".split()
)
"""Words of what is a part of a network and has parameters of its own."""
OF_TENSORS_OF_PARTS = frozenset(
    "alpha beta bias code codes delta factor gamma gate grad hidden input inputs latent latents loss mask out output "
    "outputs param parameter parameters params pos position prompt prompts queries query scale size state temperature "
    "token tokens var vector w weight weights".split()
)
"""Words of what is a tensor, whatever part it belongs to: `layer_scale`."""


LISTS = frozenset("block blocks classifier features heads layer layers modules net stages".split())
"""Words of parts that are lists of others, where these are read one by one."""


def names_list_of_modules(name: str) -> bool:
    """Return whether a part of a network that is called so is a list of modules."""
    return names_module(name) and bool({word.rstrip("0123456789") for word in words(name)} & LISTS)


def names_module(name: str) -> bool:
    """Return whether a part of a network that is called so is itself a module."""
    said = {word.rstrip("0123456789") for word in words(name)}
    return bool(said & PARTS) and not said & OF_TENSORS_OF_PARTS


OPTIMIZERS = frozenset("opt optim optimiser optimizer".split())
"""Words of names of optimizers."""
BESIDE_OPTIMIZERS = frozenset("annealer lr rate sched schedule scheduler warmup".split())
"""Words of names of what steps beside one."""


def names_optimizer(name: str) -> bool:
    """Return whether what is called so and steps is an optimizer."""
    said = {word.rstrip("0123456789") for word in words(name)}
    return bool(said & OPTIMIZERS) and not said & BESIDE_OPTIMIZERS


MAKES = frozenset("build builder choose configure construct create define get init initialize instantiate load make "
                  "new prepare select setup".split())  # fmt: skip
"""Words of code that makes what else its name says."""


def makes_optimizer(said: frozenset[str]) -> bool:
    """Return whether code with these words in its name makes an optimizer, or what sets its learning rate, and
    differentiates nothing though its name speaks of optimizing."""
    return bool(said & MAKES) and bool(said & (OPTIMIZERS | {"optimizers", "optims"} | BESIDE_OPTIMIZERS))


def evaluates(name: str) -> bool:
    """Return whether a function of this name uses a network without training it. What is sampled or scored may be
    anything, unless that is what the name begins with; to set the mode is no evaluation."""
    said = {word.rstrip("0123456789") for word in words(name)}
    first = [word.lower() for word in WORD.findall(name)[:1]]
    others = said & NAMING_SOMETHING_ELSE
    if others and not (others == {"loss"} and said & HELD_OUT and first != ["test"]):
        return False
    measures = bool(said & MEASURED_ON_DATA) and bool(said & MEASURES)
    return bool(said & EVALUATES) or measures or first in (["sample"], ["score"])


HELD_OUT = frozenset("eval evaluate evaluation test val valid validate validation".split())
"""Words of data that is there to judge by: the loss on it is no loss to train by. What begins with "test" may test a
loss instead."""
MEASURES = frozenset("calc calculate check compute get measure print report".split())
MEASURED_ON_DATA = frozenset("acc accuracy perplexity ppl predictions preds".split())


def names_network(name: str) -> bool:
    """Return whether what is called so and applied is a whole network, and no code that makes or applies one."""
    said = {word.rstrip("0123456789") for word in words(name)}
    named = bool(said & NETWORKS) or name.partition("_")[0] in OF_ADVERSARIES
    others = OF_TENSORS_OF_PARTS | NAMING_SOMETHING_ELSE | MAKES | APPLIES | OF_OTHER_GENERATORS | OF_CLASSES
    return named and not said & others and not _is_in_cap_words(name)


def _is_in_cap_words(name: str) -> bool:
    """Return whether a name is in the case that PEP 8 gives to classes (`PolicyNet`)."""
    return name[:1].isupper() and name.isalnum() and any(map(str.islower, name))


OF_CLASSES = frozenset("class classes cls constructor ctor factory kind type types".split())
"""Words of classes, and of what else makes the thing that the other words name (`model_cls`)."""


NETWORKS = frozenset(
    "actor autoencoder backbone bert classifier cnn critic decoder discriminator encoder generator gru lstm mlp model "
    "net network policy resnet rnn student teacher transformer unet vae vgg vit".split()
)
OF_OTHER_GENERATORS = frozenset("batch batches caption data id mask prior random rng sample text".split())
"""Words of generators that are no networks, or whole systems."""
OF_ADVERSARIES = frozenset({"G", "D"})
"""Letters that generators and discriminators are called by, of several with more behind an underscore."""
APPLIES = frozenset("apply call forward run".split())


def data_to_evaluate_on(names: Iterable[str]) -> bool | None:
    """Return whether these names, of one expression, call data by what it is for, and it is there to evaluate on
    (`test_loader`, `loaders["val"]`); None where they do not show it."""
    said = frozenset[str]().union(*map(words, names))
    if any(word.startswith(TRAINING_DATA) for word in said):
        return False
    alone = said <= ITERATES | EVALUATION_DATA and said & EVALUATION_DATA
    parted = said & EVALUATION_DATA and said & DATA
    return True if alone or parted or any(DATA_IN_ONE_WORD.fullmatch(word) for word in said) else None


def is_data_to_evaluate_on(names: Iterable[str]) -> bool | None:
    """Return the same of the names in what a network is passed: whatever begins with such a word in full is data of
    that kind (`test_real`), unless it names a network."""
    names = tuple(names)
    told = data_to_evaluate_on(names)
    if told is None and any(BEGINS_AS_EVALUATION_DATA.match(name) and not names_network(name) for name in names):
        return True
    return told


def data_gone_over(names: Iterable[str]) -> bool:
    """Return whether these names, of one expression that a loop goes over, call data of any kind, and none to train
    on."""
    said = frozenset[str]().union(*map(words, names))
    return bool(said & (DATA | DATA_ONE_BY_ONE)) and not any(word.startswith(TRAINING_DATA) for word in said)


def batches_to_evaluate_on(names: Iterable[str]) -> bool:
    """Return whether these names, of one expression, call what gives data in batches, and none to train on as far as
    they tell."""
    names = tuple(names)
    told = data_to_evaluate_on(names)
    return told is True or (told is None and any(map(names_loader, names)))


TRAINING_DATA = "train"
EVALUATION_DATA = frozenset("dev eval evaluation gallery holdout te test testing tst val valid validation vl".split())
DATA = frozenset(
    "batches data dataloader dataloaders dataset datasets dl ds gen generator images iter iterator loader loaders "
    "queue samples set x".split()
)
DATA_ONE_BY_ONE = frozenset("data datas examples inputs items pairs sentences texts words".split())
"""Words of data that a function may be passed, and goes over piece by piece."""
DATA_IN_ONE_WORD = re.compile("(dev|eval|te|test|tst|v|val|valid|vl)(data|iter|set|(data)?loader)s?")
BEGINS_AS_EVALUATION_DATA = re.compile("(eval|evaluation|holdout|test|testing|val|valid|validation)_.", re.IGNORECASE)
ITERATES = frozenset("bar enumerate iter pbar progress tqdm trange zip".split())
"""Words around data of which alone a loop speaks (`for x, y in tqdm(val)`)."""

LOADER_IN_ONE_WORD = re.compile("(data|dev|eval|te|test|train|trn|tst|v|val|valid)?(data)?(loaders?|batches)|dl")
ATTRIBUTES_OF_LOADERS = frozenset({"batch_sampler", "batch_size", "dataset", "drop_last", "sampler"})
"""Attributes that a loader of data is asked for."""


def names_loader(name: str) -> bool:
    """Return whether what is called so and iterated over gives the data of training or evaluating in batches."""
    said = words(name)
    return any(LOADER_IN_ONE_WORD.fullmatch(word) for word in said) and not said & (MAKES | NAMING_SOMETHING_ELSE)


WITHOUT_PARAMETERS = CRITERIA | frozenset(
    "act activate activation augment augmentation drop dropout fn func function metric metrics nonlin nonlinearity "
    "normalise normalize pool pooling postprocess preprocess processor relu resize sampler scheduler softmax tokenizer "
    "transform transforms upsample".split()
)
"""Words of what a module applies that has nothing to train."""
NAMING_SOMETHING_ELSE = frozenset("criterion fn func function grad loss matching mode step weight weights".split())
"""Words of names that are about something else than evaluating, whatever other words they have; what is called a step
is called by a framework, which sets the grad mode itself."""
