"""The operators: importing this package registers all of them."""
from operators.node import REGISTRY
from operators import (activations, comparisons, conversions, elementwise, layout, linear, lookup, normalization,  # noqa
                       pooling, recurrent, reduction, resize, variables)

__all__ = ["REGISTRY"]
