"""Proof that the files gate can fail."""
import pathlib
import unittest

from files_gate import judge
from proof_support import GateProof


class FilesProof(GateProof):
    """Feeds the gate lines that go around capture_host/base, and lines that do not."""

    def judge(self, line, name="capture_host/cli/a.cpp"):
        self.write(name, f"// First.\n{line}\n")
        return judge(self.root, [pathlib.Path(name)])

    def test_accepts_good(self):
        for line in ('files::load_file("a");', "// std::ifstream would do", "void open(const Extent& extent);",
                     "checker.open(extent);", "files::parse_json(text);", "json.dump();",
                     "statement = signing::open_receipt(bytes, key);"):
            with self.subTest(line=line):
                self.assertEqual(self.judge(line), [])

    def test_accepts_the_place_itself(self):
        self.assertEqual(self.judge("std::ifstream stream{path};", "capture_host/base/a.cpp"), [])

    def test_refuses_ways_around(self):
        for line in ("#include <fstream>", "std::ofstream stream{path};", 'fopen("a", "r");', "::open(path, O_RDONLY);",
                     "nlohmann::json::parse(text);", "Json::parse(text, nullptr, false);",
                     "json::sax_parse(text, &handler);", "::rename(a, b);", "std::filesystem::rename(a, b);",
                     "json::from_cbor(bytes);"):
            with self.subTest(line=line):
                self.assert_finds(self.judge(line), "capture_host/cli/a.cpp:2")


if __name__ == "__main__":
    unittest.main()
