#!/usr/bin/env python3
"""Doxygen's input filter: makes of a header's comments what Doxygen reads. Usage: doxygen_filter.py HEADER

The project writes // in front of what it explains, behind it for members and enumerators, and lists of results as
indented lines "kOk   text". Doxygen wants ///, ///< and Markdown lists. Lines stay where they are.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"^(\s*)//(?!/)(.*)$")
TRAILING = re.compile(r"^(.*[;,{}].*?)\s//\s?(.*)$")
LISTED = re.compile(r"^ {2,}([\w(),. ]*?\w\)?)\s{2,}(\S.*)$")
NOT_PROSE = re.compile(r"NOLINT")
SPECIAL = re.compile(r"([\\@#<>%&])")


def prose(text):
    """Text without what Doxygen would take for a command, a tag or a link."""
    return SPECIAL.sub(r"\\\1", text)


def filtered(lines):
    """The lines for Doxygen, as many as there were."""
    in_list = False
    for number, line in enumerate(lines):
        comment = COMMENT.match(line)
        if comment is None:
            in_list = False
            trailing = TRAILING.match(line)
            if trailing and not NOT_PROSE.search(line) and not line.lstrip().startswith("#"):
                yield f"{trailing[1]} ///< {prose(trailing[2])}"
            elif NOT_PROSE.search(line):
                yield line.split("//")[0]
            else:
                yield line
            continue
        indent, text = comment.groups()
        if NOT_PROSE.search(text):
            yield ""
            continue
        marker = "/// @file\n///" if number == 0 else "///"
        listed = LISTED.match(text)
        if listed:
            yield f"{indent}{marker}" + ("" if in_list else "\n///") + f" - {prose(listed[1])}: {prose(listed[2])}"
            in_list = True
        elif in_list and not text.startswith("    "):
            yield f"{indent}///\n{indent}///{prose(text)}"
            in_list = False
        else:
            yield f"{indent}{marker}{prose(text)}"


if __name__ == "__main__":
    print("\n".join(filtered(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())))
