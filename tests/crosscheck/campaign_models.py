#!/usr/bin/env python3
"""The models of ../shared/models in every form that the product captures, as campaign.py has random graphs.

Exit code 77: there are no such models.
"""
import sys

import campaign
import crosscheck
import models
from goldens import shared_models

_SKIPPED = 77


def check_model(total, options, name):
    """One of the models that are not part of the project."""
    folder = shared_models() / name
    data = (folder / "model.tflite").read_bytes()
    if not options.state or campaign.has_state(models.read(data)):
        total.check(str(name), data, crosscheck.records_of(folder, models.read(data), options.records, options.more))


def main():
    """Runs the command line; the exit code."""
    parser = campaign.parser_of(__doc__)
    parser.add_argument("--state", action="store_true", help="only the models that keep state")
    parser.add_argument("--records", type=int, default=2, help="records of each model; default: 2")
    parser.add_argument("--more", type=int, default=0, help="random records of each model; default: 0")
    options = campaign.parse(parser, None)
    if not shared_models().is_dir():
        print(f"{shared_models()} is not there")
        return _SKIPPED
    found = sorted(file.parent.relative_to(shared_models()) for file in shared_models().rglob("model.tflite"))
    return campaign.run(found, check_model, options)


if __name__ == "__main__":
    sys.exit(main())
