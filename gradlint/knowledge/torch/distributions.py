"""The distributions of torch: whether samples of them can be differentiated by their parameters."""

from __future__ import annotations

import re

REPARAMETRISED = frozenset(
    (
        "Normal Uniform Laplace Cauchy Gumbel Exponential Gamma Beta Dirichlet StudentT HalfNormal HalfCauchy "
        "LogNormal Weibull Pareto Kumaraswamy Chi2 MultivariateNormal LowRankMultivariateNormal RelaxedBernoulli "
        "RelaxedOneHotCategorical"
    ).split()
)
"""Classes of `torch.distributions` that have `rsample()`."""
DISCRETE = frozenset(
    "Bernoulli Binomial Categorical Geometric Multinomial NegativeBinomial OneHotCategorical Poisson".split()
)
"""The distributions that have none."""
PARTS = frozenset("concentration loc logits mean probs rate scale stddev variance".split())
"""Attributes that may be computed from the parameters, and carry their graph then."""
WHOLE = frozenset({"Categorical"})
"""The distributions that draw integers; the others give floating point, be the numbers whole or not."""
BY_ELEMENT = frozenset(
    "Normal Uniform Laplace Cauchy Gumbel Exponential Gamma Beta StudentT HalfNormal HalfCauchy LogNormal Weibull "
    "Pareto Kumaraswamy Chi2 Bernoulli Geometric Poisson".split()
)
"""The distributions of numbers, one for each element that their parameters have together."""
BY_ROW = frozenset({"Categorical"})
"""The distributions of a number for each row of their parameter."""


CAPITALS = re.compile("(?<=[a-z])(?=[A-Z])")
"""The places in a class's name where its file has an underscore."""
FILES = {
    "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "RelaxedOneHotCategorical": "relaxed_categorical",
    "StudentT": "studentT",
}
"""The files of classes that are not called after them."""


def file_of(name: str) -> str:
    """Return the file of `torch.distributions` that a class is in (`normal` for Normal)."""
    return FILES.get(name) or CAPITALS.sub("_", name).lower()
