"""Guidelines of MISRA C++:2023 that are about text and directives, which no syntax tree has.

A finding is (line number, check). A line is exempt where it, or the line above it with NOLINTNEXTLINE, names the check
and a deviation record; gates.deviations holds these to the records.
"""
import re

DIRECTIVES = {"if", "ifdef", "ifndef", "elif", "else", "endif", "include", "define", "undef", "line", "error", "pragma"}
DIRECTIVE = re.compile(r"^\s*#\s*(\w*)\s*(.*)$")
SUPPRESSED = re.compile(r"NOLINT(NEXTLINE)?\(([^)]*)\)")
CODE_IN_COMMENT = re.compile(
    r"^\s*//\s*([\w:<>&*.\[\]-]+\([^()]*\)\s*;|[\w:<>&*.\[\]\s-]+ [-+*/|&^]?= .*;|return\b.*;|"
    r"(if|for|while|switch) \(.*\) \{|\}|\} else \{)\s*$")


def without_comments(text):
    """`text` with the characters of comments and literals made blanks; lines stay where they are."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def directives(text):
    """(line number, name, rest) of every line that begins with #; continued lines are one."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        first, line = number, lines[number]
        while line.endswith("\\") and number + 1 < len(lines):
            number += 1
            line = line[:-1] + lines[number]
        match = DIRECTIVE.match(line)
        if match:
            yield first + 1, match.group(1), match.group(2)
        number += 1


def commented_code(text):
    """5.7.2: a comment that ends as a statement or the head of a block does."""
    return [(number, "misra-text-5.7.2") for number, line in enumerate(text.split("\n"), 1)
            if CODE_IN_COMMENT.match(line)]


def unknown_directives(text):
    """19.0.1: what begins with # is a directive, also where it is skipped."""
    return [(number, "misra-text-19.0.1") for number, name, rest in directives(text)
            if name not in DIRECTIVES and (name or rest)]


def late_includes(text):
    """19.0.3: nothing but directives and comments stands above an include."""
    blanks = without_comments(text).split("\n")
    lines = ["" if DIRECTIVE.match(line) else line for line in blanks]
    for number, name, rest in directives(text):
        for after in range(number, number + rest.count("\n")):
            lines[after] = ""
    first_code = next((number for number, line in enumerate(lines, 1)
                       if line.strip() and not blanks[number - 2].rstrip().endswith("\\")), len(lines) + 1)
    return [(number, "misra-text-19.0.3") for number, name, _ in directives(text)
            if name == "include" and number > first_code]


def foreign_undefs(text):
    """19.0.4: only what this file has defined is undefined."""
    defined, found = set(), []
    for number, name, rest in directives(text):
        word = re.match(r"\w*", rest).group()
        if name == "define":
            defined.add(word)
        elif name == "undef" and word not in defined:
            found.append((number, "misra-text-19.0.4"))
    return found


def include_forms(text):
    """19.2.2, 19.2.3: a name in <> or quotes, of ordinary characters."""
    found = []
    for number, name, rest in directives(text):
        if name != "include":
            continue
        match = re.match(r"(?:<([^>]*)>|\"([^\"]*)\")\s*(?://.*)?$", rest)
        if not match:
            found.append((number, "misra-text-19.2.2"))
        elif re.search(r"['\"\\]|//|/\*", match.group(1) or match.group(2)):
            found.append((number, "misra-text-19.2.3"))
    return found


def hash_operators(text):
    """19.3.1: no # or ## in what a macro becomes."""
    found = []
    for number, name, rest in directives(without_comments(text)):
        if name == "define" and "#" in rest:
            found.append((number, "misra-text-19.3.1"))
    return found


def pragmas(text):
    """19.6.1: no pragma but the one that guards a header, DEV-072."""
    found = [(number, "misra-text-19.6.1") for number, name, rest in directives(text)
             if name == "pragma" and rest.split("//")[0].strip() != "once"]
    return found + [(number, "misra-text-19.6.1") for number, line in enumerate(without_comments(text).split("\n"), 1)
                    if "_Pragma" in line]


def guards(text):
    """19.2.1: a header begins with its guard."""
    first = next(((number, name, rest) for number, name, rest in directives(text)), (1, "", ""))
    return [] if first[1:] == ("pragma", "once") else [(first[0], "misra-text-19.2.1")]


CHECKS = (commented_code, unknown_directives, late_includes, foreign_undefs, include_forms, hash_operators, pragmas)


def suppressed(lines, number, check):
    """Whether the line, or the one above it, exempts it from the check."""
    here = SUPPRESSED.search(lines[number - 1])
    above = SUPPRESSED.search(lines[number - 2]) if number > 1 else None
    return bool((here and not here.group(1) and check in here.group(2)) or
                (above and above.group(1) and check in above.group(2)))


def findings(text, is_header):
    """The sorted findings of one source."""
    lines = text.split("\n")
    found = [finding for check in CHECKS + ((guards,) if is_header else ()) for finding in check(text)]
    return sorted((number, check) for number, check in found if not suppressed(lines, number, check))
