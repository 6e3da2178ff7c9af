#!/usr/bin/env python3
"""Wrong ports: the example port with one thing wrong in each, as sources to compile, with the check that must name it.

Every wrong port is the example's sources in a namespace of its own, with the changes of wrong_ports.txt. The text that
a change replaces must occur once, so that a change of the example which moves it is noticed here.

Usage: wrong_ports.py EXAMPLE_FOLDER OUTPUT_FOLDER    writes wrong_NAME.cpp and wrong_list.cpp; prints the names
"""
import pathlib
import re
import sys

SOURCES = ("npu.h", "npu_command_set.cpp", "npu_device.cpp")
TAIL = """
namespace {space} {{
namespace {{

Device g_device;
Platform g_platform;
CommandSet g_command_set;

pianola::port::PortUnderTest make() noexcept {{
    pianola::port::PortUnderTest port{{g_device, g_platform, g_command_set, npu::kKitMemory, npu::sample,
                                      pianola::WordSpan{{npu::kEndWords}}}};
    port.watched = pianola::Span<const pianola::port::Range>{{npu::kWatched}};
    port.safe_state_entries = [](void*) noexcept {{ return g_platform.safe_state_entries(); }};
    port.watchdog_services = [](void*) noexcept {{ return g_platform.watchdog_services(); }};
    port.may_raise_counter = true;
    port.polls = 20'000U;
    return port;
}}

}}  // namespace
extern const pianola::port::WrongPort kWrong;
const pianola::port::WrongPort kWrong{{"{name}", "{check}", make}};
}}  // namespace {space}
"""


def read_table():
    """{name: (check, [(text, its replacement)])} of wrong_ports.txt."""
    wrong = {}
    kind = ""
    for line in pathlib.Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        before, kind, text = kind, line[:1], line[2:]
        if kind == "=":
            name, check = line.split()[1:]
            changes = []
            wrong[name] = (check, changes)
        elif kind == "<":
            if before == "<":
                text = changes.pop()[0] + "\n" + text
            changes.append((text, ""))
        elif kind == ">":
            old, new = changes.pop()
            changes.append((old, new + ("\n" if before == ">" else "") + text))
    return wrong


def wrong_source(folder, name, check, changes):
    """One wrong port as a source of its own."""
    texts = [(folder / source).read_text(encoding="utf-8") for source in SOURCES]
    for text, replacement in changes:
        found = sum(source.count(text) for source in texts)
        if found != 1:
            raise SystemExit(f"wrong_ports.py: {name}: {found} times: {text!r}")
        texts = [source.replace(text, replacement) for source in texts]
    joined = "\n".join(re.sub(r'#pragma once|#include "npu.h"', "", source) for source in texts)
    space = f"npu_{name}"
    joined = re.sub(r"\bnamespace npu\b", f"namespace {space}", joined)
    head = '#include "docs/examples/port/npu_samples.h"\n#include "tests/port/wrong_port.h"\n'
    return head + joined + TAIL.format(name=name, check=check, space=space)


def write(path, text):
    """Writes a file where its text is not there already, so that nothing is compiled again for nothing."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    """Writes all of them, and the list."""
    folder, output = (pathlib.Path(argument) for argument in sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    wrong = read_table()
    for name, (check, changes) in wrong.items():
        write(output / f"wrong_{name}.cpp", wrong_source(folder, name, check, changes))
    lines = ['#include "tests/port/wrong_port.h"']
    lines += [f"namespace npu_{name} {{ extern const pianola::port::WrongPort kWrong; }}" for name in wrong]
    lines += ["namespace pianola::port {"]
    lines += [f"const std::array<const WrongPort*, {len(wrong)}U> kAll{{{{"]
    lines += [f"    &npu_{name}::kWrong," for name in wrong]
    lines += ["}};", "Span<const WrongPort* const> wrong_examples() noexcept { return kAll; }"]
    lines += ["}  // namespace pianola::port", ""]
    write(output / "wrong_list.cpp", "\n".join(lines))
    print(";".join(wrong), end="")


if __name__ == "__main__":
    main()
