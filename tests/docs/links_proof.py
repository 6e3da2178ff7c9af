#!/usr/bin/env python3
"""Proves that links.py can fail: bad links, headings, names and paths are found, good ones are not."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from links import broken  # noqa: E402  pylint: disable=wrong-import-position

GOOD = """# A page: `code`, and more

[here](good.md) [there](../guide/good.md#a-page-code-and-more) [below](#below) `docs/guide/good.md` https://a.org/docs/x

## Below

```
[an example](gone.md)
```
"""
BAD = "[gone](gone.md) [no heading](good.md#above) `runtime/gone.h` and docs/gone.md, docs/guide.\n"

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "docs/guide").mkdir(parents=True)
    (root / "docs/guide/good.md").write_text(GOOD, encoding="utf-8")
    (root / "good.cpp").write_text("// docs/guide/good.md. And ${BINARY}/docs/gone.\n", encoding="utf-8")
    assert broken(root) == (2, []), broken(root)
    (root / "docs/guide/bad.md").write_text(BAD, encoding="utf-8")
    (root / "bad.h").write_text("// docs/OLD.md says why.\n", encoding="utf-8")
    assert broken(root) == (4, [
        "bad.h: docs/OLD.md", "docs/guide/bad.md: docs/gone.md", "docs/guide/bad.md: gone.md",
        "docs/guide/bad.md: good.md#above", "docs/guide/bad.md: runtime/gone.h"]), broken(root)
