#!/usr/bin/env python3
"""The core's own variant of the quantised layers' inner loops equals the plain formulas: random geometries,
multipliers, shifts, clamps, packed weights, and sums that are exact halves on purpose. Outputs over the input, as far
as kernels accept it, equal those with operands apart."""
import baremetal_support as support

ROUNDS = 150


class Kernels(support.BareMetalTest):
    """All comparisons are the board's."""

    def test_every_element_is_the_formulas(self):
        values = support.Run("kernels", ROUNDS, extra=support.board().ecu_as_device).require().values
        self.assertEqual(values["differences"], 0)
        self.assertEqual(values["over_differences"], 0)
        self.assertGreater(values["over"], ROUNDS)
        self.assertGreater(20 * values["nearer_differences"], values["over"], "kernels accept too little")
        self.assertGreater(values["elements"], 300 * ROUNDS)
        self.assertGreater(values["packed"], 3 * ROUNDS, "fewer launches with packed weights than one layout has")
        self.assertGreater(values["ties"], 5 * ROUNDS, "hardly an exact half: a wrong rounding would not be seen")


if __name__ == "__main__":
    support.parse()
    support.main()
