#!/usr/bin/env python3
"""Puts a measuring image, the plugin that counts for it, and measure.json, which says how QEMU starts it, into a folder
for `pianola measure --images`.

    hal/measure/describe.py BOARD PACK IMAGE PLUGIN FOLDER

PACK is what `pianola measure` packs a model's weights for.
"""
import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "toolchains"))
import boards  # noqa: E402  pylint: disable=wrong-import-position
import link_map  # noqa: E402  pylint: disable=wrong-import-position
import run_board  # noqa: E402  pylint: disable=wrong-import-position

MARKERS = ("begin", "end", "pause", "resume")
# Its instructions are the board's affair: when it comes depends on time.
HANDLER = "pianola_tick"


def description(board, image, pack):
    """What measure.json says. "@" in a word of the command stands for the folder that it lies in."""
    symbols = link_map.symbols(image, board.name)
    line = run_board.command(board.name, image, icount=True, extra=board.ecu_as_device)
    skip = [symbols[HANDLER]] if HANDLER in symbols else []
    return {"board": board.name,
            "emulator": [word.replace(run_board.quoted(f"{image.parent}/"), "@") for word in line],
            "pack": pack,
            "ram": [symbols["__ram_start"][0], symbols["__ram_end"][0]],
            "core": board.ecu_core,
            "markers": {marker: symbols[f"pianola_count_{marker}"][0] for marker in MARKERS},
            "skip": [[first, first + size] for first, size in skip]}


def main(name, pack, image, plugin, folder):
    """Writes the folder."""
    image, folder = pathlib.Path(image).resolve(), pathlib.Path(folder)
    board = boards.read(name)
    folder.mkdir(parents=True, exist_ok=True)
    device = json.loads((ROOT / "hal/boards/common/device.json").read_text(encoding="utf-8"))
    (folder / "device.json").write_text(json.dumps({**device, **board.core}) + "\n", encoding="utf-8")
    for file in [image, plugin, *([image.parent / board.starter.file] if board.starter else [])]:
        shutil.copy(file, folder)
    text = json.dumps(description(board, image, pack), indent=2)
    (folder / "measure.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
