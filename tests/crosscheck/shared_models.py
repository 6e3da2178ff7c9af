#!/usr/bin/env python3
"""crosscheck.py on the models that are not part of the project; takes its other options."""
import sys

import crosscheck
from goldens import shared_models

if __name__ == "__main__":
    sys.exit(crosscheck.main([*sys.argv[1:], "--models", str(shared_models())]))
