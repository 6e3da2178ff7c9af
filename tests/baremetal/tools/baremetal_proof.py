#!/usr/bin/env python3
"""Proof that the measurements of a board's build can fail: no image and no emulator is needed for it."""
import contextlib
import io
import re
import unittest

import baremetal_support as support
import board_facts
import costs_page
import dsp_instructions
import fit_costs
import instruction_counts
import link_map

MAP = """Discarded input sections

 .text.gone     0x00000000       0x98 runtime/Release/libpianola_runtime.a(session.cpp.obj)

Linker script and memory map

.text           0x80000000      0x100
                0x80000000                        __text_start = .
 *(.vectors)
 .start         0x80000000       0x20 hal/boards/a_board/CMakeFiles/pianola_board.dir/Release/start.S.obj
 .text._ZN7pianola7Session4loadEv
                0x80000020       0x80 runtime/Release/libpianola_runtime.a(session.cpp.obj)
                0x80000020                pianola::Session::load()
 *fill*         0x800000a0       0x10
 .text.memset   0x800000b0       0x50 /usr/lib/libc.a(memset.o)

.rodata         0x80000100       0x20
 .rodata.str1.4
                0x80000100       0x40 runtime/Release/libpianola_runtime.a(verdict.cpp.obj)
                                 0x46 (size before relaxing)
 .rodata.str1.4
                0x80000110       0x10 hal/devices/refdev/Release/libpianola_refdev.a(device_core.cpp.obj)
"""


class BaremetalProof(unittest.TestCase):
    """Good and bad examples for each reader."""

    def test_a_map_is_read_piece_by_piece(self):
        linked = link_map.parse(MAP)
        self.assertEqual(linked.sections[".text"], (0x80000000, 0x100))
        self.assertEqual([(piece.layer, piece.size_bytes) for piece in linked.inside(".text")],
                         [("board", 0x20), ("session", 0x80), ("toolchain", 0x50)])
        self.assertEqual([(piece.layer, piece.size_bytes) for piece in linked.inside(".rodata")],
                         [("validator", 0x10), ("device side", 0x10)])

    def test_an_object_of_no_layer_is_refused(self):
        stranger = link_map.Piece(".text", ".text", 0, 4, "somewhere/else.o")
        with self.assertRaisesRegex(ValueError, "of no layer"):
            print(stranger.layer)

    def test_what_a_signature_needs_is_a_layer(self):
        for origin in ("hal/crypto/Release/libpianola_bearssl.a(i31_add.c.obj)",
                       "hal/crypto/Release/libpianola_crypto.a(bearssl_verifier.cpp.obj)"):
            self.assertEqual(link_map.Piece(".text", ".text.f", 0, 4, origin).layer, "signatures")

    def test_a_heap_is_seen(self):
        for name in ("malloc", "free", "_sbrk", "sbrk", "_malloc_r", "__malloc_free_list", "operator new(unsigned int)",
                     "operator delete(void*)"):
            self.assertEqual(board_facts.heap_names(["memcpy", name]), [name])
        self.assertEqual(board_facts.heap_names(["pianola::Session::load", "free_", "memset"]), [])

    def test_loops_that_the_core_counts_are_seen(self):
        listing = """
10000010 <f>:
10000010:\tdls\tlr, r3
10000014:\tdlstp.8\tlr, r3
10000018:\tit\tle
1000001a:\tble.n\t10000010 <f>
1000001c:\tle\tlr, 10000010 <f>
10000020:\tletp\tlr, 10000010 <f>
"""
        self.assertEqual(board_facts.counted_loops(listing), [0x10000010, 0x10000014, 0x1000001c, 0x10000020])

    def dsp_findings(self, listing, shared=()):
        """What is said of a listing where the session's object alone may have instructions of the DSP extension."""
        pieces = link_map.parse(MAP).inside(".text")
        findings, found = dsp_instructions.judge(listing, pieces, shared, re.compile(r"\(session\."))
        return findings, [piece.layer for piece in found]

    def test_instructions_of_the_dsp_extension_are_where_they_may_be(self):
        allowed = "80000020 <f>:\n80000020:\tsmlad\tr0, r1, r2, r0\n80000024:\tpkhbtne\tr0, r1, r2, lsl #16\n"
        self.assertEqual(self.dsp_findings(allowed), ([], ["session"]))
        plain = "".join(f"800000b0:\t{name}\tr0, r1, r2, r3\n" for name in ("smlal", "mla", "ssat", "sxtb.w", "sub"))
        self.assertEqual(self.dsp_findings(plain), ([], []))
        elsewhere = "800000b4:\tuxtab.w\tr0, r1, r2\n"
        self.assertEqual(self.dsp_findings(allowed + elsewhere),
                         (["/usr/lib/libc.a(memset.o): .text.memset: uxtab"], ["session", "toolchain"]))
        nowhere = "800000a4:\tsel\tr0, r1, r2\n"
        self.assertEqual(self.dsp_findings(nowhere), (["0x800000a4: sel in no piece of the map"], []))

    def test_a_function_that_other_objects_may_define_has_none(self):
        (finding, ), _ = self.dsp_findings("80000060:\tsxtab16\tr0, r1, r2\n", shared={0x80000020})
        self.assertIn("sxtab16 in a function that other objects may define", finding)

    def test_counts_go_to_pieces_and_callers(self):
        pieces = sorted(link_map.parse(MAP).inside(".text"), key=lambda piece: piece.address)
        text = "section 0 30\nrange 1 10\nrange 2 20\ncalled 1 20\nsection 1 4\nrange 1 4\n"
        first, second = instruction_counts.read_result(text, pieces)
        self.assertEqual((first.total, first.of_layer("session"), first.in_toolchain), (30, 30, 20))
        both = instruction_counts.merged([first, second])
        self.assertEqual((both.total, both.of_layer("session")), (34, 34))

    def test_bounds_outside_of_the_limits_are_found(self):
        def found(kernel, count, bound):
            return len(fit_costs.outside([{"kernel": kernel, "instructions": count, "bound": bound, "words": [],
                                           "data": ""}]))

        for kernel, most in (("softmax", fit_costs.LARGEST), ("add", fit_costs.LARGER["add"][0])):
            largest = int(most * 1000) + fit_costs.LEAST_INSTRUCTIONS
            self.assertEqual([found(kernel, 1000, bound) for bound in (999, 1000, largest, largest + 1)], [1, 0, 0, 1])

    def test_a_cost_model_that_was_not_counted_is_seen(self):
        self.assertIsNotNone(costs_page.page())
        original = costs_page.tables
        self.addCleanup(lambda: setattr(costs_page, "tables", original))
        costs_page.tables = lambda model: original(model) if model != "cortex-m55.mve" else "other"
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertIsNone(costs_page.page())
        self.assertRegex(said.getvalue(), "costs of .+ have changed")

    def test_markers_that_do_not_alternate_are_refused(self):
        with self.assertRaisesRegex(RuntimeError, "did not alternate"):
            instruction_counts.read_result("confused\nsection 0 30\n", [])

    def test_a_section_of_unknown_kind_is_refused(self):
        original = link_map.read, board_facts.image
        self.addCleanup(lambda: setattr(link_map, "read", original[0]))
        self.addCleanup(lambda: setattr(board_facts, "image", original[1]))
        board_facts.image = lambda configuration, name: None
        link_map.read = lambda image: link_map.parse(MAP.replace(".rodata ", ".strange"))
        with self.assertRaisesRegex(RuntimeError, "unknown kind"):
            board_facts.sizes("Os")

    def test_a_run_reports_names_and_values(self):
        values = support.values_of("records=3\nrule=ENV-DIGEST\nnoise\nwatchdog=0\n")
        self.assertEqual(values, {"records": 3, "rule": "ENV-DIGEST", "watchdog": 0})


if __name__ == "__main__":
    unittest.main(verbosity=2)
