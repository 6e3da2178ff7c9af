#!/usr/bin/env python3
"""Sets of devices that there can not be, in the runtime of a board: every call is refused, and no device is touched."""
import baremetal_support as support


class DeviceSet(support.BareMetalTest):
    """An empty set, one without a device, one that is too large, one of another shape."""

    def test_they_are_refused(self):
        values = support.Run("device_set", self.model(support.SAMPLE).file).require().values
        self.assertEqual((values["refused"], values["safe_state_entries"], values["one_works"]), (4, 0, 1))


if __name__ == "__main__":
    support.parse()
    support.main()
