#!/usr/bin/env python3
"""The C API on a board: an application in C replays the board's sample, refuses a damaged copy, and reports a device
that does not answer any more; and what the API costs.

docs/examples/c is the application. Its port is C++ behind tables of C functions, so that every adapter is used.
"""
import json
import pathlib
import re

import baremetal_support as support
import board_facts
import link_map

IMAGE = "pianola_example_c"
LIBRARY = re.compile(r"libpianola_c\.a\(")
# What only a port in C brings into an image: one whose port is C++ has none of it.
PORT = re.compile(r"c_api(7CDevice|11CCommandSet|9CVerifier|13CDigestEngine)"
                  r"|pnl_(device|command_set|verifier|digest_engine)_init|pnl_extents_add")
LIMITS = json.loads((pathlib.Path(__file__).resolve().parents[1] / "thresholds.json").read_text(encoding="utf-8"))


def bytes_of_api(path):
    """(bytes of the API itself, bytes of a port in C) in an image: text and constants."""
    api, port = 0, 0
    for piece in link_map.read(path).pieces:
        if LIBRARY.search(piece.origin) and piece.output in (".text", ".rodata"):
            if PORT.search(piece.name):
                port += piece.size_bytes
            else:
                api += piece.size_bytes
    return api, port


class CApi(support.BareMetalTest):
    """Scenarios of docs/examples/c/app.h."""

    def scenario(self, name, code=0):
        """Runs one and returns what it printed."""
        run = support.run_board.run(support.OPTIONS.board, support.OPTIONS.image, [name], icount=True)
        self.assertEqual(run.returncode, code, run.output)
        return run.output

    def test_replays_give_the_bytes_of_the_capture(self):
        self.assertEqual(self.scenario("replay"), "8 results, 0 wrong\n")

    def test_a_damaged_binary_is_refused_and_reported(self):
        self.assertEqual(self.scenario("corrupted"), "Det error: module 255, service 0, error 20\n"
                         "refused: ENV-DIGEST\n")

    def test_a_device_that_does_not_answer_is_a_runtime_error(self):
        self.assertEqual(self.scenario("stuck"), "safe state, fault in stage 6\n"
                         "Det runtime error: module 255, service 1, error 48\n")

    def test_wrong_calls_are_reported_and_do_nothing(self):
        self.assertEqual(len(self.scenario("misused").splitlines()), 4)

    def test_what_is_no_scenario_fails(self):
        self.scenario("nothing", code=3)

    def test_it_is_small(self):
        api, port = bytes_of_api(board_facts.image("Os", IMAGE))
        print(f"C API: {api} bytes of text and constants at -Os; a port in C: {port} more")
        self.assertGreater(min(api, port), 0)
        self.assertLessEqual(api, LIMITS["sizes"]["c_api_text_and_rodata_at_Os"])
        self.assertLessEqual(port, LIMITS["sizes"]["c_port_text_and_rodata_at_Os"])

    def test_who_does_not_use_it_has_nothing_of_it(self):
        for path in board_facts.images():
            if path.stem != IMAGE:
                with self.subTest(image=path.name):
                    self.assertEqual(bytes_of_api(path), (0, 0))


if __name__ == "__main__":
    support.parse()
    support.main()
