"""Proof that the paths gate can fail."""
import unittest

from paths_gate import judge
from proof_support import GateProof


class PathsProof(GateProof):
    """Feeds the gate lines with and without machine paths. They are put together here, so that this file has none."""

    def judge(self, line):
        return judge(self.root, [self.write("a.txt", f"first\n{line}\n")])

    def test_accepts_good(self):
        for line in ("docs/home/index.md", "/usr/bin/env bash", "build/tmp/x", "${ROOT}/tmp/x", "../work/x",
                     "a/work/x"):
            with self.subTest(line=line):
                self.assertEqual(self.judge(line), [])

    def test_refuses_machine_paths(self):
        for folder in ("home", "root", "work", "tmp", "mnt", "Users"):
            for before in ("", '"', "=", "(", "file://"):
                line = f"{before}/{folder}/someone/x"
                with self.subTest(line=line):
                    self.assert_finds(self.judge(line), "a.txt:2")


if __name__ == "__main__":
    unittest.main()
