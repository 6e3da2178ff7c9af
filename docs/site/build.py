#!/usr/bin/env python3
"""Builds the documentation site: pages, API reference from the headers, search that works offline.

    docs/site/build.py [OUT]        OUT is build/site, where nothing else is said; open OUT/index.html

Needs python3-sphinx, python3-myst-parser, furo, python3-breathe and doxygen, which toolchains/setup-debian.sh installs.
Every warning is an error: pages and headings that are missing, a public header that is on no page. No network is used,
and the site loads nothing from outside.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SITE = pathlib.Path(__file__).resolve().parent
ROOT = SITE.parents[1]
HEADERS = "runtime/include/pianola"
TOOLS = ("doxygen", "sphinx-build")
DOXYFILE = """
PROJECT_NAME = Pianola
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
WARN_IF_UNDOCUMENTED = NO
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
AUTOLINK_SUPPORT = NO
FILE_PATTERNS = *.h
PREDEFINED = PIANOLA_PROFILE=kSmallEcu
MACRO_EXPANSION = YES
EXCLUDE_SYMBOLS = flatbuffers pianola::schema

"""
NORMALIZE = pathlib.Path("/usr/share/javascript/normalize.css/normalize.css")
REDIRECT = '<!DOCTYPE html>\n<meta charset="utf-8">\n<title>Pianola</title>\n' \
           '<meta http-equiv="refresh" content="0; url=README.html">\n<a href="README.html">Pianola</a>\n'


def version():
    """Of the project, as CMake has it."""
    return re.search(r"project\(pianola VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def missing_headers():
    """Public headers that no page of the API shows."""
    pages = "".join(page.read_text(encoding="utf-8") for page in (SITE / "api").glob("*.md"))
    shown = set(re.findall(r"^```\{doxygenfile\} (\S+)", pages, re.MULTILINE))
    return sorted(path.name for path in (ROOT / HEADERS).glob("*.h") if path.name not in shown)


def run_doxygen(out):
    """XML of the headers in `out`/xml."""
    text = DOXYFILE + f"OUTPUT_DIRECTORY = \"{out}\"\nSTRIP_FROM_PATH = \"{ROOT}\"\n" \
        f"STRIP_FROM_INC_PATH = \"{ROOT}/runtime/include\" \"{ROOT}\"\n" \
        f"INCLUDE_PATH = \"{ROOT}/runtime/include\"\n" \
        f"INPUT_FILTER = \"{sys.executable} -B {SITE}/doxygen_filter.py\"\n" \
        f"INPUT = \"{ROOT / HEADERS}\"\n"
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True)


def complete_theme(out):
    """Puts into Debian's furo what it asks a web server and a module loader for: a site of files has neither."""
    scripts = out / "_static/scripts"
    for asks, line, gives in (
            (out / "_static/styles/furo.css", "@import url(/javascript/normalize.css/normalize.css);", NORMALIZE),
            (scripts / "furo.js", 'import Gumshoe from "./gumshoe-patched.js";', scripts / "gumshoe-patched.js")):
        text = asks.read_text(encoding="utf-8")
        if line in text:  # not so in upstream's own package, which is bundled
            asks.write_text(text.replace(line, gives.read_text(encoding="utf-8")), encoding="utf-8")


def main(words):
    """Returns the exit code."""
    out = pathlib.Path(words[0] if words else ROOT / "build" / "site").resolve()
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    if lacking:
        print(f"site: {', '.join(lacking)} not found: run toolchains/setup-debian.sh --all", file=sys.stderr)
        return 2
    headers = missing_headers()
    if headers:
        print(f"site: no page of docs/site/api shows {', '.join(headers)}", file=sys.stderr)
        return 1
    work = out.with_name(out.name + ".work")
    for folder in (out, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    try:
        run_doxygen(work)
        subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-n", "-j", "2", "-b", "html", "-c", SITE, "-d",
                        work / "doctrees", ROOT, out],
                       env={**os.environ, "PIANOLA_VERSION": version(), "PIANOLA_DOXYGEN_XML": str(work / "xml"),
                            "PYTHONDONTWRITEBYTECODE": "1"}, check=True)
    except subprocess.CalledProcessError as error:
        print(f"site: {error.cmd[0]} fails", file=sys.stderr)
        return 1
    complete_theme(out)
    (out / "index.html").write_text(REDIRECT, encoding="utf-8")
    shutil.rmtree(work)
    print(f"site: {len(list(out.rglob('*.html')))} pages in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
