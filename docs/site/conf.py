"""Sphinx's configuration of the documentation site: build.py calls it.

The pages are the project's Markdown files as they stand, so that a forge shows the same. What a forge does not need is
added while a page is read: the navigation on the first page, and what headers declare on the API pages.
"""
import os
import pathlib
import re
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
XML = pathlib.Path(os.environ["PIANOLA_DOXYGEN_XML"])

project = "Pianola"
author = "The Pianola authors"
copyright = "The Pianola authors, Apache-2.0"  # pylint: disable=redefined-builtin
release = os.environ["PIANOLA_VERSION"]

extensions = ["myst_parser", "breathe"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**.md", "tests/README.md",
                    "misra/**.md", "zephyr/**.md"]
exclude_patterns = ["build"]
breathe_projects = {"pianola": str(XML)}
breathe_default_project = "pianola"
breathe_default_members = ("members",)
myst_heading_anchors = 4
# Names of types in signatures that no page describes: those of the standard library and of folders that have no API
# page.
nitpick_ignore_regex = [("cpp:.*", ".*")]
linkcheck_ignore = [r"https?://.*"]

html_theme = "furo"
html_title = f"Pianola {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]

# Caption, and the folder whose pages it holds or the pages themselves.
NAVIGATION = [
    ("Start", ["docs/features.md", "docs/guide/tutorial.md", "docs/README.md", "docs/guide/faq.md",
               "docs/reference/glossary.md"]),
    ("Guide", "docs/guide"),
    ("Reference", "docs/reference"),
    ("API", "docs/site/api"),
    ("Evidence", "docs/evidence"),
    ("Safety", "docs/safety"),
    ("Design", ["docs/how_it_works.md", "docs/DESIGN.md", "docs/design/devices.md", "docs/design/host.md"]),
    ("Project", ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "tests/README.md"]),
]


def navigation():
    """The tables of contents of the first page, hidden there and shown in the sidebar."""
    listed, text = set(), ""
    for caption, pages in NAVIGATION:
        if isinstance(pages, str):
            pages = sorted(f"{pages}/{path.name}" for path in (ROOT / pages).glob("*.md"))
        pages = [page for page in pages if page not in listed and (ROOT / page).is_file()]
        listed.update(pages)
        text += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
    return text


DIRECTIVES = {"enum": "doxygenenum", "function": "doxygenfunction", "variable": "doxygenvariable",
              "typedef": "doxygentypedef"}


def members_of(header):
    """Directives for what a header declares, in its order: types with their members, then what stands alone."""
    index = ElementTree.parse(XML / "index.xml").getroot()
    compound = next(each for each in index if each.get("kind") == "file" and each.findtext("name") == header)
    of_file = ElementTree.parse(XML / f"{compound.get('refid')}.xml").getroot()[0]
    types = [(each.text, each.get("refid")) for each in of_file.findall("innerclass")]
    names = {name for name, _ in types}
    text = of_file.findtext("detaileddescription/para") or ""
    for name, refid in types:
        if name.rpartition("::")[0] not in names:  # nested ones are shown with their type
            kind = "doxygenclass" if refid.startswith("class") else "doxygenstruct"
            text += f"\n\n```{{{kind}}} {name}\n:members:\n```"
    spaces = [each.get("refid") for each in index if each.get("kind") == "namespace"]
    members = [member for space in spaces for member in ElementTree.parse(XML / f"{space}.xml").iter("memberdef")]
    for member in members:  # Doxygen lists what stands in a namespace there, and not with the file
        if pathlib.Path(member.find("location").get("file")).name != header:
            continue
        name = member.findtext("qualifiedname") or member.findtext("name")
        if member.get("kind") == "function":
            name += member.findtext("argsstring").split(" noexcept")[0]
        if member.get("kind") in DIRECTIVES and not name.rpartition("::")[2].startswith("@"):
            text += f"\n\n```{{{DIRECTIVES[member.get('kind')]}}} {name}\n```"
    return text


def on_read(_app, name, source):
    """Called for every page that is read."""
    if name == root_doc:
        source[0] += navigation()
    elif name.startswith("docs/site/api/"):
        source[0] = re.sub(r"```\{doxygenfile\} (\S+)\n```", lambda match: members_of(match[1]), source[0])
    elif name.startswith(("misra/", "zephyr/")):
        source[0] = "---\norphan: true\n---\n" + source[0]


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
