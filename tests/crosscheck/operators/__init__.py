"""The operators: importing this package registers all of them."""
import importlib

from operators.node import REGISTRY

__all__ = ["REGISTRY"]

for _area in ("activations", "comparisons", "conversions", "elementwise", "layout", "linear", "lookup", "normalization",
              "pooling", "recurrent", "reduction", "resize", "variables"):
    importlib.import_module(f"operators.{_area}")
