"""Proof that the layering gate can fail."""
import unittest

from layering_gate import (BOARDS, HAL_PAGE, ROOT, circle_findings, hal_findings, include_findings, link_findings,
                           room_findings)
from proof_support import GateProof

# Two boards, whatever their names.
BOARD, OTHER = (f"hal/boards/{board}" for board in BOARDS[:2])


class LayeringProof(GateProof):
    """Feeds the gate one edge at a time."""

    def judge(self, name, line):
        return include_findings(self.root, self.write(name, f"#pragma once\n{line}\n"))

    def test_accepts_arrows(self):
        for name, line in (
            ("runtime/core/a.h", '#include "runtime/core/b.h"'),
            ("runtime/core/a.h", "#include <cstdint>"),
            ("hal/devices/refdev/a.h", '#include "runtime/core/b.h"'),
            ("hal/crypto/a.h", '#include "runtime/trust/b.h"'),
            ("hal/devices/refdev/sim/a.h", '#include "hal/devices/refdev/b.h"'),
            ("hal/arch/riscv/a.h", '#include "runtime/core/b.h"'),
            ("hal/arch/riscv/a.cpp", '#include "hal/arch/b.h"'),
            ("hal/boards/common/a.h", '#include "hal/devices/refdev/b.h"'),
            ("hal/boards/common/a.cpp", '#include "hal/arch/b.h"'),
            (f"{BOARD}/a.cpp", '#include "hal/boards/common/b.h"'),
            (f"{BOARD}/a.cpp", '#include "hal/arch/riscv/b.h"'),
            (f"{BOARD}/tests/a.cpp", f'#include "{BOARD}/b.h"'),
            (f"{BOARD}/tests/a.cpp", '#include "tests/baremetal/b.h"'),
            ("docs/examples/board/a.cpp", '#include "hal/boards/common/b.h"'),
            ("tests/baremetal/a.cpp", f'#include "{BOARD}/b.h"'),
            ("runtime/image/a.cpp", '#include "trace_binary_generated.h"'),
            ("capture_host/cli/a.cpp", '#include "hal/host/b.h"'),
            ("capture_host/device/a.cpp", '#include "hal/registry/b.h"'),
            ("capture_host/cli/a.cpp", '#include "capture_host/capture/b.h"'),
            ("capture_host/capture/a.cpp", '#include "hal/devices/refdev/host/b.h"'),
            ("capture_host/tflite/operators/a.cpp", '#include "hal/devices/refdev/kernels/b.h"'),
            ("capture_host/host/program/a.cpp", '#include "capture_host/host/device/b.h"'),
            ("hal/devices/refdev/host/a.cpp", '#include "hal/devices/refdev/sim/b.h"'),
            ("hal/registry/a.cpp", '#include "hal/devices/refdev/host/b.h"'),
            ("hal/devices/refdev/host/a.h", '#include "hal/host/b.h"'),
            ("capture_host/binary/a.cpp", '#include "pianola_host/b.h"'),
            ("tests/sim/a.cpp", '#include "capture_host/capture/b.h"'),
            ("runtime/core/a.h", '// not #include "hal/devices/refdev/sim/b.h"'),
        ):
            with self.subTest(name=name, line=line):
                self.assertEqual(self.judge(name, line), [])

    def test_refuses_reverse_edges(self):
        for name, line in (
            ("runtime/core/a.h", '#include "hal/devices/refdev/b.h"'),
            ("runtime/trust/a.cpp", '#include "hal/crypto/b.h"'),
            ("hal/crypto/a.cpp", '#include "hal/boards/common/b.h"'),
            ("runtime/core/a.h", '  #  include "capture_host/b.h"'),
            ("runtime/core/a.h", "#include <hal/devices/refdev/b.h>"),
            ("hal/devices/refdev/a.h", '#include "hal/devices/refdev/sim/b.h"'),
            ("hal/devices/refdev/a.h", '#include "capture_host/b.h"'),
            ("hal/devices/refdev/sim/a.h", '#include "capture_host/b.h"'),
            ("runtime/core/a.h", '#include "hal/boards/common/b.h"'),
            ("hal/devices/refdev/a.h", '#include "hal/boards/common/b.h"'),
            ("hal/devices/refdev/a.h", '#include "hal/arch/b.h"'),
            ("hal/arch/riscv/a.h", '#include "hal/boards/common/b.h"'),
            ("hal/arch/a.h", '#include "hal/devices/refdev/b.h"'),
            ("hal/boards/common/a.h", f'#include "{BOARD}/b.h"'),
            ("hal/boards/common/a.h", '#include "hal/devices/refdev/sim/b.h"'),
            (f"{BOARD}/a.h", f'#include "{OTHER}/b.h"'),
            (f"{BOARD}/a.h", '#include "hal/devices/refdev/sim/b.h"'),
            (f"{BOARD}/a.h", '#include "tests/baremetal/b.h"'),
            (f"{BOARD}/a.h", f'#include "{BOARD}/tests/b.h"'),
            (f"{BOARD}/tests/a.h", f'#include "{OTHER}/b.h"'),
            ("docs/examples/board/a.cpp", f'#include "{BOARD}/b.h"'),
            ("capture_host/a.h", '#include "tests/b.h"'),
            # What is not lowering knows devices by their targets.
            ("capture_host/cli/a.cpp", '#include "hal/devices/refdev/b.h"'),
            ("capture_host/cli/a.cpp", '#include "hal/devices/refdev/host/b.h"'),
            ("capture_host/host/device/a.h", '#include "hal/devices/refdev/sim/b.h"'),
            ("capture_host/mutate/a.cpp", '#include "hal/devices/refdev/kernels/b.h"'),
            ("capture_host/host/capture/a.cpp", '#include "hal/devices/refdev/b.h"'),
            ("capture_host/capture/a.cpp", '#include "hal/devices/refdev/sim/b.h"'),
            ("hal/host/a.h", '#include "hal/devices/refdev/b.h"'),
            ("hal/host/a.h", '#include "hal/registry/b.h"'),
            ("runtime/a.h", '#include "pianola_host/b.h"'),
            ("capture_host/include/pianola_host/a.h", '#include "capture_host/base/b.h"'),
            ("hal/devices/refdev/a.h", '#include "hal/devices/refdev/host/b.h"'),
            ("hal/devices/refdev/host/a.h", '#include "hal/registry/b.h"'),
            ("hal/devices/refdev/host/a.h", '#include "capture_host/b.h"'),
            ("hal/devices/refdev/sim/a.h", '#include "hal/devices/refdev/host/b.h"'),
            ("runtime/a.h", '#include "tflite_subset_generated.h"'),
            ("hal/devices/refdev/a.h", '#include "trace_binary_generated.h"'),
            ("runtime/a.h", '/* why */ #include "hal/devices/refdev/b.h"'),
        ):
            with self.subTest(name=name, line=line):
                self.assert_finds(self.judge(name, line), "must not use")

    def test_refuses_what_it_cannot_judge(self):
        self.assert_finds(self.judge("runtime/a.h", "#include PIANOLA_HEADER"), "cannot be judged")
        self.assert_finds(self.judge("runtime/a.h", '#include "b.h"'), "from the project root")
        self.assert_finds(self.judge("runtime/a.h", '#include "../hal/b.h"'), "from the project root")
        self.assert_finds(self.judge("elsewhere/a.h", "#include <cstdint>"), "no layer")

    def circles(self, edges):
        """What is found where, for each edge, a file of the first folder includes one of the second."""
        names = [self.write(f"{begin}/{i}.h", f'#include "{end}/b.h"\n') for i, (begin, end) in enumerate(edges)]
        return circle_findings(self.root, names)

    def test_refuses_circles_of_folders(self):
        tree = [("capture_host/a", "capture_host/b"), ("capture_host/b", "capture_host/b/c"),
                ("capture_host/a", "pianola"), ("capture_host/a", "capture_host/b/c"),
                ("runtime/include/pianola", "runtime/core"), ("tests/a", "tests/b"), ("tests/b", "tests/a"),
                ("capture_host/b", "capture_host/b")]
        self.assertEqual(self.circles(tree), [])
        self.assert_finds(self.circles([*tree, ("capture_host/b/c", "capture_host/b")]), "comes back to capture_host/b")
        self.assert_finds(self.circles([*tree, ("capture_host/b/c", "capture_host/a")]), "part of a circle")
        self.assert_finds(self.circles([*tree, ("runtime/core", "pianola")]), "runtime/include/pianola")

    def rooms(self, table, edges):
        """What is found of rooms where, for each edge, a file of the first folder includes one of the second."""
        self.write("capture_host/README.md", "".join(f"| `{room}` | what it holds |\n" for room in table))
        names = [self.write(f"capture_host/{begin}/{i}.h", f'#include "{end}/b.h"\n')
                 for i, (begin, end) in enumerate(edges)]
        return room_findings(self.root, names)

    def test_judges_rooms(self):
        down = [("b", "capture_host/a"), ("c/d", "capture_host/b"), ("c", "capture_host/c/d"), ("a", "runtime/core")]
        self.assertEqual(self.rooms("abc", down), [])
        self.assert_finds(self.rooms("abc", [*down, ("a", "capture_host/c/d")]), "an arrow upwards, from a to c")
        self.assert_finds(self.rooms("ab", down), "c is not in the table")
        self.assert_finds(self.rooms("abcd", down), "d is no folder")
        many = [f"room{i:02}" for i in range(15)]
        pairs = [(end, f"capture_host/{begin}") for i, begin in enumerate(many) for end in many[i + 1:]]
        self.assert_finds(self.rooms(many, [*pairs, (many[0], "runtime/core")]), "15 rooms, 14 are admitted")
        self.assert_finds(self.rooms(many, [*pairs, (many[0], "runtime/core")]), "105 arrows between rooms")

    def test_judges_the_table_of_hal(self):
        table = (ROOT / HAL_PAGE).read_text(encoding="utf-8")

        def found(page, name="hal/crypto/a.h"):
            self.write(HAL_PAGE, page)
            return hal_findings(self.root, [self.write(name, "#pragma once\n")])

        crypto = next(line for line in table.splitlines(keepends=True) if line.startswith("| `crypto` |"))
        self.assertEqual(found(table), [])
        self.assert_finds(found(table.replace(crypto, "")), "hal/crypto is not in the table")
        self.assert_finds(found(table + crypto.replace("crypto", "radio")), "hal/radio is no folder")
        self.assert_finds(found(table, "hal/radio/a.h"), "hal/radio is not in the table")
        self.assert_finds(found(table.replace(crypto, crypto.replace("| |", "| `arch` |"))),
                          "hal/crypto may include hal/arch, which the gate refuses")
        self.assert_finds(found(table.replace(", `arch`, `boards/common` |", ", `boards/common` |")),
                          f"{BOARD} may include hal/arch, which the table leaves out")
        self.assert_finds(found(table.replace("`devices/*/host`", "`devices/refdev/host`")),
                          "hal/registry may include hal/devices/pl330/host, which the table leaves out")

    def test_judges_link_edges(self):
        good = ["core|runtime|", "sim|hal/devices/refdev/sim|core", "cli|capture_host/cli|core;fmt::fmt", "rules||"]
        self.assertEqual(link_findings(good), ([], 4))
        findings, _ = link_findings(["core|runtime|sim", "sim|hal/devices/refdev/sim|"])
        self.assert_finds(findings, "runtime must not link hal/devices/refdev/sim")
        good = [
            "arch|hal/arch/riscv|", "common|hal/boards/common|arch", f"board|{BOARD}|common;arch",
            "app|docs/examples|board"
        ]
        self.assertEqual(link_findings(good), ([], 4))
        findings, _ = link_findings(["arch|hal/arch/riscv|common", "common|hal/boards/common|board", f"board|{BOARD}|"])
        self.assert_finds(findings, "hal/arch must not link hal/boards/common")
        self.assert_finds(findings, f"hal/boards/common must not link {BOARD}")
        findings, _ = link_findings(["core|elsewhere|"])
        self.assert_finds(findings, "no layer")


if __name__ == "__main__":
    unittest.main()
