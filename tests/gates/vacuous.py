"""What only looks like an assertion: it holds whatever the product does, or is never reached.

Of both languages: a constant that is true; a comparison of literals; a comparison of an expression with itself; an
assertion that cannot be reached, after what leaves the test or below a condition that is false; a loop over nothing; an
exception that is swallowed, so that the assertions after it in the block are left out, or in Python the failure itself.
Expressions are evaluated: in C++ by cpp_constants.py, in Python by vacuous_python.py. An assertion of something that is
false fails each time, which is seen.

An expression that calls something is not the same twice: `EXPECT_EQ(f(1), f(1))` and `assert f(1) == f(1)` assert that
f gives the same each time, which tests of reproducible results do. Casts and `sizeof` are no calls; attributes, indices
and operators are none either, so that what they give has to be given a name, or another value to be compared with.

A handler of an exception may do nothing where the block that is tried ends with FAIL(), or with a count of which an
assertion after it tells that there were enough.
"""
import re

from cpp_constants import compared, expression
from vacuous_python import python_findings

__all__ = ["cpp_findings", "python_findings"]

_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
_MACRO = re.compile(r"\b(?:EXPECT|ASSERT)_(TRUE|FALSE|EQ|NE|LT|LE|GT|GE|STREQ|STRNE|FLOAT_EQ|DOUBLE_EQ|NEAR)\s*\(")
_ASSERTION = re.compile(r"\b(?:EXPECT|ASSERT)_[A-Z_]+\s*\(|\bADD_FAILURE\(|\bFAIL\(\)")
_SIGNS = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "STREQ": "==", "STRNE": "!=",
          "FLOAT_EQ": "==", "DOUBLE_EQ": "==", "NEAR": "=="}
_CONTROL = re.compile(r"\b(if|while|for)\s*(?:constexpr\s*)?(\()")
_LEAVING = (r"(?:(?:return|throw|continue|break)\b|GTEST_SKIP\s*\(|(?:GTEST_)?FAIL\s*\("
            r"|(?:std::|::)?(?:exit|_Exit|quick_exit|abort|terminate)\s*\()")
_LEAVES = re.compile(rf"(?<=[;{{}}])(\s*){_LEAVING}")
_CONSTANT = re.compile(r"\b(?:(?:constexpr|const)\s+(?:static\s+)?[\w:]+(?:<[^;<>]*>)?|bool\s+const)\s+(\w+)\s*"
                       r"(?:=\s*([^;{}]+)|\{([^;{}]*)\})\s*;")
_COUNTER = re.compile(r"\s*(?:const\s+)?[\w:]+\s+(\w+)\s*(?:=\s*(.+)|\{(.+)\})\s*", re.DOTALL)
_NEVER, _NOTHING = "an assertion that nothing reaches", "a loop over nothing"
_NO_TYPE = r"(?!(?:return|else|case|throw|new|delete|goto|co_return)\b)"
_EMPTY_LOOP = re.compile(r"\bfor\s*\([^;(){}]*:\s*[\w:]*(?:<[^;{}]*>)?\s*\{\s*\}\s*\)"
                         r"|\bValuesIn\(\s*[\w:]+<[^;{}]*>\{\s*\}\s*\)")
_CATCH = re.compile(r"\bcatch\s*\(([^()]*)\)\s*\{")
_QUIET = re.compile(r"static_cast<void>\s*\([^;]*\)\s*;|\(void\)\s*\w+\s*;|\bstd::ignore\s*=\s*\w+\s*;"
                    r"|\bstd::c(?:out|err|log)\s*<<[^;]*;|\b(?:std::)?f?(?:printf|puts)\s*\([^;]*;")
_EXPECTS = re.compile(r"[;{}]\s*(?:ADD_FAILURE|(?:GTEST_)?FAIL)\s*\(\s*\)[^;{}]*;\s*\}\s*$")
_COUNTS = re.compile(r"[;{}]\s*(?:(\w+)\s*(?:\+=|=(?!=)|\+\+)[^;{}]*|\+\+(\w+)\s*);\s*\}\s*$")
_WORKS = re.compile(r"=|\(|\+\+|--|\bthrow\b")


def masked(text):
    """The text with comments and the insides of strings blank, of the same length."""
    def blank(match):
        word = match.group()
        if word[0] == "/":
            return re.sub(r"[^\n]", " ", word)
        return word[0] + re.sub(r"[^\n]", "_", word[1:-1]) + word[-1]
    return _NOT_CODE.sub(blank, text)


def _end(text, opening):
    """Of a bracket, the place of its partner."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at
    return len(text)


def _parts(text, begin, end, separator):
    """(begin, end) of what separators outside of brackets divide; in template arguments a comma divides nothing."""
    found, depth, start, at = [], 0, begin, begin
    while at < end:
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if text[at] == "<" and re.match(r"<[\w:, *&]*>", text[at:end]) and separator == ",":
            at += re.match(r"<[\w:, *&]*>", text[at:end]).end()
            continue
        if depth == 0 and text.startswith(separator, at):
            found.append((start, at))
            start = at = at + len(separator)
            continue
        at += 1
    return [*found, (start, end)]


def _constants(code, text):
    """{name: value} of the file's constants: names that each declaration in the file gives the same one."""
    found, dropped = {}, set()
    for match in _CONSTANT.finditer(code):
        name, which = match.group(1), 2 if match.group(2) is not None else 3
        value = expression(text[match.start(which):match.end(which)], found).value
        if value is None or found.setdefault(name, value) != value:
            dropped.add(name)
    for name in found:
        declared = re.findall(
            rf"\b{_NO_TYPE}[\w:]+(?:<[^;<>]*>)?(?:\s+|\s*[&*]\s*){name}\s*(?:=(?!=)|[;,){{:\[])", code)
        if len(declared) > sum(match.group(1) == name for match in _CONSTANT.finditer(code)):
            dropped.add(name)
    return {name: value for name, value in found.items() if name not in dropped}


def _is_vacuous(kind, arguments, names):
    """Whether an assertion holds whatever the product does."""
    if kind in ("TRUE", "FALSE"):
        value = expression(arguments[0], names).value
        return value is not None and bool(value) == (kind == "TRUE")
    return len(arguments) >= 2 and compared(arguments[0], _SIGNS[kind], arguments[1], names) is True


def _statement(code, at):
    """(begin, end) of the statement, or the block, from a place on."""
    begin = at + len(code[at:]) - len(code[at:].lstrip())
    if code[begin:begin + 1] == "{":
        return begin, _end(code, begin) + 1
    is_control, depth = re.match(r"(?:if|for|while|switch)\b", code[begin:]), 0
    for end in range(begin, len(code)):
        depth += (code[end] in "({[") - (code[end] in ")}]")
        if depth < 0 or depth == 0 and (code[end] == ";" or is_control and code[end] == "}"):
            return begin, end + 1
    return begin, len(code)


def _rest(code, at):
    """(begin, end) of what stands after a statement that begins at a place, up to the end of its block."""
    depth = 0
    while at < len(code) and (depth > 0 or code[at] != ";"):  # of what is returned or thrown
        depth += (code[at] in "({[") - (code[at] in ")}]")
        at += 1
    return at, _block_end(code, at)


def _block_end(code, at):
    depth = 0
    while at < len(code) and depth >= 0:
        at += 1
        depth += (code[at:at + 1] in ("{", "(")) - (code[at:at + 1] in ("}", ")"))
    return at


def _controlled(code, text, names):
    """(begin, end, sentence) of what conditions leave out, and of loops whose counter never runs."""
    for match in _CONTROL.finditer(code):
        if code[:match.start()].rsplit("\n", 1)[-1].lstrip().startswith("#"):
            continue
        closing = _end(code, match.end() - 1)
        begin, end = _statement(code, closing + 1)
        places = _parts(code, match.end(), closing, ";")
        if match.group(1) == "for":
            if len(places) != 3:
                continue
            first, condition = (text[slice(*each)] for each in places[:2])
            counter, known = _COUNTER.fullmatch(first), dict(names)
            if counter:
                known[counter.group(1)] = expression(counter.group(2) or counter.group(3), names).value
            value = expression(condition, known, same=False).value
            if value is not None and not value:
                yield begin, end, _NOTHING if counter else _NEVER
            continue
        value = expression(text[match.end():closing], names, same=False).value
        if value is not None and not value:
            yield begin, end, _NEVER
        elif value is not None and match.group(1) == "if":
            other = re.match(r"\s*else\b", code[end:])
            if other:
                yield *_statement(code, end + other.end()), _NEVER
            elif re.search(rf"(?:^|[;{{}}])\s*{_LEAVING}[^;{{}}]*;\s*\}}?$", code[begin:end]):
                yield end, _block_end(code, end), _NEVER


def _left_out(code, text):
    """(begin, end) of lines that the preprocessor leaves out: #if 0, and the #else of #if 1."""
    open_ones = []
    for match in re.finditer(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)$", code, re.MULTILINE):
        word = match.group(1)
        if word not in ("if", "ifdef", "ifndef") and open_ones:
            value, start = open_ones.pop()
            if value is False:
                yield start, match.start()
            if word in ("else", "elif"):
                open_ones.append((not value if value is not None and word == "else" else None, match.end()))
        elif word.startswith("if"):
            value = expression(text[match.start(2):match.end(2)]).value if word == "if" else None
            open_ones.append((None if value is None else bool(value), match.end()))


def _unreachable(code, text, names):
    """(place, sentence) of assertions that nothing reaches, and of loops over nothing."""
    for begin, end, sentence in _controlled(code, text, names):
        found = _ASSERTION.search(code, begin, end)
        if found or sentence == _NOTHING:
            yield found.start() if found else begin, sentence
    for begin, end in _left_out(code, text):
        found = _ASSERTION.search(code, begin, end)
        if found:
            yield found.start(), _NEVER
    for match in _LEAVES.finditer(code):
        at, end = _rest(code, match.start())
        rest = code[at:end]
        found = _ASSERTION.search(rest)
        if found and not re.search(r"^\s*#|\b(?:case\b[^;]*|default\s*):", rest, re.MULTILINE):
            yield at + found.start(), _NEVER


def _tried(before):
    """The block that a handler belongs to, from the text in front of the handler."""
    before = before.rstrip()
    while before.endswith("}"):  # the block that is tried, or a handler of it
        opening, depth = len(before) - 1, 0
        for opening in range(len(before) - 1, -1, -1):
            depth += (before[opening] == "}") - (before[opening] == "{")
            if depth == 0:
                break
        head = before[:opening].rstrip()
        if head.endswith("try"):
            return before[opening:]
        before = head[:max(head.rfind("catch"), 0)].rstrip()
    return ""


def _swallowed(code):
    """Places of handlers after which a test goes on as if nothing had been thrown."""
    for match in _CATCH.finditer(code):
        body = _QUIET.sub("", code[match.end():_end(code, match.end() - 1)])
        tried = _tried(code[:match.start()])
        counts = _COUNTS.search(tried)  # what was tried to its end is counted, and the count is looked at
        if counts and re.search(rf"\b(?:EXPECT|ASSERT)_\w+\([^;]*\b{counts.group(1) or counts.group(2)}\b",
                                code[match.end():]):
            continue
        if not _WORKS.search(body) and not _EXPECTS.search(tried) and ("..." in match.group(1)
                                                                       or _ASSERTION.search(tried)):
            yield match.start()


def cpp_findings(text):
    """(line, sentence) of a source of tests."""
    code = masked(text)
    names = _constants(code, text)
    found = []
    for match in _MACRO.finditer(code):
        if code[:match.start()].rsplit("\n", 1)[-1].lstrip().startswith("#"):
            continue
        places = _parts(code, match.end(), _end(code, match.end() - 1), ",")
        if _is_vacuous(match.group(1), [text[begin:end] for begin, end in places], names):
            found.append((match.start(), "an assertion of a constant or of x == x holds whatever the product does"))
    found += _unreachable(code, text, names)
    found += [(place, "an exception is swallowed, and what was left out would pass") for place in _swallowed(code)]
    found += [(match.start(), _NOTHING) for match in _EMPTY_LOOP.finditer(code)]
    return sorted({(text.count("\n", 0, place) + 1, sentence) for place, sentence in found})
