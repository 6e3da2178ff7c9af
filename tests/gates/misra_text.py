"""Guidelines of MISRA C++:2023 that are about text and directives, which no syntax tree has.

A finding is (line number, check). A line is exempt where it, or the line above it with NOLINTNEXTLINE, names the check
and a deviation record; gates.deviations holds these to the records.
"""
import re

DIRECTIVES = {"if", "ifdef", "ifndef", "elif", "else", "endif", "include", "define", "undef", "line", "error", "pragma"}
DIRECTIVE = re.compile(r"^\s*#\s*(\w*)\s*(.*)$")
SUPPRESSED = re.compile(r"NOLINT(NEXTLINE)?\(([^)]*)\)")
CODE_IN_COMMENT = re.compile(
    r"^([\w:<>&*.\[\]-]+\(.*\)\s*;|[\w:<>&*.\[\]\s-]+ [-+*/|&^]?= .*;|return\b.*;|(break|continue|throw);|"
    r"(\+\+|--)[\w.\[\]>-]+;|[\w.\[\]>-]+(\+\+|--);|[\w:<>]+ \w+\{.*\};|case [\w:]+:|"
    r"(if|for|while|switch) \(.*\) (.*;|\{)|(\} )?else( if \(.*\))? \{|do \{|\}|"
    r"#\s*(include|define|undef|if|ifdef|ifndef|elif|else|endif)\b.*)$")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'',
                   re.DOTALL)
# A type, a name, and one more name; neither statement nor list of parameters. Of a statement with single blanks.
INIT = r"(?: ?=[^,(){}]*| ?\[[^\]]*\])? ?"
SEVERAL_NAMES = re.compile(
    r"(?:(?:static|const|constexpr|inline|extern|mutable|volatile) )*"
    r"(?!(?:return|using|throw|delete|goto|case|friend|template|typename|class|struct|enum)\b)"
    rf"[\w:]+(?:<[^(){{}}]*>)? ?[ &*]+\w+{INIT}(?:, ?[&*]*\w+{INIT})+")
# What one guideline has by two checks: a record on the one is a record on the other.
TWINS = {"misra-text-19.0.2": "cppcoreguidelines-macro-usage", "misra-text-10.0.1": "readability-isolate-declaration"}


def without_comments(text):
    """`text` with the characters of comments and literals made blanks; lines stay where they are."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


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
    return [(number, "misra-text-5.7.2") for number, line in comment_lines(text) if CODE_IN_COMMENT.match(line)]


def comment_lines(text):
    """(line number, what it says) of each line of each comment."""
    for match in TOKEN.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        if match.group().startswith("/"):
            said = match.group().removesuffix("*/").split("\n")
            yield from ((number, re.sub(r"^\s*(?:/[/*!]+|\*)?<?", "", line).strip())
                        for number, line in enumerate(said, first))


def several_names(text):
    """10.0.1: one name in each declaration, of members and of namespaces too."""
    found, line = [], 1
    # Without what a name is set to in braces, which would end the statement.
    text = re.sub(r"\{[^{};\n]*\}", lambda match: " " * len(match.group()), without_comments(text))
    for piece in re.split(r"([{};])", text):
        line += piece.count("\n")
        if SEVERAL_NAMES.fullmatch(" ".join(piece.split())):
            found.append((line, "misra-text-10.0.1"))
    return found


def parameters_of_macros(text):
    """19.0.2: no macro takes parameters, whatever it becomes."""
    return [(number, "misra-text-19.0.2") for number, name, rest in directives(text)
            if name == "define" and re.match(r"\w+\(", rest)]


def unknown_directives(text):
    """19.0.1: what begins with # is a directive, also where it is skipped; no # has another spelling or a comment in
    front of it, which the checks of directives would not see."""
    found = [(number, "misra-text-19.0.1") for number, name, rest in directives(text)
             if name not in DIRECTIVES and (name or rest)]
    lines = zip(text.split("\n"), without_comments(text).split("\n"))
    return found + [(number, "misra-text-19.0.1") for number, (line, blank) in enumerate(lines, 1)
                    if "%:" in blank or "??=" in blank or (DIRECTIVE.match(blank) and not DIRECTIVE.match(line))]


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
        match = re.match(r"(?:<([^>]*)>|\"([^\"]*)\")\s*(?://.*|/\*.*\*/\s*)?$", rest)
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
    """19.2.1: a header begins with its guard, and nothing stands outside of it."""
    found = [*directives(text), (1, "", ""), (1, "", "")]
    is_pair = found[0][1] == "ifndef" and found[1][1] == "define" and found[0][2] == found[1][2]
    code = [number for number, line in enumerate(without_comments(text).split("\n"), 1) if line.strip()]
    is_guarded = (found[0][1:] == ("pragma", "once") or (is_pair and end_of_first(found) == code[-1])) and \
        found[0][0] == code[0]
    return [] if is_guarded else [(found[0][0], "misra-text-19.2.1")]


def end_of_first(found):
    """The line of the #endif of the first condition; 0 without one."""
    depth = 0
    for number, name, _ in found:
        depth += name.startswith("if")
        depth -= name == "endif"
        if name == "endif" and depth == 0:
            return number
    return 0


CHECKS = (commented_code, several_names, parameters_of_macros, unknown_directives, late_includes,
          foreign_undefs, include_forms, hash_operators, pragmas)


def suppressed(lines, number, check):
    """Whether the line, or the one above it, exempts it from the check."""
    names = {check, TWINS.get(check, check)}
    here = SUPPRESSED.search(lines[number - 1])
    above = SUPPRESSED.search(lines[number - 2]) if number > 1 else None
    return bool((here and not here.group(1) and any(name in here.group(2) for name in names)) or
                (above and above.group(1) and any(name in above.group(2) for name in names)))


def findings(text, is_header):
    """The sorted findings of one source."""
    lines = text.split("\n")
    found = [finding for check in CHECKS + ((guards,) if is_header else ()) for finding in check(text)]
    return sorted((number, check) for number, check in found if not suppressed(lines, number, check))
