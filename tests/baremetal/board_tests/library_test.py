#!/usr/bin/env python3
"""What images of this board link of the C library, of the compiler's own and of assembly equals plain loops: copies,
moves, fills, comparisons and texts at every alignment, divisions of 64 bits, sums of slices. What
docs/safety/components.toml says rests on this test."""
import baremetal_support as support


class Library(support.BareMetalTest):
    """All comparisons are the board's. tests/library shows on the host that each of them can fail."""

    def test_every_call_is_as_its_loop(self):
        values = support.Run("library").require().values
        print(f"{values['calls']} calls")
        self.assertEqual(values["differences"], 0)
        self.assertEqual(values["different_sums"], 0)
        self.assertGreater(values["calls"], 50_000)


if __name__ == "__main__":
    support.parse()
    support.main()
