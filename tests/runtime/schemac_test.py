#!/usr/bin/env python3
"""schemac on changed copies of the schema: the hash follows the meaning and nothing else, a new field is checked
without anybody's doing, and what can not be checked in fixed memory is refused with a message."""

import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ARGUMENTS = None


class Schema:
    """A copy of the schema in a folder of its own."""

    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for source in pathlib.Path(ARGUMENTS.schema).glob("*.fbs"):
            shutil.copy(source, self.folder)

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        assert text.count(old) == 1, f"{name} has '{old}' {text.count(old)} times"
        path.write_text(text.replace(old, new))

    def append(self, name, text):
        path = self.folder / name
        path.write_text(path.read_text() + text)

    def run(self):
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        subprocess.run([ARGUMENTS.flatc, "--binary", "--schema", "--bfbs-builtins", "-o", out,
                        self.folder / "trace_binary.fbs"],
                       check=True, capture_output=True)
        return subprocess.run([ARGUMENTS.schemac, out / "trace_binary.bfbs", "x.h", out],
                              capture_output=True, text=True, check=False)

    def compile(self):
        result = self.run()
        assert result.returncode == 0, result.stderr
        header = (self.folder / "out" / "pianola_schema_hash.h").read_text()
        code = (self.folder / "out" / "schema_rules_generated.cpp").read_text()
        digest = re.findall(r"0x([0-9A-F]{2})U", header)
        assert len(digest) == 32, header
        return "".join(digest), code


class Hash(unittest.TestCase):
    def setUp(self):
        self.digest, self.code = Schema(self).compile()

    def test_is_the_same_every_time(self):
        self.assertEqual(Schema(self).compile(), (self.digest, self.code))

    def test_ignores_comments_and_white_space(self):
        schema = Schema(self)
        for path in schema.folder.glob("*.fbs"):
            lines = [line.split("//")[0].rstrip() for line in path.read_text().splitlines()]
            path.write_text("// Another comment.\n\n" + "\n\n  ".join(lines) + "\n")
        self.assertEqual(schema.compile()[0], self.digest)

    def test_ignores_the_order_of_declarations(self):
        schema = Schema(self)
        path = schema.folder / "command.fbs"
        text = path.read_text()
        tables = re.findall(r"^table \w+ \{.*?^\}\n", text, re.S | re.M)
        self.assertGreater(len(tables), 5)
        for table in tables:
            text = text.replace(table, "")
        path.write_text(text + "\n".join(reversed(tables)))
        self.assertEqual(schema.compile()[0], self.digest)
        # and of fields, whose ids are explicit
        schema.edit("program.fbs", '  name: string (id: 0, required, max_count: "kMaxNameBytes");\n', "")
        schema.edit("program.fbs", "\n}", '\n  name: string (id: 0, required, max_count: "kMaxNameBytes");\n}')
        self.assertEqual(schema.compile()[0], self.digest)

    def test_follows_every_change_of_meaning(self):
        changes = [
            ("buffer.fbs", "Trace = 5", "Trace = 6"),
            ("buffer.fbs", "Trace = 5", "Traces = 5"),
            ("base.fbs", "enum MemoryKind : ubyte", "enum MemoryKind : ushort"),
            ("buffer.fbs", "zero_point: int32 (id: 5)", "zero_point: uint32 (id: 5)"),
            ("buffer.fbs", "zero_point: int32 (id: 5)", "zero_point: int32 = 1 (id: 5)"),
            ("buffer.fbs", "zero_point: int32 (id: 5)", "zero_point: int32 (id: 5, deprecated)"),
            ("program.fbs", "command_count", "commands"),
            ("program.fbs", 'max_count: "kMaxNameBytes"', 'max_count: "kMaxRank"'),
            ("program.fbs", "id: 0, required", "id: 0"),
            ("base.fbs", "[ubyte:32]", "[ubyte:33]"),
            ("command.fbs", "  LoadTrace,\n  WriteInput,\n", "  WriteInput,\n  LoadTrace,\n"),
            ("trace_binary.fbs", '"PTBM"', '"PTBN"'),
        ]
        digests = {self.digest}
        for name, old, new in changes:
            with self.subTest(change=new):
                schema = Schema(self)
                schema.edit(name, old, new)
                digest = schema.compile()[0]
                self.assertNotIn(digest, digests)
                digests.add(digest)

    def test_covers_and_checks_a_new_enumeration(self):
        schema = Schema(self)
        schema.append("base.fbs", "\nenum Mood : ubyte { Unspecified = 0, Glad = 1, Sad = 7 }\n")
        schema.edit("program.fbs", "command_count: uint32 (id: 1);",
                    "command_count: uint32 (id: 1);\n  mood: Mood (id: 2);")
        digest, code = schema.compile()
        self.assertNotEqual(digest, self.digest)
        self.assertNotIn("mood", self.code)
        self.assertIn('FieldRule{"mood", 0U, 8U, FieldKind::kEnumerator, 1U, 1U,', code)
        self.assertIn("EnumeratorRule{7U, 0U},  // pianola.schema.Mood.Sad", code)
        self.assertNotIn("pianola.schema.Mood.Unspecified", code)

    def test_covers_and_checks_a_new_truth_value_and_list(self):
        schema = Schema(self)
        schema.edit("program.fbs", "command_count: uint32 (id: 1);",
                    'command_count: uint32 (id: 1);\n  fast: bool (id: 2);\n'
                    '  kinds: [MemoryKind] (id: 3, max_count: "kMaxRank");')
        digest, code = schema.compile()
        self.assertNotEqual(digest, self.digest)
        self.assertIn('FieldRule{"fast", 0U, 8U, FieldKind::kTruth,', code)
        self.assertIn('FieldRule{"kinds", kMaxRank, 10U, FieldKind::kEnumerators,', code)


class Refusal(unittest.TestCase):
    def refused(self, message, *edits):
        schema = Schema(self)
        for name, old, new in edits:
            schema.edit(name, old, new)
        result = schema.run()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(message, result.stderr)
        self.assertFalse((schema.folder / "out" / "schema_rules_generated.cpp").exists())

    def field(self, text):
        return ("program.fbs", "command_count: uint32 (id: 1);", "command_count: uint32 (id: 1);\n  " + text)

    def before(self, text):
        return ("program.fbs", "table Program {", text + "\ntable Program {")

    def test_recursion(self):
        self.refused("contains itself", self.field("inner: Program (id: 2);"))
        self.refused("contains itself", self.field('inner: [Program] (id: 2, max_count: "4");'))
        self.refused("contains itself", self.before("table Other { back: Program (id: 0); }"),
                     self.field("other: Other (id: 2);"))
        self.refused("contains itself", self.before("table Other { back: Program (id: 0); }\nunion Any { Other }"),
                     self.field("any: Any (id: 3);"))

    def test_nested_buffers(self):
        self.refused("nested buffers",
                     self.field('raw: [ubyte] (id: 2, nested_flatbuffer: "Program", max_count: "4");'))
        self.refused("nested buffers", self.field('raw: [ubyte] (id: 2, flexbuffer, max_count: "4");'))

    def test_lists_of_unions(self):
        self.refused("lists of unions", self.before("table Other { x: int (id: 0); }\nunion Any { Other }"),
                     self.field('any: [Any] (id: 3, max_count: "4");'))

    def test_lists_and_names_without_capacity(self):
        self.refused("Program.numbers: lists and strings need max_count", self.field("numbers: [uint32] (id: 2);"))
        self.refused("Program.other: lists and strings need max_count", self.field("other: string (id: 2);"))

    def test_enumerations_without_unspecified(self):
        self.refused("Mood: the enumerator 0 must be Unspecified", self.before("enum Mood : ubyte { Glad = 0 }"))
        self.refused("Mood: the enumerator 0 must be Unspecified", self.before("enum Mood : ubyte { Glad = 1 }"))

    def test_enumerators_that_are_wide_or_have_another_default(self):
        message = "enumerators must fit 16 bits"
        self.refused(message, self.before("enum Mood : uint { Unspecified = 0, Glad = 65536 }"))
        self.refused(message, self.before("enum Mood : byte { Sad = -1, Unspecified = 0 }"))
        message = "Program.mood: enumerators have at most 32 bits, and are Unspecified where they are absent"
        self.refused(message, self.before("enum Mood : ulong { Unspecified = 0, Glad = 1 }"),
                     self.field("mood: Mood (id: 2);"))
        self.refused(message, self.before("enum Mood : ubyte { Unspecified = 0, Glad = 1 }"),
                     self.field("mood: Mood = Glad (id: 2);"))

    def test_tables_and_structs_that_are_too_large_for_the_rules(self):
        message = "more fields, bytes or types than the rules have room for"
        fields = "\n  ".join(f"n{index}: uint8 (id: {index});" for index in range(2, 127))
        self.refused(message, self.field(fields))
        self.refused(message, self.before("struct Long { bytes: [ubyte:256]; }"), self.field("long: Long (id: 2);"))

    def test_structs_with_values_to_check(self):
        for member in ("b: bool;", "k: MemoryKind;", "b: [bool:2];", "k: [MemoryKind:2];", "d: Digest;"):
            with self.subTest(member=member):
                struct = self.before("struct Pair { x: int; " + member + " }")
                self.refused("structs hold numbers only", struct, self.field("pair: Pair (id: 2);"))
                self.refused("structs hold numbers only", struct, self.field('pairs: [Pair] (id: 2, max_count: "4");'))

    def test_unions_of_structs(self):
        self.refused("unions hold tables only",
                     self.before("struct Pair { x: int; }\nunion Any { Pair }"), self.field("any: Any (id: 3);"))

    def test_files_that_are_no_schema(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.bfbs"
            for contents in (b"", b"nonsense" * 20):
                path.write_bytes(contents)
                result = subprocess.run([ARGUMENTS.schemac, path, "x.h", folder], capture_output=True, text=True,
                                        check=False)
                self.assertEqual(result.returncode, 1)
                self.assertIn("is not a compiled schema", result.stderr)


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    for option in ("--flatc", "--schemac", "--schema"):
        PARSER.add_argument(option, required=True)
    ARGUMENTS, REST = PARSER.parse_known_args()
    unittest.main(argv=[__file__, *REST])
