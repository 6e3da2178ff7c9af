"""The installed headers: each compiles alone, with warnings as errors, and none of them is private.

Public is what docs/guide/packages.md names under "Public headers", and what that includes.
"""
import concurrent.futures
import re

FLAGS = ("-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
         "-DPIANOLA_PROFILE=kHost", "-DPIANOLA_RECORDING=1")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
NAMED = re.compile(r"`([a-z_0-9]+/[a-z_0-9/]+\.h|pianola/\*\.h)`")


def named(page):
    """The headers that the page calls public; pianola/*.h stands for all of that folder."""
    section = page.split("## Public headers")[1].split("\n## ")[0]
    return set(NAMED.findall(section))


def judge(root, entries):
    """(private, missing): headers that are installed and not public, and public ones that are not installed."""
    installed = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    pending = {name for name in entries if "*" not in name}
    if "pianola/*.h" in entries:
        pending |= {name for name in installed if name.startswith("pianola/")}
    public, missing = set(), set()
    while pending:
        name = pending.pop()
        public.add(name)
        if name not in installed:
            missing.add(name)
            continue
        for included in INCLUDE.findall((root / name).read_text(encoding="utf-8")):
            beside = f"{name.rpartition('/')[0]}/{included}"  # as headers of C have it
            pending |= {beside if beside in installed else included} - public
    return installed - public, missing


def run(kit):
    """Judges the set, and compiles each."""
    root = kit.prefix / "include/pianola"
    page = (kit.source / "docs/guide/packages.md").read_text(encoding="utf-8")
    board_headers = {name for name in named(page) if name.startswith(("hal/boards/", "hal/arch/"))}  # of its packages
    private, missing = judge(root, named(page) - board_headers)
    assert not private and not missing, f"private: {sorted(private)}, missing: {sorted(missing)}"
    guide = (kit.source / "docs/guide/c_api.md").read_text(encoding="utf-8")
    for_c = set(re.findall(r"`runtime/c/(\w+\.h)`", guide))
    assert len(for_c) >= 2, for_c
    not_there = sorted(name for name in for_c if not (root / "c" / name).is_file())
    assert not not_there, f"docs/guide/c_api.md tells applications of headers that are not installed: {not_there}"
    # That the judge sees a private header, and one that is not there.
    extra = root / "hal/private.h"
    extra.write_text("", encoding="utf-8")
    assert judge(root, named(page) - board_headers)[0] == {"hal/private.h"}
    extra.unlink()
    assert judge(root, {"pianola/none.h"})[1] == {"pianola/none.h"}

    def compile_alone(path):
        source = kit.folder / f"{path.relative_to(root)}.cpp".replace("/", "_")
        source.write_text(f'#include "{path.relative_to(root)}"\n', encoding="utf-8")
        kit.run(kit.compiler, *FLAGS, f"-I{root}", source)

    headers = sorted(root.rglob("*.h"))
    assert len(headers) > 60, headers
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_alone, headers))
    print(f"{len(headers)} headers compile alone")
