#!/usr/bin/env python3
"""Proves that links.py can fail: a bad link and a bad name are found, good ones are not."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from links import broken

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "docs").mkdir()
    (root / "docs" / "GOOD.md").write_text("[here](GOOD.md) and `docs/GOOD.md`\n", encoding="utf-8")
    assert broken(root)[1] == [], broken(root)
    (root / "docs" / "BAD.md").write_text("[gone](GONE.md) and `runtime/gone.h`\n", encoding="utf-8")
    assert broken(root)[1] == ["docs/BAD.md: GONE.md", "docs/BAD.md: runtime/gone.h"], broken(root)
