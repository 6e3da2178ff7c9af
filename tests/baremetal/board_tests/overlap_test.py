#!/usr/bin/env python3
"""Between submit() and the result the ECU core works on something else, while the device gets on: on boards whose
device has cores."""
import baremetal_support as support


class Overlap(support.BareMetalTest):
    """Counted work beside one inference, under counted instructions and on the host's clock."""

    def overlap(self, icount):
        """What the board reports of one inference."""
        model = self.model("kws_ref_model")
        words = ["overlap", model.file, self.write("input", model.records(1)), *(["yield"] if icount else [])]
        values = support.Run(*words, icount=icount).require().values
        print({name: values[name] for name in ("device_cores", "work", "device_rises", "polls")})
        self.assertEqual(values["work_is_right"], 1)
        self.assertEqual(values["device_cores"], support.board().device_cores)
        if values["device_cores"] == 0:
            self.assertEqual(values["work"], 0)
        else:
            self.assertGreater(values["work"], 0)
            self.assertGreater(values["device_rises"], 0, "the device stood still while the ECU core worked")

    def test_with_counted_instructions(self):
        self.overlap(icount=True)

    def test_in_parallel(self):
        self.overlap(icount=False)


if __name__ == "__main__":
    support.parse()
    support.main()
