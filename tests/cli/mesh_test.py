#!/usr/bin/env python3
"""Every command that takes a binary, on binaries for several devices; and that these do what each device does alone."""
import json

import cli_support
from cli_support import OPTIONS, REFUSED, USAGE

MESHES = ((1, 2), (2, 2), (1, 4))


class Mesh(cli_support.CliTest):
    """Random programs, with weights of its own on each device."""

    def of_mesh(self, mesh, count=4):
        """Some binaries, each with what `inspect` shows of it; and the options for their device."""
        binaries, device = self.random_binaries(6 * count, mesh=mesh, most=count)
        self.assertEqual(len(binaries), count)
        return binaries, device

    def json_of(self, *arguments):
        """What a command prints with --json."""
        return json.loads(self.run_pianola(*arguments, "--json").stdout)

    def make_inputs(self, shown):
        """The bytes of each input."""
        return [bytes((37 * k + 11 * i) % 251 for k in range(tensor["bytes"]))
                for i, tensor in enumerate(shown["inputs"])]

    def run_on(self, binary, inputs, outputs, *options):
        """The report, and the bytes of each output."""
        arguments = []
        for i, data in enumerate(inputs):
            arguments += ["--input", self.write(f"in{i}.bin", data)]
        for i in range(outputs):
            arguments += ["--output", self.folder / f"out{i}.bin"]
        report = self.json_of("run", binary, *arguments, *options)
        return report, [(self.folder / f"out{i}.bin").read_bytes() for i in range(outputs)]

    def piece(self, tensor, data, device, devices):
        """What the device has of the tensor."""
        if tensor["placement"] == "replicated":
            return data
        size = len(data) // devices
        return data[device * size:(device + 1) * size]

    def test_run_gives_what_each_device_gives_alone(self):
        forms, differ = set(), 0
        for mesh in MESHES:
            devices = mesh[0] * mesh[1]
            binaries, options = self.of_mesh(mesh)
            for binary, shown in binaries:
                inputs, count = self.make_inputs(shown), len(shown["outputs"])
                report, together = self.run_on(binary, inputs, count, *options, "--check-accesses")
                self.assertEqual(report["step_cycles"], shown["budgets"]["step_cycles"])
                expected = [b""] * count
                for device in range(devices):
                    alone = binary.with_suffix(".alone") / f"{device}.ptb"
                    own = [self.piece(tensor, data, device, devices) for tensor, data in zip(shown["inputs"], inputs)]
                    _, pieces = self.run_on(alone, own, count, *options)
                    expected = [whole + piece for whole, piece in zip(expected, pieces)]
                self.assertEqual(together, expected, binary)
                for option in ("--threaded", "--repeat=3"):
                    self.assertEqual(self.run_on(binary, inputs, count, *options, option)[1], expected, binary)
                forms |= {tensor["placement"] for tensor in shown["inputs"]}
                differ += sum(whole != whole[:len(whole) // devices] * devices for whole in expected)
        self.assertEqual(forms, {"sharded", "replicated"})
        self.assertGreater(differ, 0, "the devices' outputs are not the same")

    def test_run_says_what_is_of_one_device(self):
        (binary, shown), *_ = self.of_mesh((1, 2))[0]
        arguments = []
        for i, data in enumerate(self.make_inputs(shown)):
            arguments += ["--input", self.write(f"in{i}.bin", data)]
        for i in range(len(shown["outputs"])):
            arguments += ["--output", self.folder / f"out{i}.bin"]
        self.assertIn(f"{shown['budgets']['step_cycles']} device cycles per step",
                      self.run_pianola("run", binary, *arguments).stdout)
        run = self.run_pianola("run", binary, *arguments, "--views", code=USAGE)
        self.assertIn("there are several devices", run.stderr)
        run = self.run_pianola("run", binary, *arguments, "--log", "log.bin", code=USAGE)
        self.assertIn("is for 2 devices; a log is written of one", run.stderr)
        whole = self.make_inputs(shown)[0]
        run = self.run_pianola("run", binary, "--input", self.write("in0.bin", whole[:-1]), *arguments[2:], code=USAGE)
        self.assertIn(f"{len(whole)} bytes", run.stderr)

    def test_verify_judges_by_the_mesh(self):
        for mesh in MESHES:
            for binary, _ in self.of_mesh(mesh)[0]:
                self.assertIn("accepted", self.run_pianola("verify", binary).stdout)
                verdict = self.json_of("verify", binary)
                self.assertEqual((verdict["accepted"], verdict["file"]), (True, str(binary)))
        (binary, _), *_ = self.of_mesh((2, 1))[0]
        contents = bytearray(binary.read_bytes())
        contents[len(contents) // 2] ^= 1
        self.assertIn("ENV-", self.run_pianola("verify", self.write("bad.ptb", bytes(contents)), code=REFUSED).stdout)
        small = self.write("small.json", {"profile": "small_ecu", "dram_bytes": 4096, "l1_bytes": 1024,
                                          "trace_region_bytes": 1024})
        refused = json.loads(self.run_pianola("verify", binary, "--device", small, "--json", code=REFUSED).stdout)
        self.assertEqual((refused["rule"], refused["field"]), ("TGT-PROFILE", "target.profile"))

    def test_inspect_shows_who_has_what(self):
        for mesh in MESHES:
            rows, columns = mesh
            whole = {"row": 0, "column": 0, "rows": rows, "columns": columns}
            for binary, shown in self.of_mesh(mesh)[0]:
                self.assertEqual(shown["target"]["mesh"], {"rows": rows, "columns": columns})
                for tensor in shown["inputs"] + shown["outputs"]:
                    self.assertEqual(tensor["devices"], whole)
                    self.assertEqual(tensor["bytes"], tensor["shape"][0], "int8")
                self.assertEqual({tensor["placement"] for tensor in shown["outputs"]}, {"sharded"})
                scripts = {script["kind"]: script["commands"] for script in shown["scripts"]}
                self.assertTrue(all(command["devices"] == whole for command in scripts["step"]), binary)
                weights = [command["devices"] for command in scripts["setup"] if command["command"] == "write_buffer"]
                self.assertEqual({(each["row"], each["column"]) for each in weights if each != whole},
                                 {(row, column) for row in range(rows) for column in range(columns)})
                self.assertEqual(shown["views"], {"possible": False, "why_not": "there are several devices"})
                text = self.run_pianola("inspect", binary, "--commands").stdout
                for part in (f"mesh           {rows} x {columns} of these devices",
                             f"on (0, 0) to ({rows - 1}, {columns - 1}), sharded", "there are several devices"):
                    self.assertIn(part, text)

    def test_size_counts_what_each_device_takes(self):
        for mesh in MESHES:
            devices = mesh[0] * mesh[1]
            (binary, _), *_ = self.of_mesh(mesh)[0]
            one = self.json_of("size", binary.with_suffix(".alone") / "0.ptb")
            several = self.json_of("size", binary)
            for tensor, alone in zip(several["outputs"], one["outputs"]):
                self.assertEqual(tensor["bytes"], devices * alone["bytes"])
            if several["device"]["profile"] == one["device"]["profile"]:
                self.assertEqual(several["ram"], one["ram"], "a session has room for every mesh of its profile")
            self.assertGreaterEqual(several["ram"]["session_bytes"], one["ram"]["session_bytes"])
            self.assertGreaterEqual(several["verified_release"]["calls"], one["verified_release"]["calls"])
            text = self.run_pianola("size", binary).stdout
            self.assertEqual(text.count(f"of each of {devices} devices"), 3)
            self.assertNotIn("of each of", self.run_pianola("size", binary.with_suffix(".alone") / "0.ptb").stdout)

    def test_embed_takes_the_file_as_it_is(self):
        (binary, _), *_ = self.of_mesh((2, 2))[0]
        output = self.folder / "out.c"
        self.assertIn(f"{binary.stat().st_size} bytes", self.run_pianola("embed", binary, "-o", output).stdout)
        numbers = output.read_text(encoding="ascii").partition("= {")[2].partition("}")[0]
        self.assertEqual(bytes(int(each, 0) for each in numbers.split(",") if each.strip()), binary.read_bytes())
        self.assertEqual(self.json_of("embed", binary, "-o", output)["bytes"], binary.stat().st_size)

    def test_mutants_of_a_mesh_are_refused_by_their_rules(self):
        made = set()
        for mesh in ((1, 2), (2, 2)):
            for binary, _ in self.of_mesh(mesh)[0][::OPTIONS.each]:
                report = self.json_of("mutate", binary, "--report-only", "--count", 16)
                self.assertEqual((report["totals"]["accepted"], report["totals"]["refused_otherwise"]), (0, 0))
                made |= {mutant["name"] for mutant in report["mutants"]}
        self.assertGreaterEqual(made, {"LAY-PLACEMENT.uneven", "LAY-PLACEMENT.copies", "SCR-DEVICES.without-tensor",
                                       "SCR-DEVICES.beyond", "TGT-MESH.beyond"})


if __name__ == "__main__":
    cli_support.main(needs_models=False)
