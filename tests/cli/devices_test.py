#!/usr/bin/env python3
"""pianola devices, and run on what it lists: outputs as the simulator's; a machine without a driver says so."""
import json
import os

import cli_support
from cli_support import DONE


class Devices(cli_support.CliTest):
    """What is listed can be replayed on."""

    def listed(self):
        """The list as JSON."""
        return json.loads(self.run_pianola("devices", "--json", code=DONE).stdout)["devices"]

    def test_text_and_json_name_the_same(self):
        names = [line.split()[0] for line in self.run_pianola("devices", code=DONE).stdout.splitlines()]
        self.assertIn("simulator", names)
        self.assertEqual([name for name in names if name != "vulkan"], [entry["device"] for entry in self.listed()])

    def test_what_is_listed_gives_the_simulators_outputs(self):
        binary = self.capture("hello_world_int8")
        source = self.model("hello_world_int8").parent / "input_0_0.bin"
        outputs = {}
        for entry in self.listed():
            if entry.get("missing"):
                continue
            words = [] if entry["device"] == "simulator" else ["--device", entry["device"]]
            output = self.folder / "output.bin"
            self.run_pianola("run", binary, "--input", source, "--output", output, *words, code=DONE)
            outputs[entry["device"]] = output.read_bytes()
            output.unlink()
        self.assertIn("simulator", outputs)
        self.assertEqual(set(outputs.values()), {outputs["simulator"]}, outputs)

    def test_without_a_driver_it_says_so(self):
        binary = self.capture("hello_world_int8")
        os.environ["VK_ICD_FILENAMES"] = str(self.folder / "no_driver.json")
        try:
            text = self.run_pianola("devices", code=DONE).stdout
            refused = self.run_pianola("run", binary, "--device", "vulkan:0", code=None)
        finally:
            del os.environ["VK_ICD_FILENAMES"]
        self.assertRegex(text, r"(?m)^vulkan +none: \S")
        self.assertNotIn("vulkan:0", text)
        self.assertEqual(refused.returncode, cli_support.USAGE)
        self.assertIn("vulkan", refused.stderr)


if __name__ == "__main__":
    cli_support.main()
