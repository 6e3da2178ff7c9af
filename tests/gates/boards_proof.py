"""Proof that the gate of boards can fail."""
import json
import unittest

from boards_gate import boards, judge
from own_sources import own_files
from proof_support import GateProof

FACTS = {"architecture": "arm_m", "emulator": ["qemu-system-arm", "-M", "none"]}


class BoardsProof(GateProof):
    """A tree of two boards, in which nothing else names one, and one thing more at a time."""

    def setUp(self):
        super().setUp()
        for board in ("left_board", "right_board"):
            self.write(f"hal/boards/{board}/board.json", json.dumps(FACTS))
            self.write(f"hal/boards/{board}/board.cpp", f"// {board}")
        self.presets("left_board", "right_board")
        self.write("docs/boards.md", "left_board and right_board")
        self.write("tests/baremetal/measured/left_board.json", '{"board": "left_board"}')

    def presets(self, *names, more=""):
        """The list."""
        lines = ",\n".join(
            [*(f'  "hal/boards/{name}/presets.json"' for name in names), '  "toolchains/cmake/presets.json"'])
        self.write("CMakePresets.json", f'{{\n"include": [\n{lines}\n]{more}\n}}\n')

    def judge(self):
        return judge(self.root, own_files(self.root))

    def test_accepts_the_folder_the_line_pages_and_records(self):
        self.assertEqual(boards.names(self.root), ["left_board", "right_board"])
        self.assertEqual(self.judge(), [])

    def test_refuses_a_name_elsewhere(self):
        self.write("toolchains/tool.py", 'BOARDS = ("left_board",)\n')
        self.write("tests/baremetal/preemption_right_board.cpp", "")
        self.write("hal/boards/left_board/other.h", "// as right_board does")
        self.write("hal/boards/common/a.h", "// LEFT\n// left_board's")
        found = self.judge()
        self.assertEqual(len(found), 4)
        for text in ("tool.py:1: left_board", "named after right_board", "other.h:1: right_board", "a.h:2: left_board"):
            self.assert_finds(found, text)

    def test_refuses_a_second_line(self):
        self.presets("left_board", "right_board", more=',\n"configurePresets": [{ "name": "left_board" }]')
        self.assert_finds(self.judge(), "left_board")

    def test_refuses_a_folder_that_is_not_listed(self):
        self.presets("right_board")
        self.assert_finds(self.judge(), "hal/boards/left_board: not in CMakePresets.json")

    def test_refuses_facts_that_it_does_not_know(self):
        self.write("hal/boards/left_board/board.json", json.dumps({**FACTS, "colour": "red"}))
        self.assert_finds(self.judge(), "colour: not known")
        self.write("hal/boards/left_board/board.json", json.dumps({**FACTS, "architecture": "abacus"}))
        self.assert_finds(self.judge(), "architecture: not known")
        (self.root / "hal/boards/left_board/board.json").unlink()
        self.assert_finds(self.judge(), "No such file")

    def test_a_boards_own_tests_may_name_it(self):
        self.write("tests/engine/a.cpp", "// left_board")
        self.assert_finds(self.judge(), "tests/engine/a.cpp:1: left_board")
        self.write("hal/boards/left_board/board.json", json.dumps({**FACTS, "own_tests": ["tests/engine"]}))
        self.assertEqual(self.judge(), [])


if __name__ == "__main__":
    unittest.main()
