#!/usr/bin/env python3
"""Proof of the gate on the C API: what is new in C++, and what is wrong in C, is found."""
import pathlib
import re
import tempfile
import unittest

import c_api_gate as gate

ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSION, BESIDE, HEADER = ("".join((ROOT / name).read_text(encoding="utf-8") for name in names)
                           for names in ((gate.SESSION, ), gate.BESIDE, (gate.C_HEADER, )))


class Counterparts(unittest.TestCase):
    """On the real headers, and on damaged ones."""

    def findings(self, session=SESSION, beside=BESIDE, header=HEADER):
        """What the gate says of them."""
        return gate.missing(session, beside, header)[0]

    def test_enough_is_seen(self):
        functions = gate.public_functions(SESSION, BESIDE)
        self.assertGreaterEqual(len(functions), 36)
        for known in (("submit", 0), ("submit", 2), ("self_test", 2), ("past_fault", 1), ("validate", 8)):
            self.assertIn(known, functions)

    def test_a_new_method_is_a_finding(self):
        line = "    Status poll() noexcept;\n"
        for new in ("    Status repeat() noexcept;\n", "    [[nodiscard]] bool is_idle_now() const noexcept {}\n",
                    "    Status poll(Span<const ByteSpan> inputs) noexcept;\n"):
            with self.subTest(new=new):
                self.assertIn(line, SESSION)
                found = self.findings(session=SESSION.replace(line, line + new))
                # A second poll() has a counterpart of its name; a new name has none.
                self.assertEqual(len(found), 0 if "poll" in new else 1, found)

    def test_a_counterpart_that_is_lost_is_a_finding(self):
        for name in ("pnl_session_scrub", "pnl_session_submit_views", "pnl_validate", "PNL_LOAD_STACK_BYTES"):
            with self.subTest(name=name):
                self.assertEqual(len(self.findings(header=re.sub(rf"\b{name}\b", "gone", HEADER))), 1)

    def test_a_method_that_is_gone_is_a_finding(self):
        gone = SESSION.replace("Status self_test(MutableByteSpan scratch) noexcept;", "")
        self.assertNotEqual(gone, SESSION)
        self.assertEqual(len(self.findings(session=gone)), 1)


class Constants(unittest.TestCase):
    """What a port in C has to know."""

    HEADERS = "inline constexpr std::uint32_t kMaxSlots = 4U;\ninline constexpr std::uint32_t kOther = 4U;\n"

    def test_a_constant_without_its_macro_is_a_finding(self):
        kit = "kMaxSlots " + " ".join(gate.NOT_FOR_PORTS)
        headers = self.HEADERS + "".join(f"inline constexpr std::uint32_t {name} = 1U;\n"
                                         for name in gate.NOT_FOR_PORTS)
        found, count = gate.constants_missing(headers, kit, "")
        self.assertEqual((len(found), count), (1, 1 + len(gate.NOT_FOR_PORTS)))
        self.assertIn("kMaxSlots", found[0])
        twins = "static_assert(PNL_MAX_SLOTS == kMaxSlots);"
        self.assertEqual(gate.constants_missing(headers, kit, twins)[0], [])

    def test_an_exception_that_nothing_needs_is_a_finding(self):
        found = gate.constants_missing(self.HEADERS, "", "")[0]
        self.assertEqual(len(found), len(gate.NOT_FOR_PORTS))


class Misra(unittest.TestCase):
    """On small sources."""

    def test_a_violation_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "bad.c"
            source.write_text("extern int f(int a);\nint f(int a) { if (a > 1) { goto end; }\nend:\n return 010; }\n")
            rules = {rule for _, _, rule in gate.misra(ROOT, [source], folder)}
        self.assertTrue({"15.1", "7.1"} <= rules, rules)

    def test_rules_without_a_row_and_rows_without_a_finding(self):
        found = {("a.c", 1, "15.5"), ("a.c", 2, "8.9")}
        self.assertEqual(gate.judge_misra(found, {"15.5", "8.9"}), [])
        self.assertEqual(len(gate.judge_misra(found, {"8.9"})), 1)
        self.assertEqual(len(gate.judge_misra(found, {"8.9", "15.5", "11.5"})), 1)


if __name__ == "__main__":
    unittest.main()
