#!/usr/bin/env python3
"""Projects of others, built from an installed package: the tests consumers.<folder>.

Usage: consumers_test.py set_up|clean_up|run NAME --source TREE --build FOLDER --compiler CXX
"""
import argparse
import importlib.util
import pathlib
import shutil
import sys
import tempfile

import consumer_kit

HERE = pathlib.Path(__file__).resolve().parent


def load(name):
    """The module consumer.py of a folder."""
    spec = importlib.util.spec_from_file_location(f"consumer_{name}", HERE / name / "consumer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    """Does what it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("set_up", "clean_up", "run"))
    parser.add_argument("name", nargs="?")
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    options = parser.parse_args()

    record = options.build / "consumers.txt"  # says where the installation is: outside of the source tree
    if options.what in ("set_up", "clean_up") and record.exists():
        shutil.rmtree(record.read_text(encoding="utf-8"), ignore_errors=True)
        record.unlink()
    if options.what == "set_up":
        home = tempfile.mkdtemp(prefix="pianola_consumers_")
        record.write_text(home, encoding="utf-8")
        consumer_kit.set_up(options, pathlib.Path(home))
    elif options.what == "run":
        home = pathlib.Path(record.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory(prefix=f"pianola_{options.name}_") as folder:
            kit = consumer_kit.Kit(options, home, pathlib.Path(folder))
            shutil.copytree(HERE / options.name, kit.folder, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("consumer.py", "__pycache__"))
            load(options.name).run(kit)


if __name__ == "__main__":
    try:
        main()
    except consumer_kit.Skipped as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
