#!/usr/bin/env python3
"""Prints what the stand-in for zephyr/devicetree.h takes of an overlay. Usage: overlay_header.py OVERLAY

For each labelled node its numbers; where it has `reg`, memory of the host in its place; and the macros that ask for
them.
"""
import pathlib
import re
import sys

NODE = re.compile(r"(\w+):\s*[\w@-]+\s*\{(.*?)\};", re.DOTALL)
MACROS = """
#define DT_NODELABEL(label) label
#define STUB_JOIN_(node, name) node##_##name
#define STUB_JOIN(node, name) STUB_JOIN_(node, name)
#define DT_REG_ADDR(node) STUB_JOIN(node, reg_addr)
#define DT_REG_SIZE(node) STUB_JOIN(node, reg_size)
#define DT_PROP(node, name) STUB_JOIN(node, name)
"""


def overlay_header(text):
    """The header as text."""
    lines = ["#pragma once", "#include <cstdint>", MACROS]
    for label, body in NODE.findall(text):
        reg = re.search(r"\breg = <(\w+) (\w+)>", body)
        if reg:
            lines += [f"constexpr std::uint32_t {label}_reg_size = {reg[2]}U;",
                      f"alignas(64) inline std::uint8_t {label}_bytes[{reg[2]}];",
                      f"inline const std::uintptr_t {label}_reg_addr = "
                      f"reinterpret_cast<std::uintptr_t>(&{label}_bytes[0]);"]
        lines += [f"constexpr std::uint32_t {label}_{name.replace('-', '_')} = {value}U;"
                  for name, value in re.findall(r"([\w-]+) = <(\d+)>;", body)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(overlay_header(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")), end="")
