#!/usr/bin/env python3
"""pianola size: the numbers agree with the binary and with each other, and the forms for targets build."""
import json
import re
import shutil
import subprocess
import unittest

import cli_support
from cli_support import FILE_TROUBLE, OPTIONS, REFUSED, USAGE

GRANULE = 64
# Words of each command in a ring (docs/reference/device.md).
TRANSFER, REPLAY, EVENT, NOTIFY = 5, 3, 3, 2
CROSS_COMPILER = "arm-none-eabi-g++"
# All have 32-bit pointers, and the sizes must be the same on each.
CORES = (("-mcpu=cortex-m33", "-mthumb"), ("-mcpu=cortex-r5", ), ("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard",
                                                                  "-mfpu=fpv5-d16"), ("-mcpu=cortex-m55", "-mthumb",
                                                                                      "-mfloat-abi=hard"))
LINKER_SCRIPT = """
INCLUDE memory.ld
SECTIONS {
  .text 0x1000 : { *(.text*) }
  .device_dram 0x20000 (NOLOAD) : ALIGN(PIANOLA_ALIGNMENT_BYTES)
  { dram_start = .; . += PIANOLA_DEVICE_DRAM_BYTES; dram_end = .; }
  .device_l1 (NOLOAD) : ALIGN(PIANOLA_ALIGNMENT_BYTES) { l1_start = .; . += PIANOLA_DEVICE_L1_BYTES; l1_end = .; }
  ASSERT(PIANOLA_SLOT0_FLASH_BYTES > PIANOLA_SLOT0_INPUT_BYTES, "no")
}
"""


class Size(cli_support.CliTest):
    """The memory manifest."""

    def manifest(self, binary, *arguments):
        """As JSON."""
        return json.loads(self.run_pianola("size", binary, "--json", *arguments).stdout)

    def test_json_has_stable_keys(self):
        shown = self.manifest(self.make_sample())
        self.assertEqual(sorted(shown), [
            "activations", "device", "file", "flash", "inputs", "outputs", "ram", "regions", "rings",
            "schema_version", "stack", "symbol", "time", "totals", "verified_release", "views", "windows"
        ])
        self.assertEqual((shown["file"], shown["symbol"]), ("road_signs.ptb", "road_signs"))
        self.assertEqual(sorted(shown["ram"]), [
            "device_core_bytes", "driver_bytes", "plan_workspace_bytes", "session_bytes", "shared_state_bytes",
            "verdict_bytes"
        ])
        self.assertEqual(shown["stack"], {"submit_poll_bytes": 2048, "load_bytes": 4096})

    def test_totals_are_sums_of_what_is_shown(self):
        shown = self.manifest(self.make_sample())
        self.assertEqual(shown["totals"], {
            "flash_bytes": sum(segment["bytes"] for segment in shown["flash"]["segments"]),
            "ram_bytes": sum(shown["ram"].values()) + max(shown["stack"].values()),
            "device_bytes": shown["device"]["dram_used_bytes"] + shown["device"]["l1_used_bytes"]})
        text = self.run_pianola("size", "road_signs.ptb").stdout
        for name, member in (("flash", "flash_bytes"), ("RAM", "ram_bytes"), ("device memory", "device_bytes")):
            self.assertRegex(text, rf"(?ms)^totals$.*^  {name} +{shown['totals'][member]} bytes")

    def test_times_say_whose_cycles_they_are(self):
        binary = self.make_sample()
        shown = self.manifest(binary)["device"]
        self.assertEqual((shown["cost_model"], shown["cost_model_name"]), (1, "virtual"))
        self.assertRegex(self.run_pianola("size", binary).stdout, r"device cycles, [0-9.]+ us \(virtual, exact\);")
        target = json.loads(self.run_pianola("inspect", binary, "--json").stdout)["target"]
        self.assertEqual((target["cost_model"], target["cost_model_name"]), (1, "virtual"))
        self.assertIn("us of each step; virtual, exact\n", self.run_pianola("perf", binary).stdout)
        self.assertIn("Device times: virtual, exact.\n", self.run_pianola("timeline", binary).stdout)
        for command in ("perf", "timeline"):
            of_command = json.loads(self.run_pianola(command, binary, "--json").stdout)
            self.assertEqual((of_command["costs"], of_command["cost_model_name"]), ("exact", "virtual"), command)

    def test_times_of_a_core_are_bounds(self):
        binary = self.make_sample("--cost-model", "cortex-m7.dsp", "--core-mhz", "480", "--cycles-per-instruction", "1")
        shown = self.manifest(binary)["device"]
        self.assertEqual((shown["costs"], shown["cost_model_name"]), ("upper_bound", "cortex-m7.dsp"))
        self.assertRegex(self.run_pianola("size", binary).stdout,
                         r"device cycles, [0-9.]+ us \(bound for cortex-m7\.dsp\);")
        for command in ("inspect", "perf", "timeline"):
            self.assertIn("bound for cortex-m7.dsp", self.run_pianola(command, binary).stdout, command)

    def test_the_release_is_not_said_to_be_in_time(self):
        binary = self.make_sample()
        calls = self.manifest(binary)["verified_release"]["calls"]
        self.assertRegex(self.run_pianola("size", binary).stdout,
                         rf"(?m)^  release +{calls} calls of poll\(\), where results are verified; they must fit into "
                         r"the deadline$")

    def test_flash_is_the_file_and_its_segments_add_up(self):
        binary = self.make_sample("--self-test", "3")
        flash = self.manifest(binary)["flash"]
        self.assertEqual(flash["bytes"], binary.stat().st_size)
        self.assertEqual(sum(segment["bytes"] for segment in flash["segments"]), flash["bytes"])
        names = [segment["name"] for segment in flash["segments"]]
        self.assertEqual(names, ["header", "manifest", "weights", "traces", "self_tests", "padding"])

    def test_memory_is_what_inspect_shows(self):
        binary = self.make_sample("--queues", "2")
        shown = self.manifest(binary)
        inspected = json.loads(self.run_pianola("inspect", binary, "--json").stdout)
        self.assertEqual([{key: region[key]
                           for key in ("name", "kind", "memory", "base", "bytes")} for region in shown["regions"]],
                         [{key: region[key]
                           for key in ("name", "kind", "memory", "base", "bytes")} for region in inspected["regions"]])
        device = shown["device"]
        words = inspected["traces"][0]["words"]
        self.assertEqual(device["trace_region_used_bytes"], 4 * words)
        promises = {key: device[key] for key in ("attestation", "costs", "profile", "weights_layout")}
        self.assertEqual(promises,
                         {"attestation": "digest", "costs": "exact", "profile": "default", "weights_layout": 1})
        self.assertEqual({key: inspected["target"][key] for key in promises}, promises)
        for text in (self.run_pianola("size", binary).stdout, self.run_pianola("inspect", binary).stdout):
            self.assertRegex(
                text, r"(?m)^  attests +digest and count of what it has executed\n"
                r"  costs +virtual, exact\n  profile +default\n  weights layout +1$")
        dram = [region for region in shown["regions"] if region["memory"] == "DRAM" and region["kind"] != "trace"]
        self.assertEqual(device["dram_used_bytes"], sum(region["bytes"] for region in dram) + 4 * words)
        self.assertEqual(device["l1_used_bytes"],
                         sum(region["bytes"] for region in shown["regions"] if region["memory"] == "L1"))
        self.assertEqual([tensor["bytes"] for tensor in shown["inputs"]],
                         [tensor["bytes"] for tensor in inspected["inputs"]])
        self.assertEqual([tensor["bytes"] for tensor in shown["outputs"]],
                         [tensor["bytes"] for tensor in inspected["outputs"]])
        self.assertEqual(shown["time"], {key: inspected["budgets"][key] for key in shown["time"]})
        # Every constant begins a slice of its own: weights of each layer, and the trace.
        release = shown["verified_release"]
        constants = sum(part["bytes"] for part in shown["flash"]["segments"] if part["name"] == "weights") + 4 * words
        self.assertGreaterEqual(release["calls"] * release["bytes_per_call"], constants)
        self.assertLess((release["calls"] - len(inspected["buffers"])) * release["bytes_per_call"], constants)
        self.assertEqual(shown["views"], inspected["views"])
        self.assertEqual(shown["views"], {"possible": True, "why_not": ""})

    def test_the_peak_of_activations_is_that_of_an_operator(self):
        sample = self.make_sample()
        shown = self.manifest(sample)
        region_bytes = sum(region["bytes"] for region in shown["regions"] if region["kind"] == "activation")
        peak = shown["activations"]
        self.assertLess(region_bytes - peak["peak_bytes"], 2 * 64, "sizes are rounded up to lines")
        self.assertLessEqual(peak["peak_bytes"], region_bytes)
        self.assertIn(peak["peak_at"], self.run_pianola("inspect", sample).stdout)

    def test_why_there_are_no_views_is_said(self):
        binary = self.make_sample("--queues", "2", "--pipelined")
        self.assertEqual(self.manifest(binary)["views"], {"possible": False, "why_not": "steps overlap"})
        for command in ("size", "inspect"):
            self.assertRegex(self.run_pianola(command, binary).stdout, "views +not possible: steps overlap\n")

    def test_regions_have_the_permissions_of_their_kind(self):
        granted = {
            "weights": {"kernels_read", "queues_write"}, "input": {"kernels_read", "queues_write"},
            "output": {"kernels_read", "kernels_write", "queues_read"}, "activation": {"kernels_read", "kernels_write"},
            "trace": {"queues_write", "fetch"}
        }
        regions = self.manifest(self.make_sample())["regions"]
        self.assertEqual({region["kind"] for region in regions}, set(granted))
        for region in regions:
            self.assertEqual({name for name, value in region.items() if value is True}, granted[region["kind"]])

    def test_rings_hold_what_the_scripts_take(self):
        rings = self.manifest(self.make_sample())["rings"]
        setup = 2 * TRANSFER + NOTIFY  # weights and trace
        self.assertEqual(rings, {"capacity_words": 512, "queues": [
            {"setup_words": setup, "step_words": 2 * TRANSFER + REPLAY + NOTIFY}, {"setup_words": 0, "step_words": 0}]})
        rings = self.manifest(self.make_sample("--queues", "2"))["rings"]
        self.assertEqual(rings["queues"], [{"setup_words": setup, "step_words": REPLAY + 2 * EVENT + NOTIFY},
                                           {"setup_words": 0, "step_words": 2 * TRANSFER + 2 * EVENT + NOTIFY}])

    def test_windows_hold_the_regions_and_are_what_units_take(self):
        shown = self.manifest(self.make_sample())
        windows = {window["name"]: window for window in shown["windows"]}
        self.assertEqual(list(windows), ["Flash", "Session", "Dram", "L1", "Trace"])
        for window in windows.values():
            self.assertEqual((window["offset"] % GRANULE, window["bytes"] % GRANULE), (0, 0))
            size, offset = window["pow2_bytes"], window["pow2_offset"]
            self.assertEqual((size & (size - 1), offset % size), (0, 0))
            self.assertLessEqual(offset, window["offset"])
            self.assertGreaterEqual(offset + size, window["offset"] + window["bytes"])
        self.assertGreaterEqual(windows["Flash"]["bytes"], shown["flash"]["bytes"])
        self.assertEqual(windows["Flash"]["access"], "read")
        self.assertGreaterEqual(windows["Session"]["bytes"], shown["ram"]["session_bytes"])
        device = shown["device"]
        for region in shown["regions"]:
            window = windows["Trace" if region["kind"] == "trace" else {"DRAM": "Dram", "L1": "L1"}[region["memory"]]]
            offset = region["base"] - device["dram_base" if region["memory"] == "DRAM" else "l1_base"]
            self.assertLessEqual(window["offset"], offset)
            self.assertGreaterEqual(window["offset"] + window["bytes"], offset + region["bytes"])

    def test_a_memory_that_is_not_used_has_an_empty_window(self):
        spec = self.write("d.json", {"l1_bytes": 64, "grid_columns": 1, "grid_rows": 1})
        shown = self.manifest(self.make_sample("--device", spec), "--device", spec)
        self.assertEqual(shown["device"]["l1_used_bytes"], 0)
        self.assertEqual(
            shown["windows"][3], {
                "name": "L1", "memory": "device_l1", "access": "read and write", "offset": 0, "bytes": 0,
                "pow2_offset": 0, "pow2_bytes": 0
            })
        self.assertIn("kL1WindowBytes = 0U;",
                      self.run_pianola("size", "road_signs.ptb", "--header", "--device", spec).stdout)

    def test_another_device(self):
        spec = self.write("d.json",
                          {"dram_bytes": 2097152, "l1_bytes": 131072, "trace_region_bytes": 16384, "queue_count": 1})
        shown = self.manifest(self.make_sample("--device", spec), "--device", spec)
        self.assertEqual((shown["device"]["dram_bytes"], shown["device"]["l1_bytes"], len(shown["rings"]["queues"])),
                         (2097152, 131072, 1))
        self.assertEqual(shown["windows"][-1]["offset"], 2097152 - 16384)

    def test_text_says_the_same(self):
        binary = self.make_sample()
        shown = self.manifest(binary)
        text = self.run_pianola("size", binary).stdout
        for number in (shown["flash"]["bytes"], shown["ram"]["session_bytes"], shown["device"]["dram_used_bytes"],
                       shown["device"]["l1_used_bytes"], shown["time"]["step_cycles"], 2048, 4096):
            self.assertRegex(text, rf"\b{number}\b")
        for word in ("flash", "RAM", "device memory", "one step", "protection windows", "kernels read"):
            self.assertIn(word, text)

    def test_every_form_can_go_to_a_file_and_repeats(self):
        binary = self.make_sample()
        for form in ((), ("--json",), ("--header",), ("--ld",)):
            printed = self.run_pianola("size", binary, *form).stdout
            self.assertEqual(self.run_pianola("size", binary, *form, "-o", "out").stdout, "")
            self.assertEqual((self.folder / "out").read_text(encoding="utf-8"), printed)
            self.assertNotIn(str(self.folder), printed)
            self.assertLessEqual(max(map(len, printed.splitlines())), 120)

    def compile_header(self, compiler, *flags):
        """Whether the header in this case's folder compiles."""
        self.write(
            "use.cpp", '#include "manifest.h"\n'
            "static_assert(pianola::manifest::slot0::kDeviceSpec.dram_bytes == "
            "pianola::refdev::DeviceSpec{}.dram_bytes);\n"
        )
        run = subprocess.run([
            compiler, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
            "-DPIANOLA_PROFILE=kDefault", *flags, "-I", OPTIONS.source, "-I", f"{OPTIONS.source}/runtime/include", "-I",
            self.folder, "use.cpp"
        ], cwd=self.folder, capture_output=True, text=True, check=False)
        return run.returncode == 0, run.stderr

    def test_the_header_compiles_on_the_host(self):
        compiler = shutil.which("g++") or shutil.which("c++")
        if compiler is None:
            self.skipTest("no C++ compiler")
        self.run_pianola("size", self.make_sample(), "--header", "--symbol", "slot0", "-o", "manifest.h")
        compiled, messages = self.compile_header(compiler)
        self.assertTrue(compiled, messages)

    @unittest.skipIf(shutil.which(CROSS_COMPILER) is None, f"no {CROSS_COMPILER}")
    def test_the_header_is_true_on_every_core_and_does_not_compile_where_it_is_not(self):
        self.run_pianola("size", self.make_sample(), "--header", "--symbol", "slot0", "-o", "manifest.h")
        for flags in CORES:
            compiled, messages = self.compile_header(CROSS_COMPILER, *flags, "-fno-exceptions", "-fno-rtti")
            self.assertTrue(
                compiled,
                f"{flags}: runtime/include/pianola/footprint.h or a header of hal/devices/refdev is out of date\n"
                f"{messages}"
            )
        text = (self.folder / "manifest.h").read_text(encoding="utf-8")
        for name in ("kSessionBytes", "kPlanWorkspaceBytes", "kVerdictBytes", "kDriverBytes", "kSharedStateBytes",
                     "kDeviceCoreBytes"):
            changed, count = re.subn(rf"({name} = )(\d+)U", lambda match: f"{match[1]}{int(match[2]) + 4}U", text)
            self.assertEqual(count, 1)
            self.write("manifest.h", changed)
            compiled, messages = self.compile_header(CROSS_COMPILER, *CORES[0])
            self.assertFalse(compiled, name)
            self.assertIn(name, messages)

    def test_a_linker_takes_the_fragment(self):
        linker = shutil.which("arm-none-eabi-gcc") or shutil.which("gcc")
        if linker is None:
            self.skipTest("no linker")
        binary = self.make_sample()
        self.run_pianola("size", binary, "--ld", "--symbol", "slot0", "-o", "memory.ld")
        self.write("script.ld", LINKER_SCRIPT)
        self.write("a.c", "int a(void) { return 0; }\n")
        subprocess.run([
            linker, "-ffreestanding", "-nostdlib", "-static", "-Wl,-T,script.ld", "-Wl,-e,a", "-Wl,--build-id=none",
            "-fno-pie", "-no-pie", "a.c", "-o", "a.elf"
        ], cwd=self.folder, check=True, capture_output=True)
        symbols = subprocess.run(["nm", "a.elf"], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        values = {name: int(value, 16) for value, name in re.findall(r"^([0-9a-f]+) \w (\w+)$", symbols, re.MULTILINE)}
        shown = self.manifest(binary)
        self.assertEqual(values["dram_end"] - values["dram_start"], shown["device"]["dram_bytes"])
        self.assertEqual(values["l1_end"] - values["l1_start"], shown["device"]["l1_bytes"])
        self.assertEqual(values["PIANOLA_SLOT0_FLASH_BYTES"], shown["flash"]["bytes"])
        self.assertEqual(values["PIANOLA_SESSION_BYTES"], shown["ram"]["session_bytes"])
        self.assertEqual(values["PIANOLA_SHARED_STATE_BYTES"], shown["ram"]["shared_state_bytes"])
        self.assertEqual(values["PIANOLA_SLOT0_TRACE_WINDOW_OFFSET"], shown["windows"][-1]["offset"])

    def test_what_verify_refuses_has_no_manifest(self):
        contents = self.make_sample().read_bytes()
        run = self.run_pianola("size", self.write("cut.ptb", contents[:-64]), "-o", "out", code=REFUSED)
        self.assertIn("ENV-", run.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_wrong_options(self):
        binary = self.make_sample()
        self.run_pianola("size", binary, "--header", "--symbol", "a b", code=USAGE)
        shutil.copy(binary, self.folder / "a\nb.ptb")
        self.assertIn("a_b.ptb", self.run_pianola("size", "a\nb.ptb", "--header").stdout)
        self.run_pianola("size", binary, "-o", "missing/out", code=FILE_TROUBLE)


if __name__ == "__main__":
    cli_support.main(needs_models=False)
