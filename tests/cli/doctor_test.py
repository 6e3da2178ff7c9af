#!/usr/bin/env python3
"""pianola doctor: what it says, and that its self-test is one."""
import json

import cli_support


class Doctor(cli_support.CliTest):
    """A build that works."""

    def test_what_it_says(self):
        shown = json.loads(self.run_pianola("doctor", "--json").stdout)
        self.assertIs(shown["healthy"], True)
        self.assertEqual(shown["self_test"], {"passed": True, "vectors": 4, "wrong": ""})
        version = self.run_pianola("--version").stdout.split()[1]
        self.assertEqual(shown["build"]["version"], version)
        self.assertIn("simulator", [each["device"] for each in shown["devices"]])
        self.assertEqual(shown["devices"], json.loads(self.run_pianola("devices", "--json").stdout)["devices"])
        self.assertEqual([each["profile"] for each in shown["limits"]["profiles"]], ["small_ecu", "default", "host"])
        features = shown["features"]
        no_vulkan = features["no_vulkan"] or ""
        self.assertIs(features["vulkan"], "this build has no Vulkan device" not in no_vulkan)
        text = self.run_pianola("doctor").stdout
        self.assertIn(f"Vulkan      {'built' if features['vulkan'] else 'not built'}\n", text)
        for word in (f"pianola {version}", "features", "devices", "limits", "self-test", "replayed 4 vectors",
                     "a damaged binary was refused"):
            self.assertIn(word, text)


if __name__ == "__main__":
    cli_support.main(needs_models=False)
